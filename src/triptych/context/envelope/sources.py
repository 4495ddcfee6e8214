"""A resolved attachment: what was read, from where, under a stable key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from triptych.model.digest import digest_text
from triptych.model.ids import BlobDigest

__all__ = ["Source", "SourceKind", "distinct", "source_digest"]

SourceKind = Literal["note", "url", "selection", "webTab", "pdf", "canvas", "search", "conversation", "error"]


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One source as it is now.

    Attributes:
        key: stable name (``note:plans/launch.md``, ``note:plans/launch.md#Crew``, ``url:https://…``).
        body: the text, whole; for an error the reason.
        facts: what the block tells beside the body, in order (``path``, ``start_line`` …).
        recoverable: it can be read again; a selection cannot.
    """

    key: str
    kind: SourceKind
    title: str
    body: str
    facts: tuple[tuple[str, str], ...] = ()
    recoverable: bool = True


def source_digest(source: Source) -> BlobDigest:
    """The digest of the body: the same text is the same version, whenever it was read."""
    return digest_text(source.body)


def distinct(sources: Iterable[Source]) -> list[Source]:
    """Each key once, where it first appears: a note that came by two routes is one note."""
    found: dict[str, Source] = {}
    for source in sources:
        found.setdefault(source.key, source)
    return list(found.values())
