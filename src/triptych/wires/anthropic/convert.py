"""Typed messages to the body of Anthropic Messages.

Results and what a person says after them are one user turn, results first. Thinking goes back byte for byte.
Shapes: anthropic 2.14.0 ``MessageParam``.

Not here: mending (``repair``), the reply (``stream``), the way back (``from_payload``).
"""

from __future__ import annotations

import binascii
from typing import Any

from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import (
    FilePart,
    ImagePart,
    InlineMedia,
    Media,
    ProviderMedia,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UnknownPart,
    UrlMedia,
)
from triptych.model.profile import Profile
from triptych.model.tools import ToolDefinition
from triptych.wires.payload import Repair
from triptych.wires.private import cache_mark, redacted_of, signature_of
from triptych.wires.repair.calls import parse_arguments
from triptych.wires.repair.server_tools import is_verbatim
from triptych.wires.request import Request, object_schema, sent_tools, tool_choice_name, unsupported

__all__ = ["ITEMS", "build_body", "convert_messages"]

ITEMS = "messages"
_SAME = ("temperature", "top_p")
_KNOWN = (*_SAME, "stop", "max_tokens", "tool_choice", "parallel_tool_calls", "thinking")
_LEAST_BUDGET = 1_024
_USUAL_TOKENS = 4_096


def convert_messages(messages: list[Message], profile: Profile) -> list[dict[str, Any]]:
    """Repaired messages as entries of ``messages``; system messages have a field of their own."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            items.append({"role": "assistant", "content": _assistant_blocks(message, profile.family)})
        elif isinstance(message, ToolMessage):
            items.append({"role": "user", "content": _result_blocks(message)})
        elif isinstance(message, UserMessage):
            blocks = _user_blocks(message.parts)
            if items and items[-1]["role"] == "user":
                items[-1]["content"].extend(blocks)
            else:
                items.append({"role": "user", "content": blocks})
    return items


def build_body(items: list[dict[str, Any]], request: Request) -> dict[str, Any]:
    """The whole body around the messages."""
    options, profile = request.options, request.profile
    unsupported(request, _KNOWN)
    body: dict[str, Any] = {"model": request.model} if request.model else {}
    body["max_tokens"] = options.get("max_tokens") or profile.max_output or _USUAL_TOKENS
    if request.system:
        body["system"] = [_text_block(part) for part in request.system]
    body[ITEMS] = items
    tools = sent_tools(request)
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
        choice = _choice(options, profile, offered=bool(request.tools))
        if choice:
            body["tool_choice"] = choice
    if "stop" in options:
        stop = options["stop"]
        body["stop_sequences"] = [stop] if isinstance(stop, str) else stop
    body |= {name: options[name] for name in _SAME if name in options}
    return _with_thinking(body, request)


def _with_thinking(body: dict[str, Any], request: Request) -> dict[str, Any]:
    """Thinking as asked for, unless the request is one that may not think; what it excludes is left out."""
    wanted = request.options.get("thinking")
    if not isinstance(wanted, dict) or wanted.get("type") not in {"enabled", "adaptive"}:
        return body
    prefilled = bool(body[ITEMS]) and body[ITEMS][-1]["role"] == "assistant"
    if request.open_call or prefilled:
        sentence = "Thinking is off for this request: its open turn does not begin with thinking."
        request.notes.append(Repair(rule="thinking-off", sentence=sentence, severity="warning"))
        return body
    thinking = dict(wanted)
    if wanted["type"] == "enabled":
        budget = max(_LEAST_BUDGET, int(wanted.get("budget_tokens") or _LEAST_BUDGET))
        thinking["budget_tokens"] = budget
        if body["max_tokens"] <= budget:
            body["max_tokens"] += budget
    forced = body.get("tool_choice", {}).get("type") in {"any", "tool"}
    clash = {"temperature", "top_p"} & body.keys() | ({"tool_choice"} if forced else set())
    if clash:
        sentence = f"With thinking on, {', '.join(sorted(clash))} may not be set and was left out."
        request.notes.append(Repair(rule="thinking-options", sentence=sentence))
    return {key: value for key, value in body.items() if key not in clash} | {"thinking": thinking}


def _choice(options: dict[str, Any], profile: Profile, *, offered: bool) -> dict[str, Any]:
    if not offered:
        return {"type": "none"}
    wanted = options.get("tool_choice", "auto")
    name = tool_choice_name(wanted, profile)
    said: dict[str, Any] = (
        {"type": "tool", "name": name} if name else {"type": "any" if wanted == "required" else wanted}
    )
    if options.get("parallel_tool_calls") is False and said["type"] != "none":
        said["disable_parallel_tool_use"] = True
    return said if said != {"type": "auto"} or "tool_choice" in options else {}


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": tool.name, "input_schema": object_schema(tool)}
    return {**shown, "description": tool.description} if tool.description else shown


def _assistant_blocks(message: AssistantMessage, family: str) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            blocks.append(_text_block(part))
        elif isinstance(part, ToolCallPart):
            held = parse_arguments(part.arguments) or {}
            blocks.append(
                _marked({"type": "tool_use", "id": part.call_id, "name": part.name, "input": held}, part)
            )
        elif isinstance(part, ReasoningPart):
            blocks.append(_thinking_block(part, family))
        elif is_verbatim(part) and isinstance(part, UnknownPart):
            blocks.append(part.raw)
    return blocks


def _thinking_block(part: ReasoningPart, family: str) -> dict[str, Any]:
    if part.redacted:
        return {"type": "redacted_thinking", "data": redacted_of(part, family)}
    return {"type": "thinking", "thinking": part.text, "signature": signature_of(part, family)}


def _result_blocks(message: ToolMessage) -> list[dict[str, Any]]:
    return [_result_block(part) for part in message.parts if isinstance(part, ToolResultPart)]


def _result_block(part: ToolResultPart) -> dict[str, Any]:
    block: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": part.call_id,
        "content": _user_blocks(part.content),
    }
    if part.is_error:
        block["is_error"] = True
    return _marked(block, part)


def _user_blocks(parts: tuple[Any, ...]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for part in parts:
        block = _text_block(part) if type(part) is TextPart else _media_block(part)
        if block is not None:
            blocks.append(block)
    return blocks


def _text_block(part: TextPart) -> dict[str, Any]:
    block = {"type": "text", "text": part.text}
    return _marked(block, part) if part.private else block


def _marked(block: dict[str, Any], part: Any) -> dict[str, Any]:
    mark = cache_mark(part)
    return block if mark is None else {**block, "cache_control": {"type": "ephemeral", **mark}}


def _media_block(part: Any) -> dict[str, Any] | None:
    match part:
        case ImagePart(media=media):
            return _marked({"type": "image", "source": _source(media, part.media_type or "image/png")}, part)
        case FilePart(media=InlineMedia(data=data), media_type="text/plain"):
            source = {"type": "text", "media_type": "text/plain", "data": _decoded(data)}
            return _marked({"type": "document", "source": source, **_title(part)}, part)
        case FilePart(media=media) if media is not None:
            source = _source(media, part.media_type or "application/pdf")
            return _marked({"type": "document", "source": source, **_title(part)}, part)
        case _:
            return None


def _title(part: FilePart) -> dict[str, str]:
    return {"title": part.name} if part.name else {}


def _decoded(data: str) -> str:
    return binascii.a2b_base64(data).decode("utf-8", "replace").replace("\x00", "\ufffd")


def _source(media: Media, media_type: str) -> dict[str, Any]:
    match media:
        case InlineMedia(data=data):
            return {"type": "base64", "media_type": media_type, "data": data}
        case UrlMedia(url=url):
            return {"type": "url", "url": url}
        case ProviderMedia(file_id=file_id):
            return {"type": "file", "file_id": file_id}
        case _:
            return {}
