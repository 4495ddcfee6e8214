"""The patches that turn one flat list into another.

Not here: applying them (``patches``).
"""

from __future__ import annotations

from collections.abc import Sequence

from triptych.flow.patches import InsertRow, Patch, RemoveRow, ReplaceRow
from triptych.model.rows import Row

__all__ = ["splice"]


def splice(before: Sequence[Row], after: Sequence[Row]) -> list[Patch]:
    """Equal ends are left alone; in between, rows with the same id are replaced, others removed or inserted."""
    start = 0
    shorter = min(len(before), len(after))
    while start < shorter and _same(before[start], after[start]):
        start += 1
    tail = 0
    while tail < shorter - start and _same(before[-1 - tail], after[-1 - tail]):
        tail += 1
    return _between(before[start : len(before) - tail], after[start : len(after) - tail], start)


def _same(one: Row, other: Row) -> bool:
    return one is other or one == other


def _between(before: Sequence[Row], after: Sequence[Row], start: int) -> list[Patch]:
    kept = _in_common(before, after)
    backwards = range(len(before) - 1, -1, -1)
    patches: list[Patch] = [RemoveRow(row=start + place) for place in backwards if place not in kept]
    old = dict(zip(kept.values(), kept, strict=True))
    for place, row in enumerate(after):
        if place not in old:
            patches.append(InsertRow(row=start + place, value=row))
        elif not _same(before[old[place]], row):
            patches.append(ReplaceRow(row=start + place, value=row))
    return patches


def _in_common(before: Sequence[Row], after: Sequence[Row]) -> dict[int, int]:
    """Old place to new place of rows with the same id and role, where both lists have them in the same order."""
    places = {_name(row): place for place, row in enumerate(after)}
    kept: dict[int, int] = {}
    last = -1
    for old, row in enumerate(before):
        new = places.get(_name(row), -1)
        if new > last:
            kept[old] = last = new
    return kept


def _name(row: Row) -> tuple[str, str]:
    return str(row.get("id")), str(row.get("role"))
