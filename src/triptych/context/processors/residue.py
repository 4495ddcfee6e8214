"""Assistant rows that never said anything: what a failed or stopped answer leaves behind.

A row is residue when it has no tool calls, no reasoning, no media, and its text is empty or the three dots that
programs write while they wait. A container whose parts are all residue goes with them.

Not here: rows of other roles, however empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.rowwork import BLANKS, each_row, listed, mapping, present, trim
from triptych.model.rows import Row

__all__ = ["CONTAINERS", "drop_residue", "is_residue"]

CONTAINERS: Mapping[str, str] = {
    "assistantGroup": "children",
    "supervisor": "children",
    "tasks": "tasks",
    "groupTasks": "tasks",
    "agentCouncil": "members",
}
"""Roles whose rows hold other rows, and the field that holds them."""

_CONTAINER_ROLES = tuple(CONTAINERS)
_MEDIA = ("imageList", "videoList", "audioList", "fileList")
_JUDGED = ("assistant", "task")
_WAITING = "..."
_MAY_BE_NOTHING = BLANKS + "."


def drop_residue(*, flat: bool = False) -> Step:
    """Leave out assistant rows that never said anything.

    With ``flat`` it is the second pass, behind the steps that flatten containers.
    """
    return Step(
        Contract(
            name="drop_residue",
            reads=frozenset({"flat"} if flat else ()),
            writes=frozenset({"flat.residue" if flat else "residue"}),
            may_drop=True,
            scope="message",
            roles=frozenset({"assistant", *CONTAINERS}),
            about="leaves out assistant rows that never said anything",
        ),
        _drop,
    )


def is_residue(row: Row) -> bool:
    """Whether an assistant row (taken as one, whatever its role) never said anything."""
    if isinstance(row.get("tools"), list) or isinstance(row.get("tool_calls"), list):
        return False
    if _has_reasoning(row.get("reasoning")) or any(_filled(row.get(name)) for name in _MEDIA):
        return False
    if any(_is_something(part) for part in listed(row.get("parts"))):
        return False
    content = row.get("content")
    return content is None or (isinstance(content, str) and trim(content) in ("", _WAITING))


def _drop(draft: Draft) -> Draft:
    if not any(map(_may_be_residue, draft.rows)):
        return draft
    gone = [0]

    def change(row: Row) -> Row | None:
        if row.get("role") != "assistant":
            return _pruned(row, gone)
        if not _may_be_residue(row) or not is_residue(row):
            return row
        gone[0] += 1
        return None

    after = each_row(draft, change, ("assistant", *CONTAINERS))
    return note(after, "drop_residue", removed=gone[0]) if gone[0] else draft


def _may_be_residue(row: Row) -> bool:
    """A quick look that lets almost every row pass: text that begins with a word is no residue."""
    role = row.get("role")
    if role == "assistant":
        content = row.get("content")
        return not isinstance(content, str) or content[:1] in _MAY_BE_NOTHING
    return role in _CONTAINER_ROLES


def _pruned(row: Row, gone: list[int]) -> Row | None:
    """The container without residue, or None when nothing is left; an empty one is left alone.

    Containers hold containers two deep at most in what programs write; the walk is a loop all the same.
    """
    field = CONTAINERS[str(row.get("role"))]
    parts = row.get(field)
    if not isinstance(parts, list) or not parts:
        return row
    kept = [part for part in (_part(part, gone) for part in parts) if part is not None]
    if not kept:
        gone[0] += 1
        return None
    same = len(kept) == len(parts) and all(one is other for one, other in zip(kept, parts, strict=True))
    return row if same else {**row, field: kept}


def _part(part: Any, gone: list[int], depth: int = 8) -> Any:
    role = mapping(part).get("role")
    if isinstance(role, str) and role in CONTAINERS and depth:
        return _pruned(part, gone)
    judged = isinstance(part, Mapping) and (not present(role) or role in _JUDGED)
    if judged and is_residue(part):
        gone[0] += 1
        return None
    return part


def _has_reasoning(reasoning: Any) -> bool:
    known = mapping(reasoning)
    items = known.get("responseItems")
    return (
        present(known.get("content"))
        or present(known.get("signature"))
        or (isinstance(items, list) and bool(items))
    )


def _is_something(part: Any) -> bool:
    """Whether a typed part says anything: all but empty text does."""
    known = mapping(part)
    return bool(known) and (known.get("type") != "text" or bool(trim(str(known.get("text") or ""))))


def _filled(value: Any) -> bool:
    return isinstance(value, list) and bool(value)
