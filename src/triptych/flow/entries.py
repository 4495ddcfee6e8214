"""What the walk finds: entries (rows before they are drawn), the path through them, and other places.

Not here: finding them (``walk``) and drawing them (``to_list``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from triptych.flow.chains import Step, results
from triptych.flow.fork import Fork

__all__ = ["Entry", "PathStep", "Place", "messages_of", "path_of"]

_SINGLE: Final = frozenset({"message", "supervisor", "recovered"})


class Place(NamedTuple):
    """Where a message is that no row shows.

    Attributes:
        reason: ``inactive_branch``, ``being_created``, ``thread``, ``compressed``, ``internal``, ``unreachable``.
        owner: the message (for a thread: the thread) under which a person finds it; None for a lost root.
    """

    reason: str
    owner: str | None


class PathStep(NamedTuple):
    """One message that takes part in the conversation, with its tool results in call order."""

    id: str
    results: tuple[str, ...] = ()
    fork: Fork | None = None


class Entry(msgspec.Struct, eq=False):
    """One row of the flat list before it is drawn.

    Attributes:
        kind: ``message``, ``supervisor``, ``group``, ``compare`` (by flag), ``compare_group``, ``tasks``, or
            ``recovered``: a message that no rule reaches though it belongs to the path.
        id: the message that gives the row its id (of tasks: their parent; of a compare group: the group).
        time: effective time, by which rows are ordered.
        fork: set when the row is one of several alternatives.
        steps: of a group: its steps.
        callbacks: of a group: the callbacks of each result row that has some.
        completions: of a group: reports of ended background tasks.
        members: of a group: its council; of a compare: its columns.
        tasks: of a tasks row: the task messages.
        active: of a compare: the column that goes on.
    """

    kind: str
    id: str
    time: float
    fork: Fork | None = None
    steps: Sequence[Step] = ()
    callbacks: Sequence[tuple[str, list[str]]] = ()
    completions: Sequence[str] = ()
    members: Sequence[Entry] = ()
    tasks: Sequence[str] = ()
    active: str | None = None


def messages_of(entry: Entry) -> Iterator[str]:
    """Every message that a row shows, once."""
    for step in path_of(entry):
        yield step.id
        yield from step.results


def path_of(entry: Entry) -> Iterator[PathStep]:
    """The messages of one entry in the order in which they speak."""
    waiting: list[Entry] = [entry]
    while waiting:
        current = waiting.pop()
        if current.kind in _SINGLE:
            yield PathStep(current.id, (), current.fork)
            continue
        for place, step in enumerate(current.steps):
            yield PathStep(step.id, tuple(results(step)), current.fork if place == 0 else step.fork)
        for _, callbacks in current.callbacks:
            yield from map(PathStep, callbacks)
        yield from map(PathStep, current.completions)
        yield from map(PathStep, current.tasks)
        waiting.extend(reversed(current.members))
