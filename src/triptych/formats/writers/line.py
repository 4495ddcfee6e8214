"""Lists of records without ids: the shown path, as far as the document has it, and what comes after.

Not here: what a record looks like.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from triptych.formats.conversation import ImportedConversation, Path, record_paths
from triptych.formats.paths import active_path
from triptych.formats.writers.frame import Changes
from triptych.model.messages import Message

__all__ = ["Line", "line_of"]


class Line(msgspec.Struct, frozen=True):
    """Where to cut and what to add.

    Attributes:
        base: the place of the list in the document.
        keep: how many of its records stay; None for all of them.
        fresh: the messages to add after those.
    """

    base: Path
    keep: int | None
    fresh: tuple[Message, ...]


def line_of(imported: ImportedConversation, changes: Changes) -> Line:
    """Compare the shown path with the one that the document has."""
    path = active_path(imported)
    original = active_path(changes.original)
    known = {message.id for message in changes.original.messages} - changes.changed
    kept = 0
    while kept < len(path) and path[kept].id in known:
        kept += 1
    fresh = tuple(path[kept:])
    held = _records(path[:kept])
    base = held[-1][:-1] if held else _base(original)
    if {message.id for message in original} <= {message.id for message in path[:kept]}:
        return Line(base, None, fresh)
    numbers = [place[-1] for place in held if place[:-1] == base and isinstance(place[-1], int)]
    return Line(base, max(numbers, default=-1) + 1, fresh)


def _records(messages: Sequence[Message]) -> list[Path]:
    return [place for message in messages for place in record_paths(message)]


def _base(messages: Sequence[Message]) -> Path:
    places = _records(messages)
    return places[-1][:-1] if places else ()
