"""Stage one: which messages are shown, in which order, and where every other message is.

The walk names what it meets (a plain message, an agent's chain of steps, a council, tasks, columns) and never
looks at contents; ``to_list`` draws the entries, the prompt view reads ``Walk.path``. Both therefore agree.

Not here: the rules (``messages``, ``groups``, ``following``, ``sides``), rows (``to_list``), the tree (``to_tree``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, Final

import msgspec

from triptych.flow.branches import branch_space
from triptych.flow.entries import Entry, PathStep, Place, path_of
from triptych.flow.following import drain, interruptions, member_replies
from triptych.flow.fork import Fork, fork_at
from triptych.flow.index import ANY_THREAD, Forest, plant
from triptych.flow.messages import show_among, show_one
from triptych.flow.reading import is_member, signal
from triptych.flow.rivals import is_rival
from triptych.flow.sides import after_task, beside_task
from triptych.flow.state import ONE, Visit
from triptych.model.diagnostics import Diagnostic

__all__ = ["Walk", "walk", "walk_forest"]

_RULES: Final[tuple[Callable[[Visit, Any, Any], None], ...]] = (
    show_one,
    show_among,
    drain,
    member_replies,
    interruptions,
    beside_task,
    after_task,
)
"""In the order of the names in ``state``."""

_SETTLED: Final = ("compressed", "internal")
_by_time: Final = attrgetter("time")


class Walk(msgspec.Struct, frozen=True, kw_only=True):
    """The active conversation and where the rest of it is.

    Attributes:
        entries: the rows of the flat list, undrawn, in order.
        elsewhere: every message that no entry shows. Together they hold each message exactly once.
        diagnostics: what was wrong with the data.
    """

    entries: list[Entry]
    elsewhere: dict[str, Place]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def path(self) -> list[PathStep]:
        """The messages that are shown, in order, each with its tool results in call order."""
        return [step for entry in self.entries for step in path_of(entry)]

    @property
    def forks(self) -> dict[str, Fork]:
        """For each shown message that is one of several alternatives: which, of how many, and their ids."""
        return {step.id: step.fork for step in self.path if step.fork is not None}


def walk(
    rows: Iterable[Any],
    groups: Iterable[Any] = (),
    *,
    thread: str | None = ANY_THREAD,
    forks: Mapping[str, Fork] | None = None,
) -> Walk:
    """Walk any rows whatever: nothing raises, nothing is lost. The arguments are those of ``parse``."""
    return walk_forest(plant(rows, groups, thread=thread, forks=forks))


def walk_forest(forest: Forest) -> Walk:
    """``walk`` over rows that are indexed already."""
    visit = Visit(forest)
    visit.left_out.update((key, ("compressed", group)) for key, group in forest.compressed.items())
    visit.left_out.update((key, ("inactive_branch", parent)) for key, parent in forest.replaced.items())
    visit.seen.update(visit.left_out)
    roots = forest.children(None) or _stranded(forest)
    if forest.windows:
        visit.stack.extend((ONE, key, forest.windows.get(forest.link(key) or "")) for key in reversed(roots))
    else:
        visit.push_all(ONE, roots)
    stack = visit.stack
    while stack:
        rule, first, second = stack.pop()
        _RULES[rule](visit, first, second)
    shown = _recover(visit)
    visit.entries.sort(key=_by_time)
    _mark_steps(visit, shown)
    _note_orphans(visit)
    return Walk(entries=visit.entries, elsewhere=_elsewhere(visit, shown), diagnostics=tuple(forest.notes))


def _stranded(forest: Forest) -> list[str]:
    """Where every root is in a side thread: what hangs directly below the rows of threads."""
    outside, parent = forest.outside, forest.parent
    return [key for key in forest.rows if key not in outside and parent[key] in outside]


def _recover(visit: Visit) -> set[str]:
    """Bring back what belongs to the path though no rule reaches it; returns all that is shown."""
    forest = visit.forest
    shown = visit.seen if not visit.left_out else visit.seen.difference(visit.left_out)
    if len(shown) == len(forest.rows):
        return shown
    lost = [key for key in forest.order if key not in shown and key not in forest.outside]
    for key in lost:
        row, above = forest.rows[key], forest.parent[key]
        belongs = row.get("role") == "taskCallback" or is_member(row)
        if belongs and above in shown and visit.left_out.get(key, ("", None))[0] not in _SETTLED:
            visit.entries.append(Entry("recovered", key, forest.time[key]))
            reason = visit.left_out.pop(key, None)
            if reason is not None:
                visit.closed[key] = reason[1] or key
            shown.add(key)
    return shown


def _mark_steps(visit: Visit, shown: set[str]) -> None:
    """Mark each step inside a chain that has a sibling which is not shown, so that a person can switch to it."""
    if len(shown) == len(visit.forest.rows) and not visit.forest.windows:
        return
    for entry in visit.entries:
        if entry.steps:
            for chain in (entry, *entry.members):
                _mark_chain(visit.forest, chain, shown)


def _mark_chain(forest: Forest, entry: Entry, shown: set[str]) -> None:
    forked = {
        place: fork
        for place, step in enumerate(entry.steps)
        if place and (fork := _fork(forest, step.id, shown)) is not None
    }
    if forked:
        entry.steps = [step._replace(fork=forked.get(place)) for place, step in enumerate(entry.steps)]


def _fork(forest: Forest, step: str, shown: set[str]) -> Fork | None:
    above = forest.link(step)
    if above is None or (len(forest.kids.get(above, ())) <= 1 and above not in forest.windows):
        return None
    space = branch_space(forest, above)
    if step not in space or not any(key not in shown and _may_be_shown(forest, key) for key in space):
        return None
    return fork_at(step, space)


def _may_be_shown(forest: Forest, key: str) -> bool:
    row = forest.rows.get(key)
    return row is None or is_rival(row)


def _note_orphans(visit: Visit) -> None:
    """Name the tool rows that answer no call of the path, also where a fork leaves them no row."""
    rows = visit.forest.rows
    alone = [
        entry.id
        for entry in visit.entries
        if entry.kind == "message" and rows[entry.id].get("role") == "tool"
    ]
    alone += [key for key, (reason, _) in visit.left_out.items() if reason == "unreachable"]
    for key in alone:
        visit.forest.note("orphan_tool", "The tool result answers no call that is shown.", key)


def _elsewhere(visit: Visit, shown: set[str]) -> dict[str, Place]:
    forest = visit.forest
    if len(shown) == len(forest.rows):
        return {}
    found: dict[str, Place] = {}
    for key in forest.order:
        if key not in shown:
            found[key] = _place(visit, key, found)
    return found


def _place(visit: Visit, key: str, found: dict[str, Place]) -> Place:
    forest = visit.forest
    above = forest.parent[key]
    if key in forest.outside:
        return Place("thread", forest.outside[key])
    if key in visit.left_out:
        return Place(*visit.left_out[key])
    if above in found:
        return found[above]
    if above in visit.closed and signal(forest.rows[key]) is None:
        return Place("inactive_branch", visit.closed[above])
    return Place("unreachable", above)
