"""Arrays of OpenAI chat messages: the shown path, one record a message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation, value_at
from triptych.formats.paths import active_path
from triptych.formats.writers.frame import Changes, Lines, Target, write_with
from triptych.formats.writers.line import line_of
from triptych.formats.writers.values import file_url, inline_data, media_url, sole_text, texts_of
from triptych.formats.written import Written
from triptych.model import parts as words
from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage

__all__ = ["chat_records", "extend_list", "write"]

Record = dict[str, Any]


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """One array; several conversations do not fit into one."""
    return write_with(_TARGET, conversations)


def chat_records(messages: Iterable[Message]) -> list[Record]:
    """The records of these messages; results inside a reply follow it as messages of their own."""
    return [record for message in messages for record in _records(message)]


def _records(message: Message) -> list[Record]:
    match message:
        case SystemMessage():
            return [{"role": "system", "content": _content(message.parts)}]
        case UserMessage():
            return [{"role": "user", "content": _content(message.parts)}]
        case AssistantMessage():
            inline = [_result(part) for part in message.parts if isinstance(part, words.ToolResultPart)]
            return [_reply(message), *inline]
        case ToolMessage():
            return [_result(part) for part in message.parts if isinstance(part, words.ToolResultPart)]


def _reply(message: AssistantMessage) -> Record:
    reasoning = [part.text for part in message.parts if isinstance(part, words.ReasoningPart) and part.text]
    refusals = [part.text for part in message.parts if isinstance(part, words.RefusalPart)]
    calls = [_call(part) for part in message.parts if isinstance(part, words.ToolCallPart)]
    content = _content(message.parts)
    record: Record = {"role": "assistant", "content": content if content or not calls else None}
    if reasoning:
        record["reasoning_content"] = "\n\n".join(reasoning)
    if refusals:
        record["refusal"] = "\n\n".join(refusals)
    return record | ({"tool_calls": calls} if calls else {})


def _call(part: words.ToolCallPart) -> Record:
    return {
        "id": part.call_id,
        "type": "function",
        "function": {"name": part.name, "arguments": part.arguments},
    }


def _result(part: words.ToolResultPart) -> Record:
    record: Record = {"role": "tool", "tool_call_id": part.call_id}
    if part.name:
        record["name"] = part.name
    return record | {"content": _content(part.content)}


def _content(parts: Sequence[Any]) -> str | list[Record]:
    """A text where that says all, else the list of content parts that the wire has."""
    items = [item for part in parts if (item := _item(part)) is not None]
    texts = texts_of(parts)
    if len(items) == len(texts) and len(texts) <= 1:
        return sole_text([words.TextPart(text=text) for text in texts]) or ""
    return items


def _item(part: Any) -> Record | None:
    match part:
        case words.TextPart(text=text):
            return {"type": "text", "text": text}
        case words.ImagePart():
            url = media_url(part.media, part.media_type)
            shown = {"url": url} | ({"detail": part.detail} if part.detail else {})
            return {"type": "image_url", "image_url": shown} if url else None
        case words.AudioPart():
            data = inline_data(part.media)
            form = (part.media_type or "audio/wav").removeprefix("audio/")
            return {"type": "input_audio", "input_audio": {"data": data, "format": form}} if data else None
        case words.FilePart():
            return _file(part)
        case words.UnknownPart(raw=raw):
            return raw if isinstance(raw, dict) and isinstance(raw.get("type"), str) else None
        case _:
            return None


def _file(part: words.FilePart) -> Record | None:
    name = {"filename": part.name} if part.name else {}
    if isinstance(part.media, words.ProviderMedia) and part.media.family == "openai":
        return {"type": "file", "file": {"file_id": part.media.file_id, **name}}
    url = file_url(part)
    return {"type": "file", "file": {"file_data": url, **name}} if url else None


def _make(imported: ImportedConversation) -> list[Record]:
    return chat_records(active_path(imported))


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    line = line_of(imported, changes)
    return extend_list(value, line.base, line.keep, chat_records(line.fresh))


def extend_list(value: Any, base: Sequence[str | int], keep: int | None, records: list[Any]) -> Any:
    """The document with its list at ``base`` cut after ``keep`` records and continued."""
    listed = value if isinstance(value, Lines) else value_at(value, tuple(base))
    if isinstance(listed, list):
        listed[:] = [*(listed if keep is None else listed[:keep]), *records]
    return value


_TARGET = Target(name="openai_chat", make=_make, extend=_extend, matching="order", indent=1)
