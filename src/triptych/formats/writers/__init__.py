"""Writers of other programs' files: one module a format, each with ``write(conversations) -> Written``.

A conversation that was read from the same format keeps its document: unchanged it goes back as it was, and with new
messages the old records stay and only the new ones, the pointer and the child link are added (``frame``). A
conversation from elsewhere is made anew. What does not come back when the result is read again is the loss report
(``report``), so the report is true of our own readers by construction.
"""
