"""A folder of notes, as the use cases need it."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from triptych.model.diagnostics import Diagnostic

__all__ = ["Note", "NoteInfo", "Vault"]


class NoteInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A file of the vault without its body. ``path`` is relative, with ``/``; times in epoch ms; size in bytes."""

    path: str
    title: str
    size: int
    modified_at: int
    created_at: int = 0
    tags: tuple[str, ...] = ()


class Note(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A note as it is now. ``body`` is the text without front matter; ``text`` the whole file."""

    info: NoteInfo
    text: str
    body: str
    front_matter: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    links: tuple[str, ...] = ()


class Vault(Protocol):
    """Read access only; no path leaves the folder, symlinks included."""

    async def notes(self) -> list[NoteInfo]:
        """Every note, by path."""
        ...

    async def read(self, path: str) -> tuple[Note | None, tuple[Diagnostic, ...]]:
        """A note, or None with the reason (missing, unreadable, binary, too big, outside)."""
        ...

    async def read_bytes(self, path: str) -> tuple[bytes | None, tuple[Diagnostic, ...]]:
        """Any file of the vault."""
        ...

    async def resolve(self, link: str, source: str | None = None) -> str | None:
        """The path that a ``[[wikilink]]`` or relative link means, seen from the note that holds it."""
        ...
