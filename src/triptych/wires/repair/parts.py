"""Pass ``parts``: each part of each message, by itself: clean characters, nothing empty, nothing a model must not see.

Application data, errors and sources are shown to people and stay behind; references that nobody resolved are
named; unknown parts are sent as the text they hold. A message whose parts are all fine comes back as it is.

Not here: anything that needs a second message.
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.model.foreign import clean_text
from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import (
    AudioPart,
    DataPart,
    ErrorPart,
    FilePart,
    ImagePart,
    ReasoningPart,
    ReferencePart,
    RefusalPart,
    SourcePart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UnknownPart,
    VideoPart,
)
from triptych.model.references import Reference, SelectionReference, WebTabReference
from triptych.wires.private import cache_mark
from triptych.wires.repair.calls import mend_call
from triptych.wires.repair.characters import clean
from triptych.wires.repair.glance import is_fine_call, is_plain
from triptych.wires.repair.media import admit
from triptych.wires.repair.reasoning import keep_reasoning
from triptych.wires.repair.scope import Scope, is_structural
from triptych.wires.repair.server_tools import is_verbatim

__all__ = ["EMPTY_RESULT", "mend_parts"]

EMPTY_RESULT = "[The result was empty.]"
_NAMED = ("name", "alt", "text", "transcript", "media_type")
_WORDS = ("text", "content", "input_text", "value")


def mend_parts(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with parts that can be sent, each looked at by itself."""
    return [_mended(message, scope) for message in messages]


def _is_fine(part: Any, scope: Scope) -> bool:
    """Whether the part is one of the usual ones and needs nothing: the quick look before the careful one."""
    kind = type(part)
    if part.private is not None:
        return False
    if kind is TextPart:
        return is_plain(part.text)
    if kind is ToolCallPart:
        return is_fine_call(part, scope)
    if kind is ToolResultPart and part.content:
        return all(
            type(item) is TextPart and item.private is None and is_plain(item.text) for item in part.content
        )
    return False


def _mended(message: Message, scope: Scope) -> Message:
    for part in message.parts:
        if not _is_fine(part, scope):
            return _mended_carefully(message, scope)
    if type(message) is UserMessage and message.parts and not is_structural(message):
        scope.seen.words = True
    return message


def _mended_carefully(message: Message, scope: Scope) -> Message:
    parts: list[Any] = []
    changed = False
    for part in message.parts:
        fresh = _mended_part(part, message, scope)
        changed = changed or fresh is not part
        if fresh is not None:
            parts.append(fresh)
            if fresh.private and cache_mark(fresh) is not None:
                scope.seen.marks += 1
    mended: Any = msgspec.structs.replace(message, parts=tuple(parts)) if changed else message
    if isinstance(mended, AssistantMessage):
        if any(isinstance(part, ReasoningPart) for part in mended.parts):
            mended = keep_reasoning(mended, scope)
    elif parts and isinstance(mended, UserMessage) and not is_structural(mended):
        scope.seen.words = True
    return mended


def _mended_part(part: Any, message: Message, scope: Scope) -> Any:
    """The part as it may be sent: itself, another one, or None."""
    match part:
        case TextPart():
            return _mended_text(part, message, scope)
        case ToolCallPart():
            return mend_call(part, message, scope)
        case ToolResultPart():
            return _mended_result(part, message, scope)
        case ReasoningPart():
            return part
        case ImagePart() | AudioPart() | VideoPart() | FilePart():
            return _mended_medium(part, message, scope)
        case RefusalPart(text=text):
            return _mended_text(TextPart(text=text), message, scope)
        case ReferencePart(reference=reference):
            return _named(reference, part, message, scope)
        case UnknownPart(raw=raw):
            if is_verbatim(part):
                return part
            return _unknown(raw, part, message, scope)
        case DataPart() | ErrorPart() | SourcePart():
            scope.note("not-for-models", "A part that only people see was left out.", message, before=part)
            return None
        case _:
            return part


def _mended_text(part: TextPart, message: Message, scope: Scope) -> TextPart | None:
    text = part.text
    if not text or text.isspace():
        scope.note("empty-text", "A text without a visible character was left out.", message, before=text)
        return None
    cleaned = clean(text, message, scope)
    return part if cleaned is text else msgspec.structs.replace(part, text=cleaned)


def _mended_medium(part: Any, message: Message, scope: Scope) -> Any:
    profile = scope.profile
    kinds = profile.assistant_media if isinstance(message, AssistantMessage) else profile.media
    return admit(_clean_names(part), kinds, message, scope)


def _clean_names(part: Any) -> Any:
    names = {name: getattr(part, name) for name in _NAMED if hasattr(part, name)}
    cleaned = {name: clean_text(text) for name, text in names.items() if isinstance(text, str)}
    if all(cleaned[name] is names[name] for name in cleaned):
        return part
    return msgspec.structs.replace(part, **cleaned)


def _mended_result(part: ToolResultPart, message: Message, scope: Scope) -> ToolResultPart:
    content: list[Any] = []
    changed = False
    for item in part.content:
        fresh = _result_item(item, message, scope)
        changed = changed or fresh is not item
        if fresh is not None:
            content.append(fresh)
    if any(item.private and cache_mark(item) is not None for item in content):
        part = msgspec.structs.replace(part, private={**(part.private or {}), "cache": True})
        content, changed = [_unmarked(item) for item in content], True
    if not content:
        scope.note("empty-result", "An empty result is sent with a visible placeholder.", message)
        return msgspec.structs.replace(part, content=(TextPart(text=EMPTY_RESULT),))
    return msgspec.structs.replace(part, content=tuple(content)) if changed else part


def _unmarked(item: Any) -> Any:
    """A cache mark inside a result is a mark on the result: only whole parts of a turn carry one."""
    return item if cache_mark(item) is None else msgspec.structs.replace(item, private=None)


def _result_item(item: Any, message: Message, scope: Scope) -> Any:
    if isinstance(item, ImagePart | AudioPart | VideoPart | FilePart):
        profile = scope.profile
        return admit(_clean_names(item), (*profile.tool_media, *profile.media), message, scope)
    return _mended_part(item, message, scope)


def _unknown(raw: Any, part: UnknownPart, message: Message, scope: Scope) -> TextPart | None:
    """The words of a part that nobody knows; what holds none is left out, but for tool results."""
    words = raw if isinstance(raw, str) else None
    if isinstance(raw, dict):
        words = next((raw[name] for name in _WORDS if isinstance(raw.get(name), str)), None)
    if words is None and isinstance(message, ToolMessage) and raw is not None:
        words = _json(raw)
    text = TextPart(text=clean_text(words)) if words and not words.isspace() else None
    scope.note(
        "unknown-part",
        "A part of an unknown type was sent as its text."
        if text
        else "A part of an unknown type was left out.",
        message,
        before=part,
        after=text,
        severity="warning",
    )
    return text


def _json(raw: Any) -> str | None:
    try:
        return msgspec.json.encode(raw).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def _named(reference: Reference, part: ReferencePart, message: Message, scope: Scope) -> TextPart | None:
    """A reference whose body was not resolved: the text that it carries, or its name."""
    match reference:
        case SelectionReference(text=text):
            words = f"[Selected text:]\n{text}"
        case WebTabReference(url=url, text=str(text)):
            words = f"[Page: {url}]\n{text}"
        case _:
            told = [
                str(value) for value in msgspec.structs.astuple(reference) if isinstance(value, str) and value
            ]
            words = f"[Attached: {' '.join(told)}]"
    text = TextPart(text=clean_text(words))
    scope.note("reference", "A reference without its body is sent by name.", message, before=part, after=text)
    return text
