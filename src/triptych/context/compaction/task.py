"""What a strategy is given, and which stretch of a history it may take.

Not here: any strategy (the other files), when one is used (``budget``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from triptych.context.rowwork import listed
from triptych.context.tokens.counter import TokenCounter
from triptych.context.units import always_kept, units_of
from triptych.model.rows import Row

__all__ = ["Strategy", "Task", "group_row", "is_group", "oldest_stretch", "open_group", "replace_stretch"]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A history that does not fit.

    Attributes:
        rows: the history.
        room: the tokens that it should not be more than.
        counter: counts tokens.
        pinned: ids of rows that have to stay.
    """

    rows: tuple[Row, ...]
    room: int
    counter: TokenCounter
    pinned: frozenset[str] = frozenset()


Strategy = Callable[[Task], tuple[Row, ...]]
"""Rows that say the same with fewer tokens; the same rows when there is nothing to do."""


def oldest_stretch(task: Task, *, target: int) -> tuple[int, ...]:
    """The places of the oldest turns that would have to go for the rest to cost no more than ``target``.

    Whole turns, in order from the oldest; what always stays is stepped over. Empty when all fits, or nothing may go.
    """
    counts = task.counter.tally(task.rows).counts
    units = units_of(task.rows)
    kept = always_kept(task.rows, units, pinned=task.pinned)
    total = sum(counts)
    taken: list[int] = []
    for number, unit in enumerate(units):
        if total <= target:
            break
        if number not in kept:
            taken.extend(unit)
            total -= sum(counts[place] for place in unit)
    return tuple(sorted(taken))


def replace_stretch(rows: tuple[Row, ...], stretch: tuple[int, ...], *instead: Row) -> tuple[Row, ...]:
    """The rows with others in the place of a stretch, where its first row stood."""
    gone = frozenset(stretch)
    kept = [(place, row) for place, row in enumerate(rows) if place not in gone]
    front = [row for place, row in kept if place < stretch[0]]
    return (*front, *instead, *(row for place, row in kept if place > stretch[0]))


def group_row(rows: tuple[Row, ...], summary: str, *, by: str) -> Row:
    """A compressed group: the summary for the model, the rows themselves for who opens it."""
    first = next((row["id"] for row in rows if isinstance(row.get("id"), str)), "history")
    last = next((row["id"] for row in reversed(rows) if isinstance(row.get("id"), str)), "history")
    return {
        "id": f"compressed-{first}-{last}",
        "role": "compressedGroup",
        "content": summary,
        "compressedMessages": list(rows),
        "meta": {"summary": by},
    }


def is_group(row: Row) -> bool:
    """Whether a row stands for others."""
    return row.get("role") == "compressedGroup" and bool(listed(row.get("compressedMessages")))


def open_group(row: Row) -> tuple[Row, ...]:
    """The original rows of a group; groups inside it are opened too."""
    opened: list[Row] = []
    waiting: list[Any] = [row]
    while waiting:
        now = waiting.pop()
        if is_group(now):
            waiting.extend(reversed(now["compressedMessages"]))
        else:
            opened.append(now)
    return tuple(opened)
