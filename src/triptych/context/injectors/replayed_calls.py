"""A tool call that was made before its message was sent (a file that was read when it was dropped in), told as one.

It stands right behind the user message that brought it, as a call and its result, and stays there for good.

Not here: making the call (``chat.tools``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft
from triptych.context.rowwork import each_row, listed, mapping
from triptych.model.rows import Row

__all__ = ["replayed_calls"]

_FIELD = "localSystemToolSnapshots"
_CALL = ("identifier", "apiName")


def replayed_calls() -> Step:
    """Put the calls of ``metadata.localSystemToolSnapshots`` behind the user message that has them."""

    def run(draft: Draft) -> Draft:
        return each_row(draft, _with_calls, ("user",))

    return Step(
        Contract(
            name="replayed_calls",
            reads=frozenset({"history"}),
            writes=frozenset({"user.each"}),
            scope="message",
            idempotent=False,
            roles=frozenset({"user"}),
            about="tells tool calls that were made before a message was sent",
        ),
        run,
    )


def _with_calls(row: Row) -> Row | tuple[Row, ...]:
    if not row.get("metadata"):
        return row
    snapshots = [mapping(one) for one in listed(mapping(row["metadata"]).get(_FIELD)) if mapping(one)]
    return (row, *(made for one in snapshots for made in _pair(row, one))) if snapshots else row


def _pair(row: Row, snapshot: Mapping[str, Any]) -> tuple[Row, Row]:
    times = {name: row[name] for name in ("createdAt", "updatedAt") if name in row}
    name = f"{row.get('id')}-{snapshot.get('snapshotId')}"
    call = {
        **{field: snapshot[field] for field in _CALL if field in snapshot},
        "arguments": _written(snapshot.get("arguments")),
        "id": snapshot.get("toolCallId") or f"call_{snapshot.get('snapshotId')}",
        "type": "builtin",
    }
    asked = {"id": f"{name}-assistant", "role": "assistant", "content": "", "tools": [call], **times}
    got = {
        "id": f"{name}-tool",
        "role": "tool",
        "tool_call_id": call["id"],
        "content": snapshot.get("content") or "",
        "plugin": call,
        **times,
    }
    return asked, got


def _written(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(mapping(arguments), ensure_ascii=False, separators=(",", ":"))
