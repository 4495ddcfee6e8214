"""Rules for what comes after a tool chain: replies, interruptions, and whatever hangs beside its steps.

Not here: the chain itself (``groups``, ``chains``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from triptych.flow.branches import branch_space, choose, chosen_index
from triptych.flow.chains import results
from triptych.flow.entries import Entry
from triptych.flow.reading import is_aside, is_member
from triptych.flow.rivals import rivals
from triptych.flow.state import AMONG, ONE, Visit

__all__ = ["drain", "interruptions", "leave_tail", "member_replies"]

_Following = tuple[float, int, str, Any]
_BESIDE: Final = ("tool", "task")


def leave_tail(visit: Visit, entry: Entry) -> None:
    """An explicit choice below the last step leaves out all that it does not name."""
    forest = visit.forest
    last = entry.steps[-1]
    if last.id not in forest.kids:
        return
    space = branch_space(forest, last.id)
    index = chosen_index(forest, last.id, len(space))
    if index is None:
        return
    chosen = space[index] if index < len(space) else None
    reason = "being_created" if chosen is None else "inactive_branch"
    for parent in (last.id, *results(last)):
        visit.leave((key for key in forest.children(parent) if key != chosen), reason, last.id)


def drain(visit: Visit, entry: Entry, beside: Sequence[str]) -> None:
    """Show what follows a group, oldest first."""
    kids = visit.forest.kids
    found: list[_Following] = []
    for parent in _tails(entry):
        if parent in kids:
            found += _following(visit, parent, visit.unseen(kids[parent]))
    if beside:
        after = {step.id: follower.id for step, follower in pairwise(entry.steps)}
        for step in beside:
            found += _following(
                visit, step, _beside_chain(visit, step, after[step], visit.unseen(kids[step]))
            )
    found.sort(key=lambda item: item[0])
    visit.stack.extend((rule, key, more) for _, rule, key, more in reversed(found))


def _tails(entry: Entry) -> list[str]:
    """The messages of a chain below which the conversation goes on."""
    parents = [entry.steps[-1].id]
    parents += [row for step in entry.steps for row in results(step)]
    parents += [key for _, callbacks in entry.callbacks for key in callbacks]
    parents += entry.completions
    return parents


def _beside_chain(visit: Visit, step: str, after: str, below: Sequence[str]) -> list[str]:
    """Children of a middle step that are neither branches of the chain nor left to another rule."""
    rows = visit.forest.rows
    forks = visit.forest.parent[after] == step
    found: list[str] = []
    for key in below:
        row = rows[key]
        role = row.get("role")
        beside = not forks and role != "user" and not is_aside(row) and not is_member(row)
        if beside or role in _BESIDE:
            found.append(key)
    return found


def _following(visit: Visit, parent: str, kids: Sequence[str]) -> list[_Following]:
    """How to show some children of a message of the chain, each with the time at which its turn comes."""
    if not kids:
        return []
    role, time = visit.forest.role, visit.forest.time
    if len(kids) > 1 and sum(role(key) == "task" for key in kids) > 1:
        return [(min(map(time.__getitem__, kids)), AMONG, parent, kids)]
    competing = rivals(visit.forest, parent, kids)
    space = branch_space(visit.forest, parent)
    if not competing or len(space) == 1:
        return [(time[key], ONE, key, None) for key in kids]
    chosen, fork = visit.pick(parent, competing)
    shown = [key for key in kids if key == chosen or key not in competing]
    return [(time[key], ONE, key, fork if key == chosen else None) for key in shown]


def member_replies(visit: Visit, _: Entry, beside: Sequence[str]) -> None:
    """Show what members of the agent group said while the chain was running."""
    rows, kids = visit.forest.rows, visit.forest.kids
    replies = [key for step in beside for key in visit.unseen(kids[step]) if is_member(rows[key])]
    visit.push_all(ONE, replies)


def interruptions(visit: Visit, entry: Entry, beside: Sequence[str]) -> None:
    """Show what a person said while the chain was running; what was said later is another branch."""
    kids, time, role = visit.forest.kids, visit.forest.time, visit.forest.role
    end = time[entry.steps[-1].id]
    shown: list[str] = []
    for step in beside:
        below = visit.unseen(kids[step])
        users = [key for key in below if role(key) == "user" and time[step] <= time[key] <= end]
        shown += _interrupting(visit, step, users)
    visit.push_all(ONE, shown)


def _interrupting(visit: Visit, step: str, users: Sequence[str]) -> list[str]:
    """Beside the next step a user message is a branch of its own; an interruption has no such sibling."""
    space = branch_space(visit.forest, step)
    if not users or any(key in visit.seen and key not in visit.left_out for key in space):
        return []
    chosen = choose(visit.forest, step, users, space)
    return [chosen] if chosen is not None and chosen in users else []
