"""Running neighbouring steps of scope ``message`` or ``turn`` together, and only on turns that are not settled.

Such steps see a stretch of whole turns at a time. The result of a stretch depends on nothing behind it, so what
an earlier run made of the same rows is taken over. The rows count as the same when they are equal, which costs
nothing for rows that are the same objects.

Not here: steps that look at everything (``engine`` runs them each time).
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from triptych.context.contract import Step
from triptych.context.draft import Draft
from triptych.context.turns import last_user, turn_starts
from triptych.model.rows import Row

__all__ = ["Block", "BlockMemory", "common_length", "run_block"]

_ROLE = itemgetter("role")
_COARSE = 16
_FINE = 3
_MOST_BOUNDS = 64

Rows = tuple[Row, ...]
Observe = Callable[[int, Draft], Draft]
"""Runs the step at this place of the block on a draft, watched (timed, errors named)."""


class BlockMemory(msgspec.Struct, frozen=True):
    """What a block made of which rows: ``bounds`` are (place in given, place in result) where a turn starts.

    ``same`` says that the result is what was given; ``steps`` are those that made it.
    """

    given: Rows = ()
    result: Rows = ()
    bounds: tuple[tuple[int, int], ...] = ()
    same: bool = True
    steps: tuple[Step, ...] = ()


class Block(msgspec.Struct, frozen=True):
    """Neighbouring local steps; a step that looks back is a block of its own."""

    steps: tuple[Step, ...]
    lookback: int = 0


def run_block(
    block: Block, draft: Draft, memory: BlockMemory, observe: Observe
) -> tuple[Draft, BlockMemory, int]:
    """The draft behind the block, what to remember, and how many given rows were taken over."""
    given = draft.rows
    settled = memory.bounds[: _settled(memory, given)]
    fresh, made = settled[-1] if settled else (0, 0)
    bounds, new = list(settled[:-1]), list[Row]()
    after, same = draft, memory.same or not fresh
    for start, end in _stretches(given, fresh):
        bounds.append((start, made + len(new)))
        context = _context(given, start, block.lookback)
        stretch = given[context:end]
        after = _through(block, after, stretch, observe)
        same = same and after.rows is stretch
        new.extend(after.rows[start - context :])
        if after.aborted is not None:
            new.extend(given[end:])
            break
    result = given if same else memory.result[:made] + tuple(new)
    unreported = after.metadata is draft.metadata and after.aborted is None
    ended = draft if same and unreported else msgspec.structs.replace(after, rows=result)
    return ended, BlockMemory(given, result, _thinned(bounds), same, block.steps), fresh


def common_length(before: Rows, now: Rows) -> int:
    """How many rows at the start are equal."""
    most = min(len(before), len(now))
    if before[:most] == now[:most]:
        return most
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if before[low:middle] == now[low:middle] else (low, middle)
    return low


def _settled(memory: BlockMemory, given: Rows) -> int:
    """How many bounds hold still: their turn begins with a row that is the same, so none before it can grow."""
    common = common_length(memory.given, given)
    return bisect_left(memory.bounds, common, key=lambda bound: bound[0])


def _stretches(given: Rows, start: int) -> list[tuple[int, int]]:
    """The rest of the rows in a few stretches of whole turns; the last turns each on their own."""
    starts = [place for place in turn_starts(given, start) if place > start]
    fine = starts[-_FINE:]
    coarse = starts[: -_FINE or None]
    every = max(1, len(coarse) // _COARSE)
    edges = [start, *coarse[every - 1 :: every], *fine, len(given)]
    return list(itertools.pairwise(edges))


def _context(given: Rows, start: int, lookback: int) -> int:
    """Where the turns begin that a step has to see again before ``start``; such a step neither adds nor drops."""
    place = start
    for _ in range(lookback):
        place = last_user(given, place) or 0
    return place


def _through(block: Block, draft: Draft, rows: Rows, observe: Observe) -> Draft:
    now = msgspec.structs.replace(draft, rows=rows)
    roles = _roles(rows)
    for place, step in enumerate(block.steps):
        wanted = step.contract.roles
        if wanted is not None and roles is not None and roles.isdisjoint(wanted):
            continue
        before = now
        now = observe(place, now)
        if now.aborted is not None:
            return now
        if now.rows is not before.rows:
            roles = _roles(now.rows)
    return now


def _roles(rows: Rows) -> set[Any] | None:
    """The roles that occur; None when a foreign row has none, or one that cannot be a set's member."""
    try:
        return set(map(_ROLE, rows))
    except (KeyError, TypeError):
        return None


def _thinned(bounds: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Not more bounds than a history needs: of the old ones every second may go."""
    while len(bounds) > _MOST_BOUNDS:
        bounds = [*bounds[:-_COARSE:2], *bounds[-_COARSE:]]
    return tuple(bounds)
