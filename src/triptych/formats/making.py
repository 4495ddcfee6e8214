"""Making typed messages and parts out of foreign values: small pieces that several readers share.

Foreign values are checked, never trusted: a field of the wrong type counts as missing here, and stays in the
document.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from triptych.formats.conversation import Path
from triptych.formats.problems import problem
from triptych.formats.times import Unit, read_time
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import CallId, MessageId
from triptych.model.messages import AssistantMessage, Message, Role, SystemMessage, ToolMessage, UserMessage

__all__ = [
    "ROLES",
    "arguments_text",
    "as_dict",
    "as_list",
    "as_text",
    "count",
    "id_of",
    "kept_raw",
    "make_call",
    "make_message",
    "make_result",
    "media_from_base64",
    "media_from_url",
    "media_type_of",
    "result_content",
    "role_from",
    "source_note",
    "text_parts",
    "time_of",
    "unknown_part",
]

ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "prompter": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "observation": "tool",
}
"""Role words that programs use, as our roles."""

_DATA_URL = re.compile(r"data:([^;,]*)((?:;[^;,]*)*),", re.IGNORECASE)
_ALL_PARTS: tuple[type[msgspec.Struct], ...] = (
    words.TextPart,
    words.ReasoningPart,
    words.ToolCallPart,
    words.ToolResultPart,
    words.ImagePart,
    words.AudioPart,
    words.VideoPart,
    words.FilePart,
    words.ReferencePart,
    words.SourcePart,
    words.RefusalPart,
    words.ErrorPart,
    words.DataPart,
)
_USER_PARTS = (
    words.TextPart,
    words.ImagePart,
    words.AudioPart,
    words.VideoPart,
    words.FilePart,
    words.ReferencePart,
    words.DataPart,
    words.UnknownPart,
)
_OUR_TYPES = frozenset(
    str(kind.__struct_config__.tag) for kind in (*_ALL_PARTS, words.UnknownPart) if kind.__struct_config__.tag
)
_RESULT_PARTS = (
    words.TextPart,
    words.ImagePart,
    words.AudioPart,
    words.VideoPart,
    words.FilePart,
    words.DataPart,
    words.UnknownPart,
)


def as_text(value: Any) -> str:
    """The value if it is a text, else the empty text."""
    return value if isinstance(value, str) else ""


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_dict(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def count(value: Any) -> int | None:
    """The value if it is a whole number that is not negative."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def id_of(record: dict[str, Any], field: str, made: str, found: list[Diagnostic]) -> str:
    """The record's own id, or the one that was made for it, which is reported."""
    said = record.get(field)
    if isinstance(said, str) and said:
        return said
    found.append(problem("W_MISSING_FIELD", made, fields=[field]))
    return made


def role_from(value: Any, where: str, found: list[Diagnostic]) -> Role:
    """Our role for a role word; an unknown one becomes the assistant's, with a diagnostic."""
    role = ROLES.get(value) if isinstance(value, str) else None
    if role is None:
        found.append(problem("W_UNKNOWN_ROLE", where, role=value))
        return "assistant"
    return role


def time_of(value: Any, unit: Unit, where: str, found: list[Diagnostic]) -> int:
    """A time in milliseconds; what could not be read or is spelt unusually gives a diagnostic."""
    moment, code = read_time(value, unit)
    if code:
        found.append(problem(code, where, time=value))
    return moment


def text_parts(text: Any) -> list[words.TextPart]:
    """One text part, or none for an empty text."""
    return [words.TextPart(text=text)] if isinstance(text, str) and text else []


def unknown_part(raw: Any, where: str, found: list[Diagnostic], code: str = "W_UNKNOWN_PART") -> Any:
    """A part that nobody knows, kept whole."""
    kind = raw.get("type") if isinstance(raw, dict) else type(raw).__name__
    found.append(problem(code, where, type=kind))
    return kept_raw(raw)


def kept_raw(raw: Any) -> words.UnknownPart:
    """A foreign value as an unknown part; one that could be taken for a part of ours is wrapped once more."""
    if isinstance(raw, dict) and isinstance(raw.get("type"), str) and raw["type"] in _OUR_TYPES:
        return words.UnknownPart(raw={"type": "foreign", "value": raw})
    return words.UnknownPart(raw=raw)


def arguments_text(value: Any, where: str, found: list[Diagnostic]) -> str:
    """Tool arguments as JSON text: a text stays as the model wrote it, valid or not."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value.strip():
        try:
            json.loads(value)
        except (ValueError, RecursionError):
            found.append(problem("W_BAD_JSON_ARGS", where, arguments=value[:200]))
    return value


def make_call(call_id: Any, name: Any, arguments: str, **fields: Any) -> words.ToolCallPart:
    """A tool call; ids and names that are no text are written as JSON."""
    return words.ToolCallPart(
        call_id=CallId(_named(call_id)), name=_named(name), arguments=arguments, **fields
    )


def make_result(call_id: Any, content: Iterable[Any], **fields: Any) -> words.ToolResultPart:
    """A tool result; content that no result can hold becomes unknown parts."""
    return words.ToolResultPart(
        call_id=CallId(_named(call_id)),
        content=tuple(part if isinstance(part, _RESULT_PARTS) else _wrapped(part) for part in content),
        **fields,
    )


def result_content(value: Any) -> list[Any]:
    """What a tool answered when it is no list of known blocks: a text as text, anything else as JSON text."""
    if value is None or value == "":
        return []
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return [words.TextPart(text=text)]


def make_message(role: Role, name: str, parts: Sequence[Any], **fields: Any) -> Message:
    """A message of this role; parts that the role cannot hold are kept as unknown parts.

    Fields that only assistants have (model, usage …) are left out for the others: they stay in the document.
    """
    if role == "assistant":
        return AssistantMessage(id=MessageId(name), parts=tuple(parts), **fields)
    common = {key: value for key, value in fields.items() if key not in _ASSISTANT_ONLY}
    match role:
        case "user":
            return UserMessage(id=MessageId(name), parts=_fitting(parts, _USER_PARTS), **common)
        case "system":
            fit = _fitting(parts, (words.TextPart, words.UnknownPart))
            return SystemMessage(id=MessageId(name), parts=fit, **common)
        case "tool":
            fit = _fitting(parts, (words.ToolResultPart, words.UnknownPart))
            return ToolMessage(id=MessageId(name), parts=fit, **common)


_ASSISTANT_ONLY = frozenset({"model", "provider", "usage", "performance", "status", "run_id", "envelope_id"})


def source_note(*paths: Path, **more: Any) -> dict[str, Any]:
    """The ``metadata`` of a message from a file: where its records stand (see ``conversation``)."""
    return {"source": {"paths": [list(path) for path in paths], **more}}


def media_from_url(url: str) -> words.Media:
    """Bytes inside a ``data:`` URL, or behind any other address."""
    match = _DATA_URL.match(url)
    if not match or ";base64" not in match[2].lower():
        return words.UrlMedia(url=url)
    return media_from_base64(url[match.end() :]) or words.UrlMedia(url=url)


def media_from_base64(data: str) -> words.InlineMedia | None:
    """Inline bytes, when the text is standard base64."""
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return words.InlineMedia(data=data)


def media_type_of(url: str) -> str | None:
    """The media type that a ``data:`` URL names."""
    match = _DATA_URL.match(url)
    return match[1] or None if match else None


def _named(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


def _fitting(parts: Sequence[Any], kinds: tuple[type, ...]) -> tuple[Any, ...]:
    return tuple(part if isinstance(part, kinds) else _wrapped(part) for part in parts)


def _wrapped(part: Any) -> words.UnknownPart:
    if isinstance(part, words.UnknownPart):
        return part
    return words.UnknownPart(raw={"type": "foreign", "value": msgspec.json.decode(msgspec.json.encode(part))})
