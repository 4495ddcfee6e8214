"""The single truth: the message tree of one conversation, in memory."""
