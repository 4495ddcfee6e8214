"""What leaves together: whole turns, tied by tool calls, and what always stays.

Not here: how much fits (``budget``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from triptych.context.pairing import Pairing, pair_rows
from triptych.context.rowwork import mapping
from triptych.context.turns import turns_of
from triptych.model.rows import Row

__all__ = ["KeptReason", "Unit", "always_kept", "units_of"]

KeptReason = Literal["kept_system", "kept_summary", "kept_pin", "kept_open", "kept_last"]

_SUMMARIES = ("compressedGroup",)

Unit = tuple[int, ...]
"""Places of rows that stay or leave together, in order."""


def units_of(rows: Sequence[Row]) -> list[Unit]:
    """The places of each turn; turns that a call and its result tie together are one unit, and system rows their own."""
    turn_of: list[int] = []
    for number, (start, end) in enumerate(turns_of(rows)):
        turn_of.extend([number] * (end - start))
    joined = _joined(turn_of, pair_rows(rows))
    units: dict[Any, list[int]] = {}
    for place, row in enumerate(rows):
        alone = row.get("role") in ("system", *_SUMMARIES)
        units.setdefault(("row", place) if alone else joined[turn_of[place]], []).append(place)
    return sorted(tuple(unit) for unit in units.values())


def _joined(turn_of: Sequence[int], pairing: Pairing) -> list[int]:
    """For each turn, the first turn that it is tied to."""
    first = list(range((turn_of[-1] + 1) if turn_of else 0))

    def root(turn: int) -> int:
        while first[turn] != turn:
            first[turn] = first[first[turn]]
            turn = first[turn]
        return turn

    for call in pairing.calls:
        for result in call.results:
            one, other = root(turn_of[call.row]), root(turn_of[result])
            first[max(one, other)] = min(one, other)
    return [root(turn) for turn in range(len(first))]


def always_kept(
    rows: Sequence[Row],
    units: Sequence[Unit],
    *,
    pinned: frozenset[str] = frozenset(),
    open_turn: bool = False,
) -> dict[int, KeptReason]:
    """The units that stay whatever they cost, and why."""
    last = max((place for place, row in enumerate(rows) if row.get("role") == "user"), default=-1)
    kept: dict[int, KeptReason] = {}
    for number, unit in enumerate(units):
        reason = _reason(rows, unit, pinned, last)
        if reason is not None:
            kept[number] = reason
    if units and open_turn:
        kept.setdefault(max(range(len(units)), key=lambda number: units[number][-1]), "kept_open")
    return kept


def _reason(rows: Sequence[Row], unit: Unit, pinned: frozenset[str], last: int) -> KeptReason | None:
    if last in unit or (last < 0 and unit[-1] == len(rows) - 1):
        return "kept_last"
    for place in unit:
        row = rows[place]
        if row.get("role") == "system":
            return "kept_system"
        if row.get("role") in _SUMMARIES or mapping(row.get("meta")).get("summary"):
            return "kept_summary"
        if mapping(row.get("metadata")).get("pinned") is True or (
            row.get("id") in pinned if pinned else False
        ):
            return "kept_pin"
    return None
