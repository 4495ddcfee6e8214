"""assistant-ui's exported message repository: the whole tree and its head, answers in the part of their call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation
from triptych.formats.writers.ai_sdk import ui_parts
from triptych.formats.writers.frame import Changes, Target, write_with
from triptych.formats.writers.turns import Turn, head_turn, touched, turns_of
from triptych.formats.writers.values import arguments_value, inline_data, iso_time, media_url, sole_text
from triptych.formats.written import Written
from triptych.model import parts as words
from triptych.model.codec import part_to_json
from triptych.model.messages import AssistantMessage, role_of
from triptych.model.status import AwaitingApproval, Incomplete, Status

__all__ = ["write"]

Record = dict[str, Any]
_ROLES = ("system", "user", "assistant")
_EPOCH = "1970-01-01T00:00:00.000Z"
_ENDS = {"stopped": "cancelled", "length": "length", "contentFilter": "content-filter", "error": "error"}


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """One repository."""
    return write_with(_TARGET, conversations)


def _make(imported: ImportedConversation) -> Record:
    turns = turns_of(imported, _ROLES)
    value: Record = {"headId": head_turn(imported, turns)}
    return value | {"messages": [_item(turn) for turn in turns]}


def _item(turn: Turn) -> Record:
    return {"message": _message(turn), "parentId": turn.parent}


def _message(turn: Turn) -> Record:
    message = turn.message
    record: Record = {
        "id": message.id,
        "createdAt": iso_time(message.created_at) or _EPOCH,
        "role": role_of(message),
        "content": _content([part for part in turn.parts if not _is_attachment(part)]),
    }
    if not isinstance(message, AssistantMessage):
        return record | {"attachments": _attachments(turn.parts), "metadata": {"custom": {}}}
    custom = {"model": message.model} if message.model else {}
    metadata = {"unstable_state": None, "unstable_annotations": [], "unstable_data": [], "steps": []}
    return record | {"status": _status(message.status), "metadata": {**metadata, "custom": custom}}


def _is_attachment(part: Any) -> bool:
    """A file of which the text is known: the program keeps it beside the content."""
    return isinstance(part, words.FilePart) and part.media is None and part.text is not None


def _attachments(parts: Sequence[Any]) -> list[Record]:
    return [
        {
            "id": f"attachment-{index}",
            "type": "document",
            "name": part.name or "",
            "contentType": part.media_type or "text/plain",
            "status": {"type": "complete"},
            "content": [{"type": "text", "text": part.text}],
        }
        for index, part in enumerate(parts)
        if _is_attachment(part)
    ]


def _status(status: Status) -> Record:
    match status:
        case Incomplete(reason=reason, error=error):
            shown: Record = {"type": "incomplete", "reason": _ENDS.get(reason, "other")}
            return shown | ({"error": error} if error else {})
        case AwaitingApproval():
            return {"type": "requires-action", "reason": "tool-calls"}
        case _:
            return {"type": "complete", "reason": "stop"}


def _content(parts: Sequence[Any]) -> list[Record]:
    results: dict[str, Any] = {part.call_id: part for part in parts if isinstance(part, words.ToolResultPart)}
    return [made for part in parts if (made := _part(part, results)) is not None]


def _part(part: Any, results: dict[str, Any]) -> Record | None:
    match part:
        case words.ToolCallPart():
            return _tool_call(part, results.get(part.call_id))
        case words.ImagePart():
            url = media_url(part.media, part.media_type)
            name = {"filename": part.name} if part.name else {}
            return {"type": "image", "image": url, **name} if url else None
        case words.AudioPart():
            data = inline_data(part.media)
            form = (part.media_type or "audio/wav").removeprefix("audio/")
            return {"type": "audio", "audio": {"data": data, "format": form}} if data else None
        case words.DataPart(name=name, data=data):
            return {"type": "data", "name": name, "data": data}
        case words.SourcePart(url=url, title=title) if url:
            named = {"title": title} if title else {}
            return {"type": "source", "sourceType": "url", "id": url, "url": url, **named}
        case _:
            return next(iter(ui_parts([part])), None)


def _tool_call(call: words.ToolCallPart, result: words.ToolResultPart | None) -> Record:
    given = arguments_value(call.arguments)
    part: Record = {
        "type": "tool-call",
        "toolCallId": call.call_id,
        "toolName": call.name,
        "args": given if isinstance(given, dict) else {},
        "argsText": call.arguments,
    }
    if result is None:
        return part
    text = sole_text(result.content)
    part["result"] = text if text is not None else [part_to_json(one) for one in result.content]
    part["isError"] = result.is_error
    return part | ({"artifact": result.state} if result.state is not None else {})


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    turns = turns_of(imported, _ROLES)
    added, renewed = touched(turns, changes)
    rows: list[Any] = value if isinstance(value, list) else value["messages"]
    again = {turn.message.id: turn for turn in renewed}
    for row in rows:
        turn = again.get(_name(row)) if isinstance(row, dict) else None
        if turn is not None:
            _renew(row, turn)
    rows[:] = [row for row in rows if not isinstance(row, dict) or _name(row) not in changes.gone]
    wrapped = any(isinstance(row, dict) and isinstance(row.get("message"), dict) for row in rows)
    rows += [_item(turn) if wrapped else _row(turn) for turn in added]
    if isinstance(value, dict) and changes.moved and (head := head_turn(imported, turns)) is not None:
        value["headId"] = head
    return value


def _name(row: Record) -> Any:
    inner = row.get("message")
    return inner.get("id") if isinstance(inner, dict) else row.get("id")


def _renew(row: Record, turn: Turn) -> None:
    inner = row.get("message", row.get("content"))
    if isinstance(inner, dict) and "parts" in inner:
        inner["parts"] = ui_parts(turn.parts)
    elif isinstance(inner, dict):
        inner["content"] = _content(turn.parts)


def _row(turn: Turn) -> Record:
    message = _message(turn)
    content = {key: item for key, item in message.items() if key not in ("id", "createdAt")}
    return {
        "id": turn.message.id,
        "parent_id": turn.parent,
        "format": "aui/v0",
        "created_at": message["createdAt"],
        "content": content,
    }


_TARGET = Target(name="assistant_ui", make=_make, extend=_extend, indent=1)
