"""Typed messages to the body of Bedrock Converse (``POST /model/{id}/converse``), bytes as base64.

Results and what a person says after them are one user turn. A document has a neutral name and a text beside it.
Shapes: botocore's ``bedrock-runtime`` model.

Not here: mending (``repair``), the reply (``stream``), the way back (``from_payload``).
"""

from __future__ import annotations

from typing import Any

from triptych.model.digest import digest_text
from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import (
    FilePart,
    ImagePart,
    InlineMedia,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    VideoPart,
)
from triptych.model.profile import Profile
from triptych.model.tools import ToolDefinition
from triptych.wires.private import cache_mark, redacted_of, signature_of
from triptych.wires.repair.calls import parse_arguments
from triptych.wires.request import Request, object_schema, sent_tools, tool_choice_name, unsupported

__all__ = ["FORMATS", "ITEMS", "build_body", "convert_messages"]

ITEMS = "messages"
_NAMES = {"max_tokens": "maxTokens", "temperature": "temperature", "top_p": "topP"}
_KNOWN = (*_NAMES, "stop", "tool_choice")
FORMATS = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
}
"""Bedrock's word for a media type."""


def convert_messages(messages: list[Message], profile: Profile) -> list[dict[str, Any]]:
    """Repaired messages as entries of ``messages``; system messages have a field of their own."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            items.append({"role": "assistant", "content": _assistant_blocks(message, profile)})
        elif isinstance(message, ToolMessage):
            results = [
                _result(part, message, profile) for part in message.parts if isinstance(part, ToolResultPart)
            ]
            items.append({"role": "user", "content": results})
        elif isinstance(message, UserMessage):
            blocks = _user_blocks(message.parts, message, profile)
            if items and items[-1]["role"] == "user":
                items[-1]["content"].extend(blocks)
            else:
                items.append({"role": "user", "content": blocks})
    return items


def build_body(items: list[dict[str, Any]], request: Request) -> dict[str, Any]:
    """The whole body around the messages; the model's name is part of the address, not of the body."""
    options = request.options
    unsupported(request, _KNOWN)
    body: dict[str, Any] = {ITEMS: items}
    if request.system:
        body["system"] = [block for part in request.system for block in _text(part, request.profile)]
    tools = sent_tools(request)
    if tools:
        config: dict[str, Any] = {"tools": [{"toolSpec": _tool(tool)} for tool in tools]}
        if "tool_choice" in options and options["tool_choice"] != "none" and request.tools:
            config["toolChoice"] = _choice(options["tool_choice"], request.profile)
        body["toolConfig"] = config
    settings = {written: options[name] for name, written in _NAMES.items() if name in options}
    if "stop" in options:
        settings["stopSequences"] = [options["stop"]] if isinstance(options["stop"], str) else options["stop"]
    return {**body, "inferenceConfig": settings} if settings else body


def _choice(wanted: Any, profile: Profile) -> dict[str, Any]:
    name = tool_choice_name(wanted, profile)
    if name:
        return {"tool": {"name": name}}
    return {"any": {}} if str(wanted) in {"any", "required"} else {"auto": {}}


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    shown = {"name": tool.name, "inputSchema": {"json": object_schema(tool)}}
    return {**shown, "description": tool.description} if tool.description else shown


def _assistant_blocks(message: AssistantMessage, profile: Profile) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            blocks.extend(_text(part, profile))
        elif isinstance(part, ToolCallPart):
            held = parse_arguments(part.arguments) or {}
            blocks.append({"toolUse": {"toolUseId": part.call_id, "name": part.name, "input": held}})
            blocks.extend(_mark(part, profile))
        elif isinstance(part, ReasoningPart):
            blocks.append({"reasoningContent": _reasoning(part, profile.family)})
    return blocks


def _reasoning(part: ReasoningPart, family: str) -> dict[str, Any]:
    if part.redacted:
        return {"redactedContent": redacted_of(part, family)}
    return {"reasoningText": {"text": part.text, "signature": signature_of(part, family)}}


def _text(part: TextPart, profile: Profile) -> list[dict[str, Any]]:
    block = {"text": part.text}
    return [block, *_mark(part, profile)] if part.private else [block]


def _mark(part: Any, profile: Profile) -> list[dict[str, Any]]:
    mark = cache_mark(part) if profile.cache_marks else None
    return [] if mark is None else [{"cachePoint": {"type": "default", **mark}}]


def _result(part: ToolResultPart, message: Message, profile: Profile) -> dict[str, Any]:
    result: dict[str, Any] = {
        "toolUseId": part.call_id,
        "content": _user_blocks(part.content, message, profile),
        "status": "error" if part.is_error else "success",
    }
    return {"toolResult": result}


def _user_blocks(parts: tuple[Any, ...], message: Message, profile: Profile) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for index, part in enumerate(parts):
        if type(part) is TextPart:
            blocks.extend(_text(part, profile))
            continue
        media = getattr(part, "media", None)
        if not isinstance(media, InlineMedia):
            continue
        kind = FORMATS.get(part.media_type or "", "txt")
        source = {"bytes": media.data}
        if isinstance(part, ImagePart):
            blocks.append({"image": {"format": kind, "source": source}})
        elif isinstance(part, VideoPart):
            blocks.append({"video": {"format": kind, "source": source}})
        elif isinstance(part, FilePart):
            name = "document-" + digest_text(f"{message.id}\n{index}").removeprefix("b2:")[:12]
            blocks.append({"text": f"[{name} is the file {part.name or 'without a name'}.]"})
            blocks.append({"document": {"format": kind, "name": name, "source": source}})
        blocks.extend(_mark(part, profile))
    return blocks
