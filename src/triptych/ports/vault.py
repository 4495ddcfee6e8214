"""A folder of notes, as the use cases need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from triptych.model.diagnostics import Diagnostic

__all__ = ["Embed", "Note", "NoteInfo", "Selection", "Vault", "VaultQueries"]

Diagnostics = tuple[Diagnostic, ...]


class NoteInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A file of the vault without its body. ``path`` is relative, with ``/``; times in epoch ms; size in bytes."""

    path: str
    title: str
    size: int
    modified_at: int
    created_at: int = 0
    tags: tuple[str, ...] = ()


class Embed(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """``![[target#heading]]`` in a note, as it is written there.

    Attributes:
        link: the target as written, heading or block mark included, alias not.
        start, end: where it stands in the body, in characters.
    """

    link: str
    start: int
    end: int


class Note(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A note as it is now. ``body`` is the text without front matter; ``text`` the whole file.

    Of a canvas or a PDF, ``body`` is what can be read in it.

    Attributes:
        links: the notes and files that it links to, as written, without aliases; in order, each once.
    """

    info: NoteInfo
    text: str
    body: str
    front_matter: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    links: tuple[str, ...] = ()
    embeds: tuple[Embed, ...] = ()


class Selection(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What patterns select. ``unmatched`` are the patterns that match nothing."""

    included: tuple[NoteInfo, ...] = ()
    excluded: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()


class Vault(Protocol):
    """Read access only; no path leaves the folder, symlinks included."""

    async def notes(self) -> list[NoteInfo]:
        """Every note, by path."""
        ...

    async def read(self, path: str) -> tuple[Note | None, Diagnostics]:
        """A note, or None with the reason (missing, unreadable, binary, too big, outside)."""
        ...

    async def read_bytes(self, path: str) -> tuple[bytes | None, Diagnostics]:
        """Any file of the vault."""
        ...

    async def resolve(self, link: str, source: str | None = None) -> str | None:
        """The path that a ``[[wikilink]]`` or relative link means, seen from the note that holds it."""
        ...


class VaultQueries(Protocol):
    """Many notes by folder, tag or pattern, and a piece of one note."""

    async def folder(self, path: str) -> tuple[list[NoteInfo], Diagnostics]:
        """Every note under a folder, at any depth; ``""`` and ``/`` are the whole vault."""
        ...

    async def tagged(self, tag: str) -> tuple[list[NoteInfo], Diagnostics]:
        """Every note with a tag or one below it (``work`` finds ``work/deep``); with or without ``#``."""
        ...

    async def select(self, include: Sequence[str], exclude: Sequence[str] = ()) -> Selection:
        """The files that patterns name (``vault.patterns``); an exclusion wins."""
        ...

    async def heading(self, path: str, heading: str) -> tuple[str | None, Diagnostics]:
        """The text under a heading, the heading's line included, down to the next of its rank or above."""
        ...

    async def block(self, path: str, block: str) -> tuple[str | None, Diagnostics]:
        """The paragraph or list item that is marked ``^block``."""
        ...
