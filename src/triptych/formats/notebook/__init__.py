"""Our own Markdown: one conversation a file, with every branch, that a person can read and edit.

docs/formats/notebook.md is its specification (version 1). Laws: any conversation written and read back is equal;
whatever a hand types into the file is kept.

* ``escape`` · ``blocks``  texts and parts as Markdown, and back
* ``scan`` · ``read``      a file -> its sections -> a conversation
* ``render``               a conversation -> a file
* ``edits``                what a hand has changed, as messages to add
* ``names``                file names and folders
"""

from __future__ import annotations

__all__: list[str] = []
