"""The one pairing of tool calls and results. Steps and wires call it; nothing else pairs.

Calls and results are matched by step: a result answers the nearest call of its id that is still unanswered and
stands before it; one that stands before every such call answers the next. Ids may be used again in later steps.
A second result of an answered call is kept as an extra of that call. A result of no known call, and a call of no
result, are named; nothing is lost. One pass over the rows, whatever they are.

Not here: what is done about calls without results (``processors.tool_order``, the wires' repair).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from triptych.context.rowwork import listed, mapping
from triptych.model.rows import Row

__all__ = ["Answered", "Pairing", "call_ids", "is_result", "pair_rows"]


class Answered(msgspec.Struct, frozen=True):
    """One call, and where its results stand.

    Attributes:
        row: the place of the row that calls.
        index: the call's place among that row's calls.
        id: the call's id.
        results: the places of its results, the first of them the one that counts; empty when unanswered.
    """

    row: int
    index: int
    id: str
    results: tuple[int, ...] = ()


class Pairing(msgspec.Struct, frozen=True):
    """Every call with its results, and what fits to nothing.

    Attributes:
        calls: all calls, in order of rows and of calls in a row.
        orphans: the places of results that answer no known call.
        nameless: how many calls have no id and so can have no result, by the place of their row.
    """

    calls: tuple[Answered, ...] = ()
    orphans: tuple[int, ...] = ()
    nameless: tuple[int, ...] = ()

    @property
    def unanswered(self) -> tuple[Answered, ...]:
        """The calls that have no result."""
        return tuple(call for call in self.calls if not call.results)

    def by_row(self) -> dict[int, list[Answered]]:
        """The calls of each row that calls, by its place."""
        rows: dict[int, list[Answered]] = {}
        for call in self.calls:
            rows.setdefault(call.row, []).append(call)
        return rows

    def closed(self, places: Iterable[int]) -> set[int]:
        """These places and all that a pair ties to them: no call without its results, no result without its call."""
        kept = set(places)
        by_row: dict[int, set[int]] = {}
        for call in self.calls:
            by_row.setdefault(call.row, set()).update(call.results)
        for row, results in by_row.items():
            if row in kept or results & kept:
                kept.add(row)
                kept |= results
        return kept


def pair_rows(rows: Sequence[Row]) -> Pairing:
    """Pair the calls and results of these rows."""
    pairs = _Pairs()
    for place, row in enumerate(rows):
        role = row.get("role")
        if role == "assistant":
            for index, key in enumerate(_own_ids(row)):
                pairs.call(place, index, key)
        elif role == "tool":
            pairs.result(place, row.get("tool_call_id"))
    return pairs.pairing()


class _Pairs:
    """What one pass over rows has seen: open calls, each id's latest call, results that came too early."""

    def __init__(self) -> None:
        self._calls: list[Answered] = []
        self._results: list[list[int]] = []
        self._open: dict[str, list[int]] = {}
        self._latest: dict[str, int] = {}
        self._early: dict[str, deque[int]] = {}
        self._orphans: dict[int, None] = {}
        self._nameless: list[int] = []

    def call(self, row: int, index: int, key: str | None) -> None:
        if key is None:
            self._nameless.append(row)
            return
        number = len(self._calls)
        self._calls.append(Answered(row, index, key))
        self._latest[key] = number
        early = self._early.get(key)
        if early:
            taken = early.popleft()
            self._orphans.pop(taken, None)
            self._results.append([taken])
        else:
            self._results.append([])
            self._open.setdefault(key, []).append(number)

    def result(self, place: int, key: Any) -> None:
        waiting = self._open.get(key) if isinstance(key, str) else None
        if waiting:
            self._results[waiting.pop()].append(place)
        elif isinstance(key, str) and key in self._latest:
            self._results[self._latest[key]].append(place)
        else:
            self._orphans[place] = None
            if isinstance(key, str) and key:
                self._early.setdefault(key, deque()).append(place)

    def pairing(self) -> Pairing:
        calls = tuple(
            Answered(call.row, call.index, call.id, tuple(found)) if found else call
            for call, found in zip(self._calls, self._results, strict=True)
        )
        return Pairing(calls, tuple(self._orphans), tuple(self._nameless))


def call_ids(row: Row) -> list[str]:
    """The ids of the calls of a row, in the wire's form (``tool_calls``) if it has that, else in ours."""
    return [key for key in _own_ids(row) if key is not None]


def is_result(row: Row) -> bool:
    """Whether a row is a tool's result."""
    return row.get("role") == "tool"


def _own_ids(row: Row) -> Iterator[str | None]:
    calls: list[Any] = listed(row.get("tool_calls")) or listed(row.get("tools"))
    for call in calls:
        key = mapping(call).get("id")
        yield key if isinstance(key, str) and key else None
