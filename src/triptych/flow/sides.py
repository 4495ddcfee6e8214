"""Rules for messages that stand side by side: tasks, and columns to compare.

Not here: councils, whose members are blocks of a group (``groups``).
"""

from __future__ import annotations

from collections.abc import Sequence

from triptych.flow.entries import Entry, messages_of
from triptych.flow.fork import Fork
from triptych.flow.groups import column, go_on_below, show_group
from triptych.flow.reading import calls, is_internal, is_supervisor, metadata
from triptych.flow.state import AFTER_TASK, AMONG, BESIDE_TASK, ONE, Visit

__all__ = ["after_task", "beside_task", "show_columns", "show_compare_group", "show_tasks"]


def show_tasks(visit: Visit, parent: str, kids: Sequence[str]) -> None:
    """Show several tasks as one row, then their siblings, then what follows each of them."""
    forest = visit.forest
    tasks = visit.unseen(key for key in kids if forest.role(key) == "task")
    if tasks:
        tasks.sort(key=forest.time.__getitem__)
        entry = Entry("tasks", parent, forest.time[tasks[0]])
        entry.tasks = tasks
        visit.entries.append(entry)
        visit.seen.update(tasks)
    for task in reversed(tasks):
        _follow_task(visit, task)
    visit.push_all(BESIDE_TASK, [key for key in kids if forest.role(key) != "task"])


def _follow_task(visit: Visit, task: str) -> None:
    """What follows a task; its own tasks first, and only one of several branches."""
    forest = visit.forest
    below = forest.kids.get(task) or []
    plain = [key for key in below if forest.role(key) != "task"]
    rivals = [key for key in plain if forest.role(key) != "tool"]
    if len(rivals) > 1 or len(plain) < len(below) or task in forest.windows:
        visit.stack.append((AMONG, task, below))
    else:
        visit.push_all(AFTER_TASK, plain)


def beside_task(visit: Visit, key: str, fork: Fork | None) -> None:
    """Show a sibling of aggregated tasks as it stands."""
    if key in visit.seen:
        return
    row = visit.forest.rows[key]
    if is_internal(row):
        visit.stack.append((ONE, key, fork))
    elif row.get("role") == "assistant" and calls(row):
        show_group(visit, key, fork)
    else:
        visit.add("message", key, fork)
        _below(visit, key)


def after_task(visit: Visit, key: str, fork: Fork | None) -> None:
    """Show a child of an aggregated task."""
    row = visit.forest.rows[key]
    if key not in visit.seen and row.get("role") == "assistant" and not calls(row) and is_supervisor(row):
        visit.add("supervisor", key, fork)
        _below(visit, key)
    else:
        beside_task(visit, key, fork)


def show_columns(visit: Visit, parent: str, kids: Sequence[str]) -> None:
    """Show the children of a flagged message side by side; the conversation goes on below the active one."""
    rows = visit.forest.rows
    kids = visit.unseen(kids)
    if not kids:
        return
    flagged = [key for key in kids if metadata(rows[key]).get("activeColumn") is True]
    entry = Entry("compare", parent, min(map(visit.forest.time.__getitem__, kids)))
    entry.active = flagged[-1] if flagged else None
    visit.entries.append(entry)
    entry.members = [column(visit, key) for key in kids if key not in visit.seen]
    _go_on(visit, entry)


def show_compare_group(visit: Visit, group_id: str, fork: Fork | None) -> None:
    """Show all messages of a compare group side by side; the first one flagged goes on."""
    time = visit.forest.time
    members = visit.unseen(_members(visit).get(group_id, ()))
    flagged = [key for key in members if metadata(visit.forest.rows[key]).get("activeColumn") is True]
    entry = Entry("compare_group", group_id, min(map(time.__getitem__, members)), fork)
    entry.active = flagged[0] if flagged else None
    entry.members = [Entry("message", key, time[key]) for key in members]
    visit.seen.update(members)
    visit.entries.append(entry)
    _go_on(visit, entry)


def _go_on(visit: Visit, entry: Entry) -> None:
    for member in entry.members:
        if member.id == entry.active:
            go_on_below(visit, member)
        else:
            visit.closed.update(dict.fromkeys(messages_of(member), entry.id))


def _members(visit: Visit) -> dict[str, list[str]]:
    if visit.compare_members is None:
        visit.compare_members = {}
        for key, row in visit.forest.rows.items():
            group_id = row.get("groupId")
            if isinstance(group_id, str) and key not in visit.forest.outside:
                visit.compare_members.setdefault(group_id, []).append(key)
    return visit.compare_members


def _below(visit: Visit, key: str) -> None:
    if key in visit.forest.kids:
        visit.stack.append((AMONG, key, visit.forest.kids[key]))
