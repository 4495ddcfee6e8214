"""Where turns begin. A turn is one user message and all that answers it; rows before the first are turn zero.

Not here: what belongs to a turn by its meaning across branches (``flow``).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from triptych.model.rows import Row

__all__ = ["first_user", "last_user", "turn_starts", "turns_of"]


def turn_starts(rows: Sequence[Row], start: int = 0) -> list[int]:
    """The places at or behind ``start`` where a user row stands."""
    return [start + place for place, row in enumerate(rows[start:]) if row.get("role") == "user"]


def turns_of(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """The turns as ``(start, end)``, turn zero first when there is one; every row is in exactly one."""
    starts = turn_starts(rows)
    edges = [*([] if starts[:1] == [0] or not rows else [0]), *starts, len(rows)]
    return itertools.pairwise(edges)


def first_user(rows: Sequence[Row]) -> int | None:
    """The place of the first user row, or None."""
    return next((place for place, row in enumerate(rows) if row.get("role") == "user"), None)


def last_user(rows: Sequence[Row], before: int | None = None) -> int | None:
    """The place of the last user row (before a place, when one is given), or None; looks from the end."""
    end = len(rows) if before is None else before
    return next((place for place in range(end - 1, -1, -1) if rows[place].get("role") == "user"), None)
