"""ShareGPT: a line a conversation, ``{"id","conversations":[{"from","value"}]}``, the shown path of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation
from triptych.formats.paths import active_path
from triptych.formats.writers.frame import Changes, Target, write_with
from triptych.formats.writers.line import line_of
from triptych.formats.writers.openai_chat import chat_records, extend_list
from triptych.formats.writers.values import arguments_value, texts_of
from triptych.formats.written import Written
from triptych.model import parts as words
from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage

__all__ = ["write"]

Record = dict[str, Any]


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """The lines, one a conversation; conversations of a file that is a list go back as a list."""
    return write_with(_TARGET, conversations)


def _make(imported: ImportedConversation) -> Record:
    return {"id": imported.conversation.id, "conversations": _records(active_path(imported))}


def _records(messages: Iterable[Message]) -> list[Record]:
    return [record for message in messages for record in _record(message)]


def _record(message: Message) -> list[Record]:
    text = "\n\n".join(texts_of(message.parts))
    match message:
        case SystemMessage():
            return [{"from": "system", "value": text}]
        case UserMessage():
            return [{"from": "human", "value": text}]
        case ToolMessage():
            return [_observation(part) for part in message.parts if isinstance(part, words.ToolResultPart)]
        case AssistantMessage():
            calls = [_call(part) for part in message.parts if isinstance(part, words.ToolCallPart)]
            inline = [_observation(part) for part in message.parts if isinstance(part, words.ToolResultPart)]
            said = [{"from": "gpt", "value": text}] if text or not calls else []
            return [*said, *calls, *inline]


def _call(part: words.ToolCallPart) -> Record:
    value = {"name": part.name, "arguments": arguments_value(part.arguments)}
    return {"from": "function_call", "value": json.dumps(value, ensure_ascii=False)}


def _observation(part: words.ToolResultPart) -> Record:
    return {"from": "observation", "value": "\n\n".join(texts_of(part.content))}


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    line = line_of(imported, changes)
    keys = [key for key in ("conversations", "messages", "conversation") if isinstance(value.get(key), list)]
    base = line.base or tuple(keys[:1])
    listed = value.get(base[0]) if base else None
    chat = bool(listed) and isinstance(listed, list) and isinstance(listed[0], dict) and "role" in listed[0]
    return extend_list(value, base, line.keep, chat_records(line.fresh) if chat else _records(line.fresh))


_TARGET = Target(name="sharegpt", make=_make, extend=_extend, holds="lines", matching="order")
