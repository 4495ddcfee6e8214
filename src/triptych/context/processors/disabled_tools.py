"""Calls of tools that are switched off now leave the history, and their results with them.

Not here: offering tools (``tooling.enablement``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.pairing import call_ids
from triptych.context.rowwork import each_row, mapping, without
from triptych.model.rows import Row

__all__ = ["drop_disabled_calls"]

_JOINT = "____"


def drop_disabled_calls(identifiers: Collection[str], *, with_results: bool = True) -> Step:
    """Leave out the calls of these tools, and their results.

    With ``with_results`` false the results stay, as in the original, whose order of results then drops them.
    """
    off = frozenset(identifiers)
    roles = ("user", "assistant", "tool") if with_results else ("assistant",)

    def run(draft: Draft) -> Draft:
        if not off:
            return draft
        leaving = _Leaving(off)
        after = each_row(draft, leaving.change, roles)
        if after is draft:
            return draft
        return note(after, "drop_disabled_calls", rows=leaving.rows, calls=leaving.calls)

    return Step(
        Contract(
            name="drop_disabled_calls",
            reads=frozenset({"tool_calls"}),
            writes=frozenset({"tool_calls.enabled"}),
            may_drop=with_results,
            moves_prefix=True,
            scope="turn",
            roles=frozenset({"assistant", "tool"}),
            about="leaves out calls of tools that are switched off, and their results",
        ),
        run,
    )


class _Leaving:
    """One walk over rows: which calls left in this turn, so that their results leave too."""

    def __init__(self, off: frozenset[str]) -> None:
        self._off = off
        self._gone: set[str] = set()
        self.rows = 0
        self.calls = 0

    def change(self, row: Row) -> Row | None:
        role = row.get("role")
        if role == "user":
            self._gone.clear()
            return row
        if role == "tool":
            key = row.get("tool_call_id")
            left = isinstance(key, str) and key in self._gone
            return None if left or _is_result_of(row, self._off) else row
        return self._without_calls(row)

    def _without_calls(self, row: Row) -> Row:
        gone = [0, 0]
        new = _without_calls(row, self._off, gone)
        kept = set(call_ids(new))
        self._gone = (self._gone | set(call_ids(row))) - kept
        self.rows += gone[0]
        self.calls += gone[1]
        return new


def _is_result_of(row: Row, off: frozenset[str]) -> bool:
    return _disabled(row.get("plugin"), off) or _named_after(row.get("name"), off)


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
    row = _kept(row, "tool_calls", lambda call: not _disabled_call(call, ids, off))
    return without(row, "parts") if "parts" in row else row


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
    ours = isinstance(known.get("id"), str) and known["id"] in ids
    return ours or _named_after(mapping(known.get("function")).get("name"), off)


def _named_after(name: Any, off: frozenset[str]) -> bool:
    return isinstance(name, str) and any(name == one or name.startswith(one + _JOINT) for one in off)
