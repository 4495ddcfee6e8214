"""Tokens: counting text, rows and media, remembering what was counted, and accounting for it.

Not here: what to do when there are too many (``budget``).
"""
