"""Repairing the tree of a foreign file: parents that do not exist, circles, ids used twice, nodes without content.

All functions work on a mapping of id to parent id in the order of the file, walk without recursion, and say in
``found`` what they changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from triptych.formats.problems import problem
from triptych.model.diagnostics import Diagnostic

__all__ = ["Dangling", "check_children", "claim_id", "nearest_kept", "order_siblings", "repair_parents"]

Dangling = Literal["root", "previous"]
"""What becomes of a message whose parent does not exist: a root, or a child of the record before it."""


def claim_id(taken: dict[str, Any], wanted: str, record: Any, found: list[Diagnostic]) -> str | None:
    """An id that is free for this record, noted in ``taken``; None when the very same record had it already.

    A different record under a taken id becomes ``id~2``, then ``id~3``.
    """
    name, number = wanted, 1
    while name in taken:
        if taken[name] == record:
            found.append(problem("W_DUPLICATE_RECORD", wanted))
            return None
        number += 1
        name = f"{wanted}~{number}"
    if number > 1:
        found.append(problem("W_DUPLICATE_ID", wanted, renamed=name))
    taken[name] = record
    return name


def repair_parents(
    parents: Mapping[str, str | None], found: list[Diagnostic], dangling: Dangling = "root"
) -> dict[str, str | None]:
    """Parents that exist, without circles. What was good stays as it was."""
    repaired: dict[str, str | None] = {}
    previous: str | None = None
    for name, parent in parents.items():
        if parent is not None and parent not in parents:
            found.append(problem("W_PARENT_MISSING", name, parent=parent))
            repaired[name] = previous if dangling == "previous" else None
        elif parent == name:
            found.append(problem("W_SELF_PARENT", name))
            repaired[name] = None
        else:
            repaired[name] = parent
        previous = name
    _cut_circles(repaired, found)
    return repaired


def _cut_circles(parents: dict[str, str | None], found: list[Diagnostic]) -> None:
    """Make the first record (in the order of the file) of every circle a root."""
    settled: set[str | None] = {None}
    for start, parent in parents.items():
        if parent in settled:
            settled.add(start)
            continue
        walk: dict[str, None] = {}
        place: str | None = start
        while place not in settled and place not in walk:
            walk[place] = None  # pyright: ignore[reportArgumentType] # None is settled from the start
            place = parents[place]  # pyright: ignore[reportArgumentType]
        if place not in settled:
            first = _first_of_circle(parents, place)  # pyright: ignore[reportArgumentType]
            found.append(problem("W_CYCLE", first, parent=parents[first]))
            parents[first] = None
        settled.update(walk)


def _first_of_circle(parents: Mapping[str, str | None], member: str) -> str:
    circle = {member}
    place = parents[member]
    while place is not None and place != member:
        circle.add(place)
        place = parents[place]
    return next(name for name in parents if name in circle)


def nearest_kept(parents: Mapping[str, str | None], kept: Collection[str]) -> dict[str, str | None]:
    """For each node the nearest ancestor that is kept: what its parent is once the others are taken out.

    ``parents`` must be free of circles.
    """
    nearest: dict[str, str | None] = {}
    for name, parent in parents.items():
        passed: list[str] = []
        place, at = parent, name
        while place is not None and place not in kept and at not in nearest:
            passed.append(at)
            place, at = parents[place], place
        answer = nearest.get(at, place)
        for one in passed:
            nearest[one] = answer
        nearest[name] = answer
    return nearest


def check_children(
    parents: Mapping[str, str | None], children: Mapping[str, list[Any]], found: list[Diagnostic]
) -> dict[str, str]:
    """Compare both directions of the links; returns who names whom as a child (child id to namer).

    A named child that does not exist, and a child that its existing parent does not name, are reported.
    """
    named: dict[str, str] = {}
    for name, listed in children.items():
        for child in listed:
            if not isinstance(child, str) or child not in parents:
                found.append(problem("W_CHILD_MISSING", name, child=child))
            elif child not in named or parents[child] == name:
                named[child] = name
    for name, parent in parents.items():
        if parent is not None and named.get(name) != parent and parent in parents:
            found.append(problem("W_CHILD_UNLISTED", name, parent=parent))
    return named


def order_siblings(names: Sequence[str], children: Mapping[str, list[Any]]) -> list[str]:
    """The names with siblings in the order in which their parent lists them; everything else keeps its place."""
    places = {name: place for place, name in enumerate(names)}
    ordered = list(names)
    for listed in children.values():
        texts = [child for child in listed if isinstance(child, str)] if len(listed) > 1 else []
        siblings = [child for child in dict.fromkeys(texts) if child in places]
        slots = sorted(places[child] for child in siblings)
        for slot, child in zip(slots, siblings, strict=True):
            ordered[slot] = child
    return ordered if len(set(ordered)) == len(ordered) else list(names)
