"""LibreChat's conversation export, flat, with all branches. Its program shows the last sibling everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation
from triptych.formats.writers.frame import Changes, Target, write_with
from triptych.formats.writers.turns import Turn, head_turn, touched, turns_of
from triptych.formats.writers.values import (
    arguments_value,
    iso_time,
    media_url,
    model_name,
    sole_text,
    texts_of,
)
from triptych.formats.written import Written
from triptych.model import parts as words
from triptych.model.messages import AssistantMessage, SystemMessage, message_text
from triptych.model.status import Incomplete

__all__ = ["write"]

Record = dict[str, Any]
_ROOT = "00000000-0000-0000-0000-000000000000"
_ROLES = ("user", "assistant")
_EPOCH = "1970-01-01T00:00:00.000Z"


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """One conversation."""
    return write_with(_TARGET, conversations)


def _make(imported: ImportedConversation) -> Record:
    conversation = imported.conversation
    endpoint = (conversation.model or "").partition(":")[0] if ":" in (conversation.model or "") else "openAI"
    system = [message_text(one) for one in imported.messages if isinstance(one, SystemMessage)]
    options: Record = {
        "endpoint": endpoint,
        "model": model_name(conversation.model),
        "title": conversation.title,
    }
    options |= {"promptPrefix": "\n\n".join(system)} if system else {}
    turns = _shown_last(imported, turns_of(imported, _ROLES))
    return {
        "conversationId": conversation.id,
        "endpoint": endpoint,
        "title": conversation.title,
        "exportAt": "",
        "branches": True,
        "recursive": False,
        "options": options,
        "messages": [_record(turn, conversation.id, endpoint) for turn in turns],
    }


def _shown_last(imported: ImportedConversation, turns: list[Turn]) -> list[Turn]:
    """The shown path after everything else: the program shows the last sibling."""
    parents: dict[str, str | None] = {turn.message.id: turn.parent for turn in turns}
    shown: set[str] = set()
    place: str | None = head_turn(imported, turns)
    while place is not None and place not in shown:
        shown.add(place)
        place = parents.get(place)
    return [*(t for t in turns if t.message.id not in shown), *(t for t in turns if t.message.id in shown)]


def _record(turn: Turn, conversation: str, endpoint: str) -> Record:
    message = turn.message
    reply = message if isinstance(message, AssistantMessage) else None
    status = reply.status if reply else None
    failed = isinstance(status, Incomplete) and status.reason == "error"
    stamp = iso_time(message.created_at) or _EPOCH
    record: Record = {
        "messageId": message.id,
        "parentMessageId": turn.parent or _ROOT,
        "conversationId": conversation,
        "sender": (reply.model or "Assistant") if reply else "User",
        "isCreatedByUser": reply is None,
        "error": failed,
        "unfinished": isinstance(status, Incomplete) and status.reason not in ("error", "length"),
        "endpoint": (reply.provider or endpoint) if reply else endpoint,
        "model": reply.model if reply else None,
        "createdAt": stamp,
        "updatedAt": iso_time(message.updated_at) or stamp,
    }
    if isinstance(status, Incomplete) and status.reason == "length":
        record["finish_reason"] = "length"
    return record | _content(turn.parts)


def _content(parts: Sequence[Any]) -> Record:
    """``text`` alone where that says all, else ``content`` beside it."""
    fields: Record = {"text": "\n\n".join(texts_of(parts))}
    plain = sole_text([part for part in parts if not isinstance(part, words.FilePart)])
    if plain is None:
        results = {part.call_id: part for part in parts if isinstance(part, words.ToolResultPart)}
        fields["content"] = [made for part in parts if (made := _part(part, dict(results))) is not None]
    files = [_file(part) for part in parts if isinstance(part, words.FilePart)]
    return fields | ({"files": files} if files else {})


def _part(part: Any, results: dict[Any, words.ToolResultPart]) -> Record | None:
    match part:
        case words.TextPart(text=text):
            return {"type": "text", "text": text}
        case words.ReasoningPart(text=text):
            return {"type": "think", "think": text}
        case words.ErrorPart(message=text):
            return {"type": "error", "error": text}
        case words.ToolCallPart():
            return {"type": "tool_call", "tool_call": _call(part, results.get(part.call_id))}
        case words.ImagePart() | words.VideoPart():
            url = media_url(part.media, part.media_type)
            kind = "image_url" if isinstance(part, words.ImagePart) else "video_url"
            return {"type": kind, kind: {"url": url}} if url else None
        case words.UnknownPart(raw=raw):
            return raw if isinstance(raw, dict) and isinstance(raw.get("type"), str) else None
        case _:
            return None


def _call(call: words.ToolCallPart, result: words.ToolResultPart | None) -> Record:
    given = arguments_value(call.arguments)
    shown = call.arguments if call.arguments or isinstance(given, str) else ""
    record: Record = {"id": call.call_id, "name": call.name, "args": shown, "type": "tool_call"}
    if result is None:
        return record | {"progress": 0.1}
    return record | {"output": "\n\n".join(texts_of(result.content)), "progress": 1}


def _file(part: words.FilePart) -> Record:
    media = part.media
    known = media.file_id if isinstance(media, words.ProviderMedia) else media_url(media, part.media_type)
    record: Record = {"file_id": known, "filename": part.name, "type": part.media_type, "bytes": part.size}
    return {key: value for key, value in record.items() if value is not None}


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    added, renewed = touched(turns_of(imported, _ROLES), changes)
    key = "messagesTree" if isinstance(value.get("messagesTree"), list) else "messages"
    nested = key == "messagesTree" or value.get("recursive") is True
    records = {record.get("messageId"): record for record in _walk(value[key])}
    for turn in renewed:
        if turn.message.id in records:
            records[turn.message.id].update(_content(turn.parts))
    for turn in added:
        record = _record(turn, str(value.get("conversationId")), str(value.get("endpoint") or ""))
        above = records.get(turn.parent) if nested and turn.parent else None
        if nested:
            record["children"] = []
        (value[key] if above is None else above.setdefault("children", [])).append(record)
        records[turn.message.id] = record
    _drop(value[key], changes.gone)
    if imported.conversation.title != changes.original.conversation.title:
        value["title"] = imported.conversation.title
    return value


def _walk(listed: list[Any]) -> Iterator[Record]:
    """Every record, those below others too."""
    pending = [listed]
    while pending:
        for record in pending.pop():
            if isinstance(record, dict):
                yield record
                children = record.get("children")
                pending += [children] if isinstance(children, list) else []


def _drop(listed: list[Any], gone: frozenset[Any]) -> None:
    """Take records out; what hung below one in a nested file goes with it."""
    if not gone:
        return
    lists = [
        listed,
        *(record["children"] for record in _walk(listed) if isinstance(record.get("children"), list)),
    ]
    for one in lists:
        one[:] = [
            record for record in one if not isinstance(record, dict) or record.get("messageId") not in gone
        ]


_TARGET = Target(name="librechat", make=_make, extend=_extend, indent=1)
