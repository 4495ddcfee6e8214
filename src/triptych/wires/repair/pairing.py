"""Pass ``pairing``: every call has exactly one result directly behind its turn, every result has a call.

A history is a chain of *groups*: neighbouring assistant messages, then everything up to the next assistant
message. A request was sent before every assistant message, so only the results of the group that follows a call
may answer it:

* results are moved directly behind their turn, in call order, before anything else said in the group;
* two calls with one id take the results of that id by name, or else in order; more results than calls: the last
  one wins;
* a call without a result gets a marked, error-status one that says why, and keeps it for ever;
* a result that comes in a later group becomes a marked turn of its own there; one without any call is left out.

So the repaired form of a request that was sent is a prefix of every later one.

Not here: what a missing or late result says (``results``), ids (``ids``), results inside assistant messages (``inline``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import is_
from typing import Any

import msgspec

from triptych.model.ids import CallId, MessageId
from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import TextPart, ToolCallPart, ToolPart, ToolResultPart
from triptych.wires.repair.results import late_parts, synthetic_result
from triptych.wires.repair.scope import Answer, Scope, user_turn

__all__ = ["CONTINUE", "pair_results"]

CONTINUE = "[No new message; go on.]"
"""The text of a structural turn that stands where nothing else is left to stand."""

_Key = tuple[CallId, str]
_Found = dict[_Key, list[ToolResultPart]]
_Pair = tuple[ToolCallPart, ToolResultPart | None]


def pair_results(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages in normal form: one tool message with all results behind every assistant turn with calls."""
    paired: list[Message] = []
    place, end = 0, len(messages)
    while place < end:
        start = place
        while place < end and type(messages[place]) is AssistantMessage:
            place += 1
        middle = place
        while place < end and type(messages[place]) is not AssistantMessage:
            place += 1
        said, others = messages[start:middle], messages[middle:place]
        if len(said) != 1 or not _pair_plainly(said[0], others, paired, scope):
            _pair_group(said, others, paired, scope)
    return paired


def _pair_plainly(message: Message, others: list[Message], paired: list[Message], scope: Scope) -> bool:
    """Pair the usual group, one reply with its results right behind it in order; False when it is not that."""
    calls = [part for part in message.parts if type(part) is ToolCallPart]
    results: list[ToolPart] = []
    leading = 0
    for other in others:
        if type(other) is not ToolMessage:
            break
        results.extend(other.parts)
        leading += 1
    rest = others[leading:]
    if len(results) != len(calls) or (not calls and not (rest and type(rest[0]) is UserMessage)):
        return False
    for other in rest:
        if type(other) is ToolMessage:
            return False
    if not calls:
        paired.append(message)
        paired.extend(rest)
        return True
    parts = [_matching(call, result) for call, result in zip(calls, results, strict=True)]
    if None in parts or (len(calls) > 1 and len({call.call_id for call in calls}) < len(calls)):
        return False
    for call, part in zip(calls, parts, strict=True):
        if part is not None:
            _remember(call, part, scope, real=True)
    whole: Any = tuple(parts)
    same = leading == 1 and all(map(is_, whole, results))
    paired.extend((message, others[0] if same else ToolMessage(id=others[0].id, parts=whole), *rest))
    return True


def _matching(call: ToolCallPart, result: ToolPart) -> ToolResultPart | None:
    """The result under the name of its call, when it is the result of that call."""
    if type(result) is not ToolResultPart or result.call_id != call.call_id:
        return None
    return result if result.name == call.name else msgspec.structs.replace(result, name=call.name)


def _remember(call: ToolCallPart, part: ToolResultPart, scope: Scope, *, real: bool) -> None:
    scope.seen.answers[call.call_id] = Answer(name=call.name, result=part, real=real)
    scope.seen.calls[call.name] = None


def _pair_group(said: list[Message], others: list[Message], paired: list[Message], scope: Scope) -> None:
    calls = [part for message in said for part in message.parts if isinstance(part, ToolCallPart)]
    if not calls and not any(isinstance(message, ToolMessage) for message in others):
        paired.extend(said)
        paired.extend(others)
        _close_group(said, others, others, paired, scope)
        return
    twins = _twin_names(calls)
    found = _results_by_call(others, twins)
    answered = _answer(calls, found, twins, scope)
    if calls:
        _note_moves(said, others, answered, scope)
    where = 0
    for message in said:
        paired.append(message)
        count = sum(isinstance(part, ToolCallPart) for part in message.parts)
        if count:
            pairs = answered[where : where + count]
            name = _result_id(message, others, pairs[0][1])
            paired.append(ToolMessage(id=name, parts=_settled(pairs, message, scope)))
            where += count
    wanted = {call.call_id for call in calls}
    used = {id(result) for _, result in answered}
    rest = [turn for message in others for turn in _left(message, wanted, used, scope)]
    paired.extend(rest)
    _close_group(said, others, rest, paired, scope)


def _close_group(
    said: list[Message], others: list[Message], rest: list[Message], paired: list[Message], scope: Scope
) -> None:
    """Where all that stood between two replies is gone, a marked turn stands, as it did when it was sent."""
    waits = bool(said) and bool(others) and not any(isinstance(part, ToolCallPart) for part in said[-1].parts)
    if waits and not any(_stands(turn) for turn in rest):
        paired.append(_continuation(said[-1], scope))


def _stands(turn: Message) -> bool:
    """Whether something will be sent for it; an empty message of a person gets a placeholder later."""
    return isinstance(turn, UserMessage) or bool(turn.parts)


def _twin_names(calls: list[ToolCallPart]) -> set[_Key]:
    """Id and name of the calls that share their id with a call of another name."""
    kinds = {(call.call_id, call.name) for call in calls}
    ids = Counter(name for name, _ in kinds)
    return {key for key in kinds if ids[key[0]] > 1}


def _results_by_call(others: list[Message], twins: set[_Key]) -> _Found:
    """The results by the id of their call, and where that is not enough to tell, by its name too."""
    found: _Found = defaultdict(list)
    for message in others:
        if isinstance(message, ToolMessage):
            for part in message.parts:
                if isinstance(part, ToolResultPart):
                    key = (part.call_id, part.name or "")
                    found[key if key in twins else (part.call_id, "")].append(part)
    return found


def _answer(calls: list[ToolCallPart], found: _Found, twins: set[_Key], scope: Scope) -> list[_Pair]:
    """Each call with its result; results of one id go to the calls of that id in order, the last one wins."""
    keys = [_key(call, found, twins) for call in calls]
    waiting = Counter(keys)
    taken: Counter[_Key] = Counter()
    answered: list[_Pair] = []
    for call, key in zip(calls, keys, strict=True):
        results = found.get(key, [])
        index = taken[key]
        taken[key] += 1
        if taken[key] == waiting[key] and len(results) > index + 1:
            for dropped in results[index:-1]:
                scope.note(
                    "duplicate-result",
                    f"The call {call.call_id!r} has several results; the last one is sent.",
                    before=dropped,
                    after=results[-1],
                    severity="warning",
                )
            index = len(results) - 1
        answered.append((call, results[index] if index < len(results) else None))
    nameless = [part for results in found.values() for part in results]
    return _answer_by_order(answered, nameless)


def _key(call: ToolCallPart, found: _Found, twins: set[_Key]) -> _Key:
    """Where the results of a call are found: under its name when some are there."""
    key = (call.call_id, call.name)
    return key if key in twins and key in found else (call.call_id, "")


def _answer_by_order(answered: list[_Pair], results: list[ToolResultPart]) -> list[_Pair]:
    """Where one side has no id at all, results go to the calls that are still open, by name or else in order."""
    used = {id(result) for _, result in answered if result is not None}
    free = [result for result in results if id(result) not in used]
    filled: list[_Pair] = []
    for call, result in answered:
        fitting = [one for one in free if not one.call_id or not call.call_id] if result is None else []
        chosen = next((one for one in fitting if one.name == call.name), fitting[0] if fitting else result)
        if result is None and chosen is not None:
            free = [one for one in free if one is not chosen]
        filled.append((call, chosen))
    return filled


def _settled(answered: list[_Pair], message: Message, scope: Scope) -> tuple[ToolResultPart, ...]:
    parts: list[ToolResultPart] = []
    for call, result in answered:
        part = result
        if part is None:
            part = synthetic_result(call, message)
            scope.note(
                "missing-result",
                f"The call {call.call_id!r} has no result; a marked one with error status stands in.",
                message,
                after=part,
                severity="warning",
            )
        elif part.name != call.name or part.call_id != call.call_id:
            part = msgspec.structs.replace(part, name=call.name, call_id=call.call_id)
        _remember(call, part, scope, real=result is not None)
        parts.append(part)
    return tuple(parts)


def _left(message: Message, wanted: set[CallId], used: set[int], scope: Scope) -> list[Message]:
    """What stays of a message of the group once the results that answer its calls are taken out."""
    if not isinstance(message, ToolMessage):
        return [message]
    turns: list[Message] = []
    for number, part in enumerate(message.parts):
        if not isinstance(part, ToolResultPart) or part.call_id in wanted or id(part) in used:
            continue
        answer = scope.seen.answers.get(part.call_id)
        if answer is None or answer.result.content == part.content:
            scope.note(
                "orphan-result" if answer is None else "duplicate-result",
                f"A result for {part.call_id!r} answers no open call and was left out.",
                message,
                before=part,
                severity="warning",
            )
            continue
        turn = user_turn(f"{message.id}/{number}", "late-result", late_parts(answer, part))
        scope.note(
            "late-result",
            f"The result for {part.call_id!r} came after a request had been sent without it; it is a new turn.",
            message,
            before=part,
            after=turn,
            severity="warning",
        )
        turns.append(turn)
    return turns


def _result_id(message: Message, others: list[Message], first: ToolResultPart | None) -> MessageId:
    for other in others if first is not None else ():
        if isinstance(other, ToolMessage) and any(part is first for part in other.parts):
            return other.id
    return MessageId(f"{message.id}/results")


def _note_moves(
    said: list[Message],
    others: list[Message],
    answered: list[_Pair],
    scope: Scope,
) -> None:
    """Report results that did not stand directly behind their turn, in call order."""
    real = [result for _, result in answered if result is not None]
    stood: list[ToolResultPart] = []
    early = True
    for message in others:
        if not isinstance(message, ToolMessage):
            early = False
            continue
        stood.extend(part for part in message.parts if isinstance(part, ToolResultPart))
        if not early and any(part is result for part in message.parts for result in real):
            scope.note(
                "result-place", "A result was moved directly behind its call.", message, severity="warning"
            )
    kept = [part for part in stood if any(part is result for result in real)]
    if len(kept) > 1 and any(one is not other for one, other in zip(kept, real, strict=False)):
        scope.note("result-order", "The results of one turn were put in the order of its calls.", said[-1])


def _continuation(anchor: Message, scope: Scope) -> UserMessage:
    turn = user_turn(anchor.id, "continue", (TextPart(text=CONTINUE),))
    scope.note(
        "structural-turn",
        "A fixed, marked turn stands where a message held nothing that can be sent.",
        anchor,
        after=turn,
        severity="warning",
    )
    return turn
