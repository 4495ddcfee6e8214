"""Every call gets its results right behind it, and a call without one gets a stand-in.

Pairs come from ``pairing``, the only place that pairs. Nothing is lost: a second result of a call is added to
the first, and a result whose call is not in the turn is told as a message of its own. The original drops both;
``lossy`` does as it does.

Not here: bringing results of later turns back (they are told where they are, so the prefix stays).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.injectors.wrapper import block
from triptych.context.pairing import Answered, Pairing, call_ids, pair_rows
from triptych.context.rowwork import listed, mapping, text_of, without
from triptych.context.turns import turns_of
from triptych.model.rows import Row

__all__ = ["StandIn", "order_results"]

StandIn = Callable[[str | None, str], str]
"""The text of a missing result: of the tool's name and the reason (``missing`` or ``unusable``)."""

_REASONS = {
    "missing": "This call has no result: it was stopped or its result was lost.",
    "unusable": "This call returned nothing that could be read.",
}


def order_results(stand_in: StandIn | None = None, *, lossy: bool = False) -> Step:
    """Put the results of each call right behind the row that calls."""
    said = stand_in or _our_words
    run = _lossy(said) if lossy else _by_turn(said)
    return Step(
        Contract(
            name="order_results",
            reads=frozenset({"tool_calls", "tool_calls.enabled"}),
            writes=frozenset({"results"}),
            may_drop=lossy,
            scope="whole" if lossy else "turn",
            roles=frozenset({"assistant", "tool"}),
            about="puts results right behind their calls; a call without one gets a stand-in",
        ),
        run,
    )


def _our_words(_name: str | None, reason: str) -> str:
    return _REASONS[reason]


def _by_turn(said: StandIn) -> Callable[[Draft], Draft]:
    def run(draft: Draft) -> Draft:
        rows = draft.rows
        if _all_in_order(rows):
            return draft
        done: list[Row] | None = None
        for start, end in turns_of(rows):
            turn = rows[start:end]
            new = _ordered_turn(turn, said)
            if done is None and new is turn:
                continue
            done = list(rows[:start]) if done is None else done
            done.extend(new)
        return draft if done is None else draft.with_rows(done)

    return run


def _ordered_turn(turn: Sequence[Row], said: StandIn) -> Sequence[Row]:
    if not any(row.get("tool_calls") or row.get("role") == "tool" for row in turn):
        return turn
    if _all_in_order(turn):
        return turn
    pairing = pair_rows(turn)
    by_row = pairing.by_row()
    orphans = frozenset(pairing.orphans)
    ordered: list[Row] = []
    for place, row in enumerate(turn):
        if row.get("role") != "tool":
            ordered.append(row)
            ordered.extend(_result(turn, row, call, said) for call in by_row.get(place, ()))
        elif place in orphans:
            ordered.append(_told(row))
    return ordered


def _all_in_order(rows: Sequence[Row]) -> bool:
    """Whether every call has exactly one usable result right behind it, and every result such a call.

    What pairs would say of such rows is what stands there, so nobody needs to pair them.
    """
    waiting: list[str] = []
    for row in rows:
        if row.get("role") == "tool":
            content = row.get("content")
            usable = (isinstance(content, str) and content) or _usable(row)
            if not waiting or row.get("tool_call_id") != waiting.pop() or not usable:
                return False
        elif waiting:
            return False
        elif row.get("tool_calls") or row.get("tools"):
            waiting = call_ids(row)[::-1]
            if len(waiting) > 1 and len(set(waiting)) != len(waiting):
                return False
    return not waiting


def _result(turn: Sequence[Row], row: Row, call: Answered, said: StandIn) -> Row:
    name = _name_of(row, call)
    if not call.results:
        return _stand_in(call.id, name, said(name, "missing"))
    first = _readable(turn[call.results[0]], said, name)
    more = [text_of(turn[place].get("content")) for place in call.results[1:]]
    return _with_more(first, more) if any(more) else first


def _with_more(row: Row, more: list[str]) -> Row:
    content = row.get("content")
    row = without(row, "parts")
    if isinstance(content, list):
        return {**row, "content": [*content, *({"type": "text", "text": text} for text in more)]}
    return {**row, "content": "\n\n".join((str(content), *more))}


def _told(row: Row) -> Row:
    """A result whose call is elsewhere, as a message: told, not lost."""
    text = block(
        "late_tool_result", text_of(row.get("content")), call=row.get("tool_call_id"), name=row.get("name")
    )
    rest = {
        key: value for key, value in row.items() if key not in ("tool_call_id", "name", "plugin", "parts")
    }
    return {**rest, "role": "user", "content": text}


def _usable(row: Row) -> bool:
    content = row.get("content")
    if isinstance(content, str):
        return bool(content) or not _error(row)
    return isinstance(content, list) and bool(content)


def _readable(row: Row, said: StandIn, name: str | None) -> Row:
    if _usable(row):
        return row
    return {**without(row, "parts"), "content": _error(row) or said(name, "unusable")}


def _error(row: Row) -> str:
    message = mapping(row.get("pluginError")).get("message")
    return message if isinstance(message, str) else ""


def _stand_in(call: str, name: str | None, text: str) -> Row:
    row: dict[str, Any] = {"content": text, "role": "tool", "tool_call_id": call}
    return row if name is None else {**row, "name": name}


def _name_of(row: Row, call: Answered) -> str | None:
    calls = listed(row.get("tool_calls")) or listed(row.get("tools"))
    name = mapping(mapping(calls[call.index]).get("function")).get("name")
    return name if isinstance(name, str) and name else None


def _lossy(said: StandIn) -> Callable[[Draft], Draft]:
    def run(draft: Draft) -> Draft:
        rows = draft.rows
        by_row: dict[int, list[Answered]] = {}
        for call in _first_only(_of_the_wire(rows)):
            by_row.setdefault(call.row, []).append(call)
        ordered: list[Row] = []
        for place, row in enumerate(rows):
            if row.get("role") == "assistant" and isinstance(row.get("tool_calls"), list):
                ordered.append(_deduplicated(row))
                ordered.extend(_result_once(rows, row, call, said) for call in by_row.get(place, ()))
            elif row.get("role") != "tool":
                ordered.append(row)
        results = sum(row.get("role") == "tool" for row in rows)
        kept = sum(bool(call.results) for calls in by_row.values() for call in calls)
        after = draft if ordered == list(rows) else draft.with_rows(ordered)
        return note(after, "order_results", removed=results - kept) if results > kept else after

    return run


def _of_the_wire(rows: Sequence[Row]) -> Pairing:
    """The pairing by the wire's calls alone: an empty list of them is no call, whatever ``tools`` says."""
    return pair_rows([row if row.get("tool_calls") else {**row, "tools": None} for row in rows])


def _first_only(pairing: Pairing) -> list[Answered]:
    """The calls with each id's first result for the first call of that id, and none for any other."""
    results: dict[str, int] = {}
    for call in pairing.calls:
        for place in call.results:
            results[call.id] = min(place, results.get(call.id, place))
    rows_of: set[tuple[int, str]] = set()
    found: list[Answered] = []
    for call in pairing.calls:
        if (call.row, call.id) in rows_of:
            continue
        rows_of.add((call.row, call.id))
        taken = results.pop(call.id, None)
        found.append(msgspec.structs.replace(call, results=() if taken is None else (taken,)))
    return found


def _deduplicated(row: Row) -> Row:
    calls: dict[Any, Any] = {}
    for call in listed(row.get("tool_calls")):
        key = mapping(call).get("id")
        if isinstance(key, str) and key:
            calls.setdefault(key, call)
    kept = list(calls.values())
    return row if len(kept) == len(row["tool_calls"]) else {**row, "tool_calls": kept}


def _result_once(rows: Sequence[Row], row: Row, call: Answered, said: StandIn) -> Row:
    name = _name_of(row, call)
    if not call.results:
        return _stand_in(call.id, name, said(name, "missing"))
    return _readable(rows[call.results[0]], said, name)
