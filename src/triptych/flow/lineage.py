"""Effective times, parents before children, and loops of parents.

The effective time of a message is the later of its own and its parent's, so that a path is always in order. A message
without a readable time happens when its parent does; a root without one, when the root before it does.

Not here: links (``index``), the reading of a stored time (``times``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from triptych.flow.forest import Forest, hang
from triptych.flow.times import created_at, known

__all__ = ["settle"]

_FIRST_TIME: Final = float("-inf")


def settle(forest: Forest) -> None:
    """Effective times and the parents-first order; loops are cut on the way."""
    late = _date_in_stored_order(forest)
    if late:
        _date_below_roots(forest)
        _cut_loops(forest)


def _date_in_stored_order(forest: Forest) -> bool:
    """The common case: every parent is stored before its children. True when it is not so."""
    time, parent = forest.time, forest.parent
    before = _FIRST_TIME
    for key, row in forest.rows.items():
        above = parent[key]
        own: Any = row.get("createdAt")
        if own.__class__ is not int:
            own = created_at(row)
        if above is None:
            floor = _FIRST_TIME if known(own) else before
        elif above in time:
            floor = time[above]
        else:
            time.clear()
            return True
        before = time[key] = max(floor, own)
    forest.order = list(forest.rows)
    return False


def _date_below_roots(forest: Forest) -> None:
    below: dict[str | None, list[str]] = {}
    for key, above in forest.parent.items():
        below.setdefault(above, []).append(key)
    before = _FIRST_TIME
    for root in below.get(None, ()):
        own = created_at(forest.rows[root])
        before = own if known(own) else before
        _date_tree(forest, below, root, before)


def _date_tree(forest: Forest, below: Mapping[str | None, list[str]], root: str, start: float) -> None:
    time, rows, order = forest.time, forest.rows, forest.order
    time[root] = start
    waiting = [root]
    while waiting:
        key = waiting.pop()
        order.append(key)
        floor = time[key]
        for child in below.get(key, ()):
            own = created_at(rows[child])
            time[child] = max(floor, own)
            waiting.append(child)


def _cut_loops(forest: Forest) -> None:
    """Make a root of the first stored row of every loop, so that each row hangs below some root."""
    if len(forest.time) == len(forest.rows):
        return
    roots = [_first_of_loop(forest, loop) for loop in _loops(forest)]
    for root in roots:
        forest.note("parent_loop", "The parents form a loop; it is cut here.", root)
        siblings = forest.kids.get(forest.parent[root])
        if siblings and root in siblings:
            forest.kids[forest.parent[root]] = [key for key in siblings if key != root]
        forest.parent[root] = None
        if root not in forest.outside:
            hang(forest.kids, None, root)
    forest.kids[None] = sorted(forest.children(None), key=forest.place.__getitem__)
    forest.time.clear()
    forest.order.clear()
    _date_below_roots(forest)


def _first_of_loop(forest: Forest, loop: list[str]) -> str:
    return min(loop, key=forest.place.__getitem__)


def _loops(forest: Forest) -> Iterable[list[str]]:
    """Every loop of parents once: the undated rows lead up into them."""
    passed: set[str] = set()
    for start in forest.rows:
        trail: list[str] = []
        key: str | None = start
        while key is not None and key not in forest.time and key not in passed:
            passed.add(key)
            trail.append(key)
            key = forest.parent[key]
        if key is not None and key in trail:
            yield trail[trail.index(key) :]
