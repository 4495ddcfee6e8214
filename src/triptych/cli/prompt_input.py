"""Messages as other programs write them, for the pipes: one lenient reading of the shapes in common use.

``{id, role, content | parts, tools | tool_calls, tool_call_id, …}``; content may be a text, null, or a list of
OpenAI or Anthropic parts. Where a private part comes from follows from its type: thinking and redacted_thinking
are Anthropic's, reasoning is OpenAI's, a thoughtSignature is Google's. What is no message is left out with a note.

Not here: whole payloads of one wire (``wires.<wire>.from_payload``).
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from triptych.cli.prompt_wire import read_native
from triptych.model.ids import CallId, MessageId
from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from triptych.model.parts import (
    AudioPart,
    FilePart,
    ImagePart,
    InlineMedia,
    Media,
    ProviderMedia,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UnknownPart,
    UrlMedia,
)
from triptych.model.status import (
    COMPLETE,
    READY,
    CallApprovalNeeded,
    CallDenied,
    CallStarted,
    Incomplete,
    Status,
    ToolCallState,
)
from triptych.model.tools import ToolDefinition
from triptych.wires.payload import Repair

__all__ = ["read_prompt", "read_tools"]

_TEXTS = frozenset({"text", "input_text", "output_text"})
_CALLS = frozenset({"tool_use", "tool_call", "tool-call", "function_call", "toolCall"})
_RESULTS = frozenset({"tool_result", "tool-result", "function_call_output", "toolResult"})
_IMAGES = frozenset({"image", "image_url", "input_image"})
_FILES = frozenset({"file", "input_file", "document"})
_TOOLS = frozenset({"tool", "function"})
_ENDS: dict[str, Status] = {
    "length": Incomplete(reason="length"),
    "max_tokens": Incomplete(reason="length"),
    "aborted": Incomplete(reason="stopped"),
    "stopped": Incomplete(reason="stopped"),
    "cancelled": Incomplete(reason="stopped"),
    "interrupted": Incomplete(reason="interrupted"),
    "error": Incomplete(reason="error"),
    "content_filter": Incomplete(reason="contentFilter"),
}


def read_prompt(values: Any) -> tuple[list[Message], list[Repair]]:
    """The messages of a request, in their order, and a note for each entry that is none."""
    given = values if isinstance(values, list) else []
    native = read_native(given)
    if native is not None:
        return native
    messages: list[Message] = []
    notes: list[Repair] = []
    for index, value in enumerate(given):
        role = value.get("role") if isinstance(value, dict) else None
        if role not in {"system", "developer", "user", "assistant", "model", "tool", "function"}:
            name = str(value.get("id")) if isinstance(value, dict) else f"[{index}]"
            sentence = "An entry without a known role is no message and was left out."
            notes.append(Repair(rule="not-a-message", sentence=sentence, message=name, severity="warning"))
            continue
        messages.extend(_read(value, role, MessageId(str(value.get("id") or f"m{index + 1}"))))
    return messages, notes


def read_tools(values: Any) -> list[ToolDefinition]:
    """Tool definitions, ours or in OpenAI's wrapping."""
    tools: list[ToolDefinition] = []
    for value in values if isinstance(values, list) else []:
        held = value.get("function", value) if isinstance(value, dict) else {}
        if isinstance(held, dict) and isinstance(held.get("name"), str):
            parameters = held.get("parameters") or held.get("input_schema") or {}
            shown = parameters if isinstance(parameters, dict) else {}
            description = held.get("description")
            tools.append(
                ToolDefinition(
                    name=held["name"],
                    description=description if isinstance(description, str) else "",
                    parameters=shown,
                )
            )
    return tools


def _read(value: dict[str, Any], role: str, name: MessageId) -> list[Message]:
    parts = _parts(value)
    extra = {"name": value["name"]} if isinstance(value.get("name"), str) else None
    if role in {"system", "developer"}:
        return [SystemMessage(id=name, parts=tuple(part for part in parts if isinstance(part, TextPart)))]
    if role in {"assistant", "model"}:
        said = _one_of_each([*_thoughts(value), *parts, *_refusals(value)], value)
        return [AssistantMessage(id=name, parts=tuple(said), status=_status(value), extra=extra)]
    if role in _TOOLS:
        return [ToolMessage(id=name, parts=_results(value, parts))]
    results: Any = tuple(part for part in parts if isinstance(part, ToolResultPart))
    rest: Any = tuple(part for part in parts if not isinstance(part, ToolResultPart))
    turn = UserMessage(id=name, parts=rest, extra=extra)
    if not results:
        return [turn]
    return [ToolMessage(id=MessageId(f"{name}/results"), parts=results), *([turn] if rest else [])]


def _parts(value: dict[str, Any]) -> list[Any]:
    read: list[Any] = []
    for held in (value.get("parts"), value.get("content")):
        if isinstance(held, str):
            if held and not any(isinstance(part, TextPart) and part.text == held for part in read):
                read.append(TextPart(text=held, private=_private(value)))
        elif isinstance(held, list):
            read.extend(_part(item) for item in held)
        elif isinstance(held, dict) and ("type" in held or value.get("role") not in _TOOLS):
            read.append(_part(held))
        elif held is not None:
            read.append(TextPart(text=json.dumps(held, ensure_ascii=False)))
    read.extend(_part({"type": "image", "data": held}) for held in _list(value.get("images")))
    return [part for part in read if part is not None]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _part(value: Any) -> Any:
    if isinstance(value, str):
        return TextPart(text=value)
    if not isinstance(value, dict):
        return None if value is None else UnknownPart(raw=value)
    kind = value.get("type")
    if (kind in _TEXTS or kind is None) and isinstance(value.get("text"), str):
        return TextPart(text=value["text"], private=_private(value))
    if kind in _CALLS:
        return _call(value)
    if kind in _RESULTS:
        return _result(value)
    if kind in {"approval-response", "tool-approval-response"}:
        return _approval(value)
    if kind in {"thinking", "redacted_thinking", "reasoning"}:
        return _reasoning(value, kind)
    if kind == "refusal" and isinstance(value.get("refusal"), str):
        return RefusalPart(text=value["refusal"])
    return _medium(value, kind)


def _private(value: dict[str, Any]) -> dict[str, Any] | None:
    """What belongs to one provider only."""
    private: dict[str, Any] = {}
    mark = value.get("cache_control", value.get("cacheControl"))
    if mark:
        private["anthropic"] = {"cache_control": mark if isinstance(mark, dict) else {"type": "ephemeral"}}
    signature = value.get("thoughtSignature", value.get("thought_signature"))
    if isinstance(signature, str):
        private["google"] = {"thoughtSignature": signature}
    openai = {"id": value.get("itemId", value.get("item_id")), "phase": value.get("phase")}
    held = {name: fact for name, fact in openai.items() if isinstance(fact, str)}
    return private | ({"openai": held} if held else {}) or None


def _thoughts(value: dict[str, Any]) -> list[ReasoningPart]:
    """The reasoning that servers of open models put beside a reply's content."""
    held = (value.get(name) for name in ("reasoning_content", "reasoning", "thinking"))
    return [ReasoningPart(text=text) for text in held if isinstance(text, str) and text.strip()][:1]


def _refusals(value: dict[str, Any]) -> list[RefusalPart]:
    held = value.get("refusal")
    return [RefusalPart(text=held)] if isinstance(held, str) and held else []


def _reasoning(value: dict[str, Any], kind: str) -> ReasoningPart:
    if kind == "redacted_thinking":
        return ReasoningPart(redacted=True, private={"anthropic": {"data": value.get("data")}})
    if kind == "thinking" or "signature" in value:
        text = value.get("thinking", value.get("text"))
        signature = {"signature": value["signature"]} if "signature" in value else {}
        return ReasoningPart(text=text if isinstance(text, str) else "", private={"anthropic": signature})
    summary = value.get("summary") if isinstance(value.get("summary"), list) else []
    said = [item.get("text") for item in summary or () if isinstance(item, dict)]
    held: dict[str, Any] = {"id": value.get("id", value.get("itemId")), "summary": summary}
    encrypted = value.get("encrypted", value.get("encrypted_content", value.get("encryptedContent")))
    if encrypted is not None:
        held["encrypted_content"] = encrypted
    text = (
        value.get("text") if isinstance(value.get("text"), str) else "\n".join(map(str, filter(None, said)))
    )
    known = held["id"] is not None or encrypted is not None
    return ReasoningPart(text=text or "", private={"openai": held} if known else None)


def _call(value: dict[str, Any]) -> ToolCallPart:
    held = value.get("function") if isinstance(value.get("function"), dict) else value
    name = value.get("call_id", value.get("toolCallId", value.get("tool_call_id", value.get("id"))))
    raw: Any = None
    for key in ("arguments", "input", "args"):
        if held is not None and key in held:
            raw = held[key]
            break
    return ToolCallPart(
        call_id=CallId(_text(name)),
        name=_text((held or {}).get("name", value.get("toolName"))),
        arguments=raw if isinstance(raw, str) else "" if raw is None else json.dumps(raw, ensure_ascii=False),
        state=_state(value),
        private=_private(value),
    )


def _state(value: dict[str, Any]) -> ToolCallState:
    if value.get("pending") or value.get("state") in {"pending", "approval-requested"}:
        return CallApprovalNeeded()
    if value.get("denied") or value.get("state") in {"denied", "rejected"}:
        return CallDenied()
    return CallStarted() if value.get("state") in {"started", "running"} else READY


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _one_of_each(parts: list[Any], value: dict[str, Any]) -> list[Any]:
    """The parts with the calls that stand beside them; a call that stands in both places is one call."""
    inside = [part.call_id for part in parts if isinstance(part, ToolCallPart)]
    said = list(parts)
    results: list[ToolResultPart] = []
    for held in (value.get("tools"), value.get("tool_calls"), [value.get("function_call")]):
        for item in _list(held):
            if not isinstance(item, dict):
                continue
            call = _call(item)
            if call.call_id in inside:
                inside.remove(call.call_id)
                continue
            said.append(call)
            if "result" in item:
                results.append(_result({"tool_call_id": call.call_id, "content": item["result"]}))
    return [*said, *results]


def _status(value: dict[str, Any]) -> Status:
    words = (
        value.get("finishReason"),
        value.get("finish_reason"),
        value.get("stop_reason"),
        value.get("status"),
    )
    return next((_ENDS[word] for word in words if isinstance(word, str) and word in _ENDS), COMPLETE)


def _results(value: dict[str, Any], parts: list[Any]) -> tuple[Any, ...]:
    """The results of a tool message: parts that are results, and one made of everything else in it."""
    results = [_addressed(part, value) for part in parts if isinstance(part, ToolResultPart)]
    rest = [part for part in parts if not isinstance(part, ToolResultPart | ToolCallPart | ReasoningPart)]
    if rest or not results:
        if not rest and isinstance(value.get("parts"), list) and value["parts"] and not results:
            return ()
        name = value.get("tool_call_id", value.get("toolCallId", value.get("call_id")))
        failed = bool(value.get("is_error") or value.get("isError") or value.get("status") == "error")
        stated = value.get("name", value.get("tool_name"))
        results.insert(
            0,
            ToolResultPart(
                call_id=CallId(_text(name)),
                name=stated if isinstance(stated, str) else None,
                content=tuple(rest),
                is_error=failed,
            ),
        )
    return tuple(results)


def _addressed(part: ToolResultPart, value: dict[str, Any]) -> ToolResultPart:
    """A result part that names no call answers the one that its message names."""
    name = value.get("tool_call_id", value.get("toolCallId"))
    return part if part.call_id else msgspec.structs.replace(part, call_id=CallId(_text(name)))


def _result(value: dict[str, Any]) -> ToolResultPart:
    name = next(
        (
            value[key]
            for key in ("tool_use_id", "tool_call_id", "toolCallId", "call_id", "id")
            if key in value
        ),
        None,
    )
    held = next((value[key] for key in ("content", "result", "output", "text") if key in value), None)
    if isinstance(held, dict) and "value" in held:
        held = held["value"]
    if isinstance(held, list):
        content = [part for item in held if (part := _part(item)) is not None]
    else:
        content = (
            [TextPart(text=held if isinstance(held, str) else json.dumps(held))] if held is not None else []
        )
    return ToolResultPart(
        call_id=CallId(_text(name)),
        content=tuple(
            item for item in content if not isinstance(item, ToolCallPart | ToolResultPart | ReasoningPart)
        ),
        is_error=bool(value.get("is_error") or value.get("isError")),
        private=_private(value),
    )


def _approval(value: dict[str, Any]) -> ToolResultPart | None:
    """A person's answer to a question about a call is no result; a refusal is why there is none."""
    name = value.get("toolCallId", value.get("tool_call_id"))
    if value.get("approved") is not False or not isinstance(name, str):
        return None
    reason = value.get("reason")
    text = f"[No result: a person did not allow this call{f': {reason}' if reason else ''}.]"
    return ToolResultPart(call_id=CallId(name), content=(TextPart(text=text),), is_error=True)


def _medium(value: dict[str, Any], kind: Any) -> Any:
    media, media_type = _media(value)
    sizes = {key: value[key] for key in ("width", "height") if isinstance(value.get(key), int)}
    named = value.get("name", value.get("filename", value.get("title")))
    name = named if isinstance(named, str) else None
    if kind in _IMAGES and media is not None:
        held = value.get("image_url")
        detail = held.get("detail") if isinstance(held, dict) else value.get("detail")
        return ImagePart(
            media=media,
            media_type=media_type,
            name=name,
            detail=detail if isinstance(detail, str) else None,
            private=_private(value),
            extra=sizes or None,
        )
    if kind == "input_audio" and isinstance(value.get("input_audio"), dict):
        sound = value["input_audio"]
        media_type = "audio/mpeg" if sound.get("format") == "mp3" else "audio/wav"
        return AudioPart(media=InlineMedia(data=_text(sound.get("data"))), media_type=media_type)
    if kind in _FILES:
        held = value.get("file")
        inner = held if isinstance(held, dict) else value
        media, media_type = _media({**value, **inner})
        text = inner.get("text")
        file_name = inner.get("filename", inner.get("name"))
        return FilePart(
            media=media,
            media_type=media_type,
            name=file_name if isinstance(file_name, str) else name,
            text=text if isinstance(text, str) else None,
        )
    return UnknownPart(raw=value)


def _media(value: dict[str, Any]) -> tuple[Media | None, str | None]:
    """Where the bytes are, and their type, in any of the usual spellings."""
    source = value.get("source")
    if isinstance(source, dict):
        value = {**value, **source}
    media_type = next(
        (
            value[key]
            for key in ("mediaType", "media_type", "mimeType", "mime_type")
            if isinstance(value.get(key), str)
        ),
        None,
    )
    address = value.get("image_url", value.get("url", value.get("file_url")))
    if isinstance(address, dict):
        address = address.get("url")
    data = value.get("data", value.get("file_data", value.get("image")))
    if isinstance(data, str) and data[:5].lower() != "data:" and data[:4] != "http":
        return InlineMedia(data=data), media_type
    where = address if isinstance(address, str) else data
    if isinstance(where, str):
        return UrlMedia(url=where), media_type
    if isinstance(value.get("file_id"), str):
        return ProviderMedia(family="openai", file_id=value["file_id"]), media_type
    return None, media_type
