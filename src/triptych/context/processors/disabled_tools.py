"""Calls of tools that are switched off now leave the history; their results go with them.

Not here: offering tools (``tooling.enablement``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.rowwork import each_row, mapping, without
from triptych.model.rows import Row

__all__ = ["drop_disabled_calls"]

_JOINT = "____"


def drop_disabled_calls(identifiers: Collection[str]) -> Step:
    """Leave out the calls of these tools. What order_results then finds without a call goes too."""
    off = frozenset(identifiers)

    def run(draft: Draft) -> Draft:
        if not off:
            return draft
        gone = [0, 0]
        after = each_row(draft, lambda row: _without_calls(row, off, gone), ("assistant",))
        return (
            note(after, "drop_disabled_calls", rows=gone[0], calls=gone[1]) if after is not draft else draft
        )

    return Step(
        Contract(
            name="drop_disabled_calls",
            reads=frozenset({"tool_calls"}),
            writes=frozenset({"tool_calls.enabled"}),
            moves_prefix=True,
            scope="message",
            roles=frozenset({"assistant"}),
            about="leaves out calls of tools that are switched off",
        ),
        run,
    )


def _without_calls(row: Row, off: frozenset[str], gone: list[int]) -> Row:
    tools, calls = row.get("tools"), row.get("tool_calls")
    ours = [tool for tool in tools if _disabled(tool, off)] if isinstance(tools, list) else []
    ids = {mapping(tool).get("id") for tool in ours}
    theirs = [call for call in calls if _disabled_call(call, ids, off)] if isinstance(calls, list) else []
    if not ours and not theirs:
        return row
    gone[0] += 1
    gone[1] += len(theirs)
    row = _kept(row, "tools", lambda tool: not _disabled(tool, off))
    return _kept(row, "tool_calls", lambda call: not _disabled_call(call, ids, off))


def _kept(row: Row, field: str, keep: Callable[[Any], bool]) -> Row:
    if not isinstance(row.get(field), list):
        return row
    rest = [call for call in row[field] if keep(call)]
    return {**row, field: rest} if rest else without(row, field)


def _disabled(tool: Any, off: frozenset[str]) -> bool:
    identifier = mapping(tool).get("identifier")
    return isinstance(identifier, str) and identifier in off


def _disabled_call(call: Any, ids: set[Any], off: frozenset[str]) -> bool:
    known = mapping(call)
    name = mapping(known.get("function")).get("name")
    of_tool = isinstance(name, str) and any(name == one or name.startswith(one + _JOINT) for one in off)
    return of_tool or (isinstance(known.get("id"), str) and known["id"] in ids)
