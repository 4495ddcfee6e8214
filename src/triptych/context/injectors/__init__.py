"""Steps that add to a draft, one a file, over five places.

Into the system text, before the first user message, in every user message, in the last user message, and at the
volatile tail.
"""
