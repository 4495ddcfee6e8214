"""Stage two, the flat list: one drawn row an entry of the walk.

Not here: which messages an entry holds (``visit``). Plain rows are the input's own objects; never change them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from triptych.flow.chains import Step
from triptych.flow.entries import Entry
from triptych.flow.index import Forest
from triptych.flow.nodes import (
    answered_calls,
    callback_block,
    completion_block,
    merge_metadata,
    signal_source,
    step_block,
)
from triptych.flow.reading import is_supervisor, metadata, truthy
from triptych.flow.times import created_at, earliest, latest, parse_time
from triptych.flow.usage import Totals, aggregate, other_metadata
from triptych.model.rows import Row

__all__ = ["draw", "draw_all", "draw_block", "group_metadata", "promoted"]

_FOLDED: Final = frozenset({"imageList", "metadata", "reasoning", "tools", "parts"})


def draw_all(forest: Forest, entries: Iterable[Entry]) -> list[Row]:
    """Every entry as a row, in order."""
    rows = forest.rows
    drawn: list[Row] = []
    for entry in entries:
        if entry.kind == "message" and entry.fork is None:
            row = rows[entry.id]
            drawn.append(row if "metadata" not in row else promoted(row))
        else:
            drawn.append(draw(forest, entry))
    return drawn


def draw(forest: Forest, entry: Entry) -> Row:
    """One entry as a row of the flat list."""
    row = _drawn(forest, entry)
    if entry.kind != "recovered":
        row = promoted(row)
    if entry.fork is not None:
        return {**row, "branch": {"activeBranchIndex": entry.fork.index, "count": entry.fork.count}}
    return row


def _drawn(forest: Forest, entry: Entry) -> Row:
    match entry.kind:
        case "group":
            return _group(forest, entry)
        case "supervisor":
            return _supervisor(forest.rows[entry.id], entry.id)
        case "tasks":
            return _tasks(forest, entry)
        case "compare":
            return _compare(forest, entry)
        case "compare_group":
            return _compare_group(forest, entry)
        case _:
            return forest.rows[entry.id]


def promoted(row: Row) -> Row:
    """Supervisors speak under their own role; tokens kept in the metadata are shown on the row."""
    about = metadata(row)
    if not about:
        return row
    changes: dict[str, Any] = {}
    if row.get("role") == "assistant" and truthy(about.get("isSupervisor")):
        changes["role"] = "supervisor"
    if not truthy(row.get("usage")) and truthy(about.get("usage")):
        changes["usage"] = about["usage"]
    return {**row, **changes} if changes else row


def _member(forest: Forest, entry: Entry) -> Row:
    return _group(forest, entry) if entry.kind == "group" else forest.rows[entry.id]


def _group(forest: Forest, entry: Entry) -> dict[str, Any]:
    head = forest.rows[entry.id]
    blocks = [draw_block(forest, step) for step in entry.steps]
    merged = merge_metadata(blocks)
    row = _header(head)
    _total(row, aggregate(blocks))
    row["children"] = blocks
    _name_model(forest, entry, row)
    row["role"] = "supervisor" if is_supervisor(head) else "assistantGroup"
    about = group_metadata(head, merged)
    if about:
        row["metadata"] = about
    _append_signals(forest, entry, row)
    if entry.members:
        council = [_member(forest, member) for member in entry.members]
        row["children"] = [*blocks, {"id": f"council-{entry.id}", "content": "", "council": council}]
    return row


def group_metadata(head: Row, merged: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a group row: what its blocks said, and who speaks."""
    return (
        {**merged, "isSupervisor": True, "orchestrationRole": "supervisor"} if is_supervisor(head) else merged
    )


def draw_block(forest: Forest, step: Step) -> dict[str, Any]:
    """The block of one step, with its own metadata."""
    block = step_block(forest.rows[step.id], step.id, answered_calls(forest, step.id, step.paired))
    if step.fork is not None:
        block["branch"] = {"activeBranchIndex": step.fork.index, "count": step.fork.count}
    return block


def _header(head: Row) -> dict[str, Any]:
    row = {key: value for key, value in head.items() if key not in _FOLDED}
    row["content"] = ""
    return row


def _total(row: dict[str, Any], totals: Totals) -> None:
    if totals.usage:
        row["usage"] = totals.usage
    if totals.performance:
        row["performance"] = totals.performance


def _name_model(forest: Forest, entry: Entry, row: dict[str, Any]) -> None:
    for key in ("model", "provider"):
        if not row.get(key):
            said = (forest.rows[step.id].get(key) for step in reversed(entry.steps))
            named = next((value for value in said if value), None)
            if named:
                row[key] = named


def _append_signals(forest: Forest, entry: Entry, row: dict[str, Any]) -> None:
    rows = forest.rows
    if entry.callbacks:
        row["signalCallbacks"] = [
            {
                **signal_source(rows[keys[0]], result),
                "callbacks": [callback_block(rows[key], key) for key in keys],
            }
            for result, keys in entry.callbacks
        ]
    if entry.completions:
        row["taskCompletions"] = [completion_block(rows[key], key) for key in entry.completions]


def _supervisor(row: Row, message_id: str) -> dict[str, Any]:
    block = step_block(row, message_id)
    drawn = {key: value for key, value in row.items() if key not in _FOLDED}
    drawn.update(role="supervisor", content="", children=[block])
    for key in ("usage", "performance"):
        if key in block:
            drawn[key] = block[key]
    drawn["metadata"] = {
        "isSupervisor": True,
        "orchestrationRole": "supervisor",
        **other_metadata(metadata(row)),
    }
    return drawn


def _tasks(forest: Forest, entry: Entry) -> dict[str, Any]:
    rows = [forest.rows[key] for key in entry.tasks]
    agents = {repr(row["agentId"]) for row in rows if row.get("agentId")}
    role = "groupTasks" if len(agents) > 1 else "tasks"
    return {
        "role": role,
        "id": "-".join([role, entry.id, *entry.tasks]),
        "content": "",
        "tasks": rows,
        **_span(rows),
        "extra": {"parentMessageId": entry.id},
    }


def _compare(forest: Forest, entry: Entry) -> dict[str, Any]:
    keys = [member.id for member in entry.members]
    row = _columns(forest, entry, "-".join(["compare", entry.id, *keys]))
    row["extra"] = {"parentMessageId": entry.id}
    return row


def _compare_group(forest: Forest, entry: Entry) -> dict[str, Any]:
    row = _columns(forest, entry, entry.id)
    extra: dict[str, Any] = {"groupMode": "compare"}
    group = forest.groups[entry.id]
    if "parentMessageId" in group:
        extra["parentMessageId"] = group["parentMessageId"]
    row["extra"] = extra
    return row


def _columns(forest: Forest, entry: Entry, row_id: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "role": "compare",
        "id": row_id,
        "content": "",
        "columns": [[_member(forest, member)] for member in entry.members],
        **_span([forest.rows[member.id] for member in entry.members]),
    }
    if entry.active is not None:
        row["activeColumnId"] = entry.active
    return row


def _span(rows: list[Row]) -> dict[str, Any]:
    """The times of a row that no message has: from the first created to the last changed."""
    return {
        "createdAt": earliest(map(created_at, rows)),
        "updatedAt": latest(parse_time(row.get("updatedAt", float("nan"))) for row in rows),
    }
