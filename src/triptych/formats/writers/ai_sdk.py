"""Arrays of the Vercel AI SDK's ``UIMessage``: the shown path, a tool's answer in the part of its call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation
from triptych.formats.paths import active_path
from triptych.formats.writers.frame import Changes, Target, write_with
from triptych.formats.writers.line import line_of
from triptych.formats.writers.openai_chat import extend_list
from triptych.formats.writers.turns import Turn, turns_of
from triptych.formats.writers.values import arguments_value, file_url, media_url, sole_text
from triptych.formats.written import Written
from triptych.model import parts as words
from triptych.model.codec import part_to_json
from triptych.model.messages import AssistantMessage, Message, role_of
from triptych.model.status import CallApprovalNeeded, CallDenied, CallStreaming

__all__ = ["ui_parts", "write"]

Record = dict[str, Any]
_ROLES = ("system", "user", "assistant")


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """One array."""
    return write_with(_TARGET, conversations)


def _make(imported: ImportedConversation) -> list[Record]:
    return _records(imported, active_path(imported))


def _records(imported: ImportedConversation, path: Iterable[Message]) -> list[Record]:
    shown = {message.id: None for message in path}
    turns = {turn.message.id: turn for turn in turns_of(imported, _ROLES)}
    return [_record(turns[name]) for name in shown if name in turns]


def _record(turn: Turn) -> Record:
    message = turn.message
    metadata: Record = {"createdAt": message.created_at} if message.created_at else {}
    if isinstance(message, AssistantMessage) and message.model:
        metadata["model"] = message.model
    record: Record = {"id": message.id, "role": role_of(message)}
    return record | ({"metadata": metadata} if metadata else {}) | {"parts": ui_parts(turn.parts)}


def ui_parts(parts: Sequence[Any]) -> list[Record]:
    """The parts in the SDK's words; a call and its result are one part."""
    results: dict[str, Any] = {part.call_id: part for part in parts if isinstance(part, words.ToolResultPart)}
    return [made for part in parts if (made := _part(part, results)) is not None]


def _part(part: Any, results: dict[str, Any]) -> Record | None:
    match part:
        case words.TextPart(text=text):
            return {"type": "text", "text": text}
        case words.ReasoningPart(text=text):
            return {"type": "reasoning", "text": text, **_private(part, "providerMetadata")}
        case words.ToolCallPart():
            return _tool(part, results.get(part.call_id))
        case words.ImagePart() | words.FilePart() | words.AudioPart() | words.VideoPart():
            url = (
                file_url(part) if isinstance(part, words.FilePart) else media_url(part.media, part.media_type)
            )
            name = {"filename": part.name} if part.name else {}
            return (
                {"type": "file", "mediaType": part.media_type or _any(part), **name, "url": url}
                if url
                else None
            )
        case words.SourcePart(url=url, title=title) if url:
            return {"type": "source-url", "sourceId": url, "url": url} | ({"title": title} if title else {})
        case words.DataPart(name=name, data=data):
            return {"type": f"data-{name}", "data": data}
        case words.UnknownPart(raw=raw):
            return raw if isinstance(raw, dict) and isinstance(raw.get("type"), str) else None
        case _:
            return None


def _any(part: Any) -> str:
    kinds = {words.ImagePart: "image/png", words.AudioPart: "audio/wav", words.VideoPart: "video/mp4"}
    return kinds.get(type(part), "application/octet-stream")


def _private(part: Any, field: str) -> Record:
    return {field: part.private} if part.private else {}


def _tool(call: words.ToolCallPart, result: words.ToolResultPart | None) -> Record:
    given = arguments_value(call.arguments) if call.arguments.strip() else None
    raw = isinstance(given, str)
    part: Record = {
        "type": "dynamic-tool",
        "toolName": call.name,
        "toolCallId": call.call_id,
        "state": _state(call, result),
        "input": None if raw else given,
    }
    if raw:
        part["rawInput"] = given
    if call.server_side:
        part["providerExecuted"] = True
    return part | _private(call, "callProviderMetadata") | _answer(call, result)


def _state(call: words.ToolCallPart, result: words.ToolResultPart | None) -> str:
    if result is not None:
        return "output-error" if result.is_error else "output-available"
    match call.state:
        case CallStreaming():
            return "input-streaming"
        case CallApprovalNeeded():
            return "approval-requested"
        case CallDenied():
            return "output-denied"
        case _:
            return "input-available"


def _answer(call: words.ToolCallPart, result: words.ToolResultPart | None) -> Record:
    if result is not None:
        text = sole_text(result.content)
        output = text if text is not None else [part_to_json(one) for one in result.content]
        return (
            {"errorText": output if isinstance(output, str) else ""}
            if result.is_error
            else {"output": output}
        )
    if isinstance(call.state, CallDenied):
        reason = {"reason": call.state.reason} if call.state.reason else {}
        return {"approval": {"id": call.call_id, "approved": False, **reason}}
    return {"approval": {"id": call.call_id}} if isinstance(call.state, CallApprovalNeeded) else {}


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    line = line_of(imported, changes)
    base = line.base if line.base or isinstance(value, list) else ("messages",)
    return extend_list(value, base, line.keep, _records(imported, line.fresh))


_TARGET = Target(name="ai_sdk", make=_make, extend=_extend, indent=1)
