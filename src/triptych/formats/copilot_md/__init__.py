"""Chats that Obsidian Copilot saved as Markdown notes, in both directions, byte-exact for what is untouched.

The format has no escapes, one zone-less second per message and no ids (docs/formats/copilot_md.md). Reading
uses what the writer always leaves (a time line before each next header) to tell headers from text that looks like
one; the raw piece of each message is kept, so that an untouched chat is written back in the same bytes.

* ``pieces``   text <-> front matter, preamble and one raw piece a message
* ``context``  the ``[Context: …]`` line <-> references
* ``times``    the ``[Timestamp: …]`` line <-> epoch milliseconds
* ``marks``    reasoning and tool marks in an answer's text <-> parts
* ``read``     a file -> a conversation
* ``write``    a conversation -> a file and the losses
* ``names``    file names and whose project a file belongs to
"""
