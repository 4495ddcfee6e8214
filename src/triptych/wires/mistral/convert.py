"""Typed messages to the body of Mistral's chat completions.

The last message may be the assistant's only as a marked prefix. Shapes and rules: mistral-common.

Not here: mending (``repair``), the reply (``stream``), the way back (``from_payload``).
"""

from __future__ import annotations

from typing import Any

from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import ImagePart, InlineMedia, TextPart, ToolCallPart, ToolResultPart, UrlMedia
from triptych.model.profile import Profile
from triptych.model.tools import ToolDefinition
from triptych.wires.pictures import data_url
from triptych.wires.request import (
    Request,
    joined_text,
    object_schema,
    result_text,
    sent_tools,
    tool_choice_name,
    unsupported,
)

__all__ = ["ITEMS", "build_body", "convert_messages"]

ITEMS = "messages"
_NAMES = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop": "stop",
    "seed": "random_seed",
}
_KNOWN = (*_NAMES, "tool_choice", "response_schema", "parallel_tool_calls")


def convert_messages(messages: list[Message], profile: Profile) -> list[dict[str, Any]]:
    """Repaired messages as entries of ``messages``."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            items.append(_assistant(message))
        elif isinstance(message, ToolMessage):
            items.extend(_result(part) for part in message.parts if isinstance(part, ToolResultPart))
        elif isinstance(message, UserMessage):
            items.append({"role": "user", "content": _content(message)})
        else:
            items.append({"role": profile.system_role, "content": joined_text(message.parts)})
    return items


def build_body(items: list[dict[str, Any]], request: Request) -> dict[str, Any]:
    """The whole body around the messages; a last assistant message is marked as a prefix."""
    options = request.options
    unsupported(request, _KNOWN)
    body: dict[str, Any] = {"model": request.model} if request.model else {}
    last = items[-1] if items else {}
    prefix = last.get("role") == "assistant"
    body[ITEMS] = [*items[:-1], {**last, "prefix": True}] if prefix else items
    tools = sent_tools(request)
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
        if "tool_choice" in options:
            name = tool_choice_name(options["tool_choice"], request.profile)
            word = "any" if options["tool_choice"] == "required" else options["tool_choice"]
            body["tool_choice"] = {"type": "function", "function": {"name": name}} if name else word
        if "parallel_tool_calls" in options:
            body["parallel_tool_calls"] = bool(options["parallel_tool_calls"])
    if "response_schema" in options:
        schema = {"name": "reply", "schema": options["response_schema"]}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body | {written: options[name] for name, written in _NAMES.items() if name in options}


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": object_schema(tool)}
    return {"type": "function", "function": function}


def _assistant(message: AssistantMessage) -> dict[str, Any]:
    item: dict[str, Any] = {"role": "assistant", "content": joined_text(message.parts)}
    calls = [
        {"id": part.call_id, "type": "function", "function": {"name": part.name, "arguments": part.arguments}}
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    return {**item, "tool_calls": calls} if calls else item


def _result(part: ToolResultPart) -> dict[str, Any]:
    item = {"role": "tool", "tool_call_id": part.call_id, "content": result_text(part)}
    return {**item, "name": part.name} if part.name else item


def _content(message: UserMessage) -> Any:
    if all(isinstance(part, TextPart) for part in message.parts):
        return joined_text(message.parts)
    chunks: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            chunks.append({"type": "text", "text": part.text})
        elif isinstance(part, ImagePart) and isinstance(part.media, InlineMedia):
            address = data_url(part.media_type or "image/png", part.media.data)
            chunks.append({"type": "image_url", "image_url": address})
        elif isinstance(part, ImagePart) and isinstance(part.media, UrlMedia):
            chunks.append({"type": "image_url", "image_url": part.media.url})
    return chunks
