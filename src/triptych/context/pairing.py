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

    def of(self, row: int) -> tuple[Answered, ...]:
        """The calls of the row at this place."""
        return tuple(call for call in self.calls if call.row == row)

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
    open_calls: dict[str, deque[int]] = {}
    latest: dict[str, int] = {}
    early: dict[str, deque[int]] = {}
    calls: list[Answered] = []
    results: list[list[int]] = []
    orphans: set[int] = set()
    nameless: list[int] = []
    for place, row in enumerate(rows):
        role = row.get("role")
        if role == "assistant":
            for index, key in enumerate(_own_ids(row)):
                if key is None:
                    nameless.append(place)
                    continue
                number = len(calls)
                calls.append(Answered(place, index, key))
                results.append([])
                latest[key] = number
                waiting = early.get(key)
                if waiting:
                    taken = waiting.popleft()
                    results[number].append(taken)
                    orphans.discard(taken)
                else:
                    open_calls.setdefault(key, deque()).append(number)
        elif role == "tool":
            _answer(place, row, open_calls, latest, early, results, orphans)
    answered = tuple(
        msgspec.structs.replace(call, results=tuple(found)) if found else call
        for call, found in zip(calls, results, strict=True)
    )
    return Pairing(answered, tuple(sorted(orphans)), tuple(nameless))


def call_ids(row: Row) -> list[str]:
    """The ids of the calls of a row, in the wire's form (``tool_calls``) if it has that, else in ours."""
    return [key for key in _own_ids(row) if key is not None]


def is_result(row: Row) -> bool:
    """Whether a row is a tool's result."""
    return row.get("role") == "tool"


def _answer(
    place: int,
    row: Row,
    open_calls: dict[str, deque[int]],
    latest: dict[str, int],
    early: dict[str, deque[int]],
    results: list[list[int]],
    orphans: set[int],
) -> None:
    key = row.get("tool_call_id")
    waiting = open_calls.get(key) if isinstance(key, str) else None
    if waiting:
        results[waiting.pop()].append(place)
    elif isinstance(key, str) and key in latest:
        results[latest[key]].append(place)
    else:
        orphans.add(place)
        if isinstance(key, str) and key:
            early.setdefault(key, deque()).append(place)


def _own_ids(row: Row) -> Iterator[str | None]:
    calls: list[Any] = listed(row.get("tool_calls")) or listed(row.get("tools"))
    for call in calls:
        key = mapping(call).get("id")
        yield key if isinstance(key, str) and key else None
