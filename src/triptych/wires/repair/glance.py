"""The usual exchange at a glance: one reply, the results of its calls, and what a person said next.

``pass_usual`` proves in one walk that no pass would change anything in such a group, and leaves in ``Seen`` what
the passes would have left. Whatever it is not sure of, it leaves to them.

Not here: changing anything (the passes).
"""

from __future__ import annotations

from collections.abc import Sequence

from triptych.model.foreign import clean_text
from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import TextPart, ToolCallPart, ToolResultPart
from triptych.wires.repair.calls import safe_arguments, safe_tool_name
from triptych.wires.repair.ids import fits
from triptych.wires.repair.roles import is_free
from triptych.wires.repair.scope import Answer, Scope, is_structural

__all__ = ["can_glance", "is_fine_call", "is_plain", "pass_usual"]

_Pairs = Sequence[tuple[ToolCallPart, ToolResultPart]]
_NO_PAIRS: _Pairs = ()


def can_glance(scope: Scope) -> bool:
    """Whether groups may be passed at a glance: somebody spoke, and the place for system text is closed."""
    seen = scope.seen
    return seen.last is not None and (seen.system_done or scope.profile.system == "anywhere")


def pass_usual(messages: list[Message], place: int, scope: Scope) -> int:
    """Where the run of usual groups that begins at this place ends; the place itself when the first is not usual."""
    seen, count = scope.seen, len(messages)
    free = is_free(scope.profile) and not scope.profile.calls_last
    while place < count:
        said = messages[place]
        if type(said) is not AssistantMessage:
            return place
        calls = _calls_of(said, scope)
        if calls is None:
            return place
        after, pairs = place + 1, _NO_PAIRS
        if calls:
            pairs = _answered(messages[after], calls, scope) if after < count else _NO_PAIRS
            if not pairs:
                return place
            after += 1
        end = _after_words(messages, after, scope)
        if end < count and (end == place + 1 or type(messages[end]) is not AssistantMessage):
            return place
        if not free and not _in_turns(said, len(calls), end - after, scope):
            return place
        if pairs:
            _remember(pairs, scope)
        seen.last = "user" if end > after else "tool" if calls else "assistant"
        place = end
    return place


def _calls_of(said: AssistantMessage, scope: Scope) -> list[ToolCallPart] | None:
    """The calls of a reply of plain texts and fine calls; None for any other. Written out, as all replies come here."""
    if said.extra or not said.parts:
        return None
    calls: list[ToolCallPart] = []
    for part in said.parts:
        if type(part) is TextPart:
            text = part.text
            if part.private is not None or not text or text.isspace():
                return None
            if ("\x00" in text) if text.isascii() else clean_text(text) is not text:
                return None
        elif type(part) is ToolCallPart and not part.server_side and is_fine_call(part, scope):
            calls.append(part)
        else:
            return None
    return calls


def _in_turns(said: AssistantMessage, calls: int, words: int, scope: Scope) -> bool:
    """Whether a reply with so many calls, and so many messages of a person behind it, may follow as they stand."""
    profile = scope.profile
    if profile.alternation and (scope.seen.last == "assistant" or words > 1):
        return False
    if not calls:
        return True
    if profile.calls_last and type(said.parts[-1]) is not ToolCallPart:
        return False
    if words and not (profile.user_after_results and profile.text_beside_results):
        return False
    return profile.text_beside_calls or calls == len(said.parts)


def is_plain(text: str) -> bool:
    """Whether the text is visible and all of it can be sent."""
    if not text or text.isspace():
        return False
    return "\x00" not in text if text.isascii() else clean_text(text) is text


def is_fine_call(part: ToolCallPart, scope: Scope) -> bool:
    """Whether name and arguments of a call go as they are, with nothing private about it."""
    if part.private is not None:
        return False
    known = scope.fine_names
    if part.name not in known:
        if safe_tool_name(part.name, scope.profile) != part.name:
            return False
        known.add(part.name)
    return safe_arguments(part.arguments) is part.arguments


def _answered(message: Message, calls: list[ToolCallPart], scope: Scope) -> _Pairs:
    """The calls with their results when the message is just those in order, in plain texts; nothing otherwise."""
    if type(message) is not ToolMessage or message.extra or len(message.parts) != len(calls):
        return _NO_PAIRS
    used = scope.seen.used_ids if scope.profile.call_ids else ()
    pairs: list[tuple[ToolCallPart, ToolResultPart]] = []
    for call, part in zip(calls, message.parts, strict=True):
        name = call.call_id
        if type(part) is not ToolResultPart or part.call_id != name or part.name != call.name:
            return _NO_PAIRS
        if part.private is not None or not part.content or name in used or not fits(name, scope.profile):
            return _NO_PAIRS
        for item in part.content:
            if type(item) is not TextPart or item.private is not None or not is_plain(item.text):
                return _NO_PAIRS
        pairs.append((call, part))
    twice = len(calls) > 1 and len({call.call_id for call in calls}) != len(calls)
    return _NO_PAIRS if twice else pairs


def _after_words(messages: list[Message], place: int, scope: Scope) -> int:
    """Where the usual messages of a person that begin at this place end."""
    while place < len(messages):
        message = messages[place]
        if type(message) is not UserMessage or message.extra or not message.parts:
            return place
        for part in message.parts:
            if type(part) is not TextPart or part.private is not None:
                return place
            text = part.text
            if not text or text.isspace():
                return place
            if ("\x00" in text) if text.isascii() else clean_text(text) is not text:
                return place
        if not scope.seen.words and not is_structural(message):
            scope.seen.words = True
        place += 1
    return place


def _remember(pairs: _Pairs, scope: Scope) -> None:
    seen = scope.seen
    for call, part in pairs:
        seen.answers[call.call_id] = Answer(name=call.name, result=part, real=True)
        seen.calls[call.name] = None
        if scope.profile.call_ids:
            seen.used_ids.add(call.call_id)
