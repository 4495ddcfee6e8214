"""A folder of conversations as files, as autosave needs it.

A file belongs to the conversation whose id its front matter names, wherever it lies and whatever it is called.
Failures are ``OSError``.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

__all__ = ["Notebook", "NotebookFile"]


class NotebookFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file as it is now. ``path`` is relative to the folder, with ``/``."""

    path: str
    text: str


class Notebook(Protocol):
    """The folder. No path leads out of it."""

    async def find(self, conversation_id: str) -> list[NotebookFile]:
        """The files of a conversation as they are on the disk now, by path; more than one when somebody copied it."""
        ...

    async def write(self, path: str, text: str, *, replaces: str | None) -> None:
        """Put a file there, whole or not at all; folders are made as needed.

        ``replaces`` is the text that has to be there now; None: nothing may be there. Otherwise
        ``FileExistsError``, and nothing is written.
        """
        ...

    async def move(self, path: str, new_path: str) -> None:
        """Give a file another path; ``FileExistsError`` when something is there."""
        ...

    async def trash(self, path: str) -> str:
        """Take a file away so that a person can get it back; where it lies now."""
        ...

    async def rescue(self, name: str, text: str) -> str:
        """Keep a text that could not be written where it belongs; the whole path of the copy."""
        ...
