"""Finding notes by what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from triptych.model.diagnostics import Diagnostic

__all__ = ["IndexReport", "Progress", "Search", "SearchHit"]

Progress = Callable[[int, int], None]
"""Called with the number of files done and the number of all; from another thread."""


class SearchHit(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A piece of a note that answers a query.

    Attributes:
        text: the piece as it was when it was indexed.
        start_line, end_line: where it stands in the file, counted from 1.
        heading: the heading that it stands under, empty above the first.
        score: bigger is better; only comparable within one query.
    """

    path: str
    title: str
    text: str
    start_line: int
    end_line: int
    score: float
    heading: str = ""


class IndexReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What an indexing did, in files."""

    total: int
    indexed: int
    removed: int
    diagnostics: tuple[Diagnostic, ...] = ()


class Search(Protocol):
    """An index beside the notes; it can be thrown away and made again at any time."""

    async def index(self, progress: Progress | None = None) -> IndexReport:
        """Bring the index up to date: only files that changed are read."""
        ...

    async def reindex(self, path: str) -> None:
        """One file was changed, made or deleted."""
        ...

    async def query(
        self, text: str, *, limit: int = 10, within: Sequence[str] = (), without: Sequence[str] = ()
    ) -> list[SearchHit]:
        """The best pieces, at most two of a note.

        ``within`` and ``without`` are patterns (``vault.patterns``) of notes that are searched, all when there are
        none, and of notes that are not, which wins.
        """
        ...

    async def close(self) -> None:
        """Let go of the index file."""
        ...
