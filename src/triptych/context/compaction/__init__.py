"""Ways to make an old history smaller, one a file. ``budget.fit`` calls them, nobody else.

Each is a view: the originals stay where they are, and what stands for them says so and can be opened. None makes
a history larger, so none loops. System text, pins, pairs and the last user turn stay.
"""
