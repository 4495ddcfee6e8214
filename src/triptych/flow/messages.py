"""Rules for one message and for the children of one message.

Not here: tool chains (``groups``), tasks and columns (``sides``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from triptych.flow.chains import leads_to_tools
from triptych.flow.entries import Entry
from triptych.flow.fork import Fork
from triptych.flow.groups import show_group
from triptych.flow.index import Forest
from triptych.flow.reading import calls, is_internal, is_supervisor, metadata
from triptych.flow.rivals import rivals, speaks
from triptych.flow.sides import show_columns, show_compare_group, show_tasks
from triptych.flow.state import ONE, Visit

__all__ = ["kind_of", "show_among", "show_one"]

_SUPERVISING: Final = ("isSupervisor", "orchestrationRole")


def show_one(visit: Visit, key: str, fork: Fork | None) -> None:
    """Show a message by the first rule that fits it, and go on below it; straight talk is one loop."""
    forest, seen = visit.forest, visit.seen
    rows, kids, time, groups, windows = forest.rows, forest.kids, forest.time, forest.groups, forest.windows
    while key not in seen:
        row = rows[key]
        if groups and visit.in_compare_group(row.get("groupId")):
            show_compare_group(visit, row["groupId"], fork)
            return
        kind = kind_of(forest, key)
        if kind == "group":
            show_group(visit, key, fork)
            return
        if kind == "internal":
            visit.leave([key], "internal", forest.parent[key])
        else:
            visit.entries.append(Entry(kind, key, time[key], fork))
            seen.add(key)
        below = kids.get(key)
        if not below:
            return
        if len(below) > 1:
            _show_below(visit, key, below, kind)
            return
        fork = visit.window(key, below[0]) if windows else None
        key = below[0]


def kind_of(forest: Forest, key: str) -> str:
    """How a message stands alone: ``message``, ``supervisor``, head of a ``group``, or ``internal``."""
    row = forest.rows[key]
    if "agentDispatch" in forest.has and is_internal(row):
        return "internal"
    if row.get("role") != "assistant":
        return "message"
    if "tools" in row and calls(row):
        return "group"
    if not forest.has.isdisjoint(_SUPERVISING) and is_supervisor(row):
        return "supervisor"
    return "group" if leads_to_tools(forest, key) else "message"


def _show_below(visit: Visit, key: str, below: Sequence[str], kind: str) -> None:
    if kind == "message" and metadata(visit.forest.rows[key]).get("compare") is True:
        show_columns(visit, key, below)
    else:
        show_among(visit, key, below)


def show_among(visit: Visit, parent: str, kids: Sequence[str]) -> None:
    """Show some children of a message: the only one, the active branch, or tasks and what is beside them."""
    if len(kids) == 1:
        visit.stack.append((ONE, kids[0], visit.window(parent, kids[0])))
    elif sum(visit.forest.role(key) == "task" for key in kids) > 1:
        show_tasks(visit, parent, kids)
    else:
        _show_fork(visit, parent, kids)


def _show_fork(visit: Visit, parent: str, kids: Sequence[str]) -> None:
    """Show the active one of several branches; children that are no branches are shown beside it."""
    forest = visit.forest
    speaker = speaks(forest.rows[parent])
    candidates = visit.unseen(kids)
    if speaker:
        candidates = [key for key in candidates if forest.role(key) != "tool"]
    else:
        candidates = rivals(forest, parent, candidates)
    if not candidates or (len(candidates) == 1 and parent not in forest.windows):
        visit.push_all(ONE, kids)
        return
    chosen, fork = visit.pick(parent, candidates)
    if speaker:
        visit.leave((key for key in kids if forest.role(key) == "tool"), "unreachable", parent)
    beside = set(kids).difference(candidates)
    for key in reversed(kids):
        if key == chosen or key in beside:
            visit.stack.append((ONE, key, fork if key == chosen else None))
