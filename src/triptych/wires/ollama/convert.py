"""Typed messages to the body of Ollama's native chat (``POST /api/chat``).

Arguments are objects, calls have no ids (results go by order and name), pictures stand beside the text.
Shapes: ollama 0.6.3 ``Message``.

Not here: mending (``repair``), the reply (``stream``), the way back (``from_payload``).
"""

from __future__ import annotations

from typing import Any

from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import ImagePart, InlineMedia, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from triptych.model.profile import Profile
from triptych.model.tools import ToolDefinition
from triptych.wires.repair.calls import parse_arguments
from triptych.wires.request import (
    Request,
    is_one_text,
    joined_text,
    object_schema,
    result_text,
    sent_tools,
    unsupported,
)

__all__ = ["ITEMS", "build_body", "convert_messages"]

ITEMS = "messages"
_NAMES = {
    "max_tokens": "num_predict",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop": "stop",
    "seed": "seed",
}
_KNOWN = (*_NAMES, "response_schema", "thinking")


def convert_messages(messages: list[Message], profile: Profile) -> list[dict[str, Any]]:
    """Repaired messages as entries of ``messages``."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if type(message) is AssistantMessage:
            items.append(_assistant(message))
        elif type(message) is ToolMessage:
            items.extend([_result(part) for part in message.parts if type(part) is ToolResultPart])
        elif type(message) is UserMessage:
            items.append(_user(message))
        else:
            items.append({"role": profile.system_role, "content": joined_text(message.parts)})
    return items


def build_body(items: list[dict[str, Any]], request: Request) -> dict[str, Any]:
    """The whole body around the messages."""
    options = request.options
    unsupported(request, _KNOWN)
    body: dict[str, Any] = {"model": request.model} if request.model else {}
    body[ITEMS] = items
    tools = sent_tools(request)
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
    settings = {written: options[name] for name, written in _NAMES.items() if name in options}
    if isinstance(settings.get("stop"), str):
        settings["stop"] = [settings["stop"]]
    if settings:
        body["options"] = settings
    if "response_schema" in options:
        body["format"] = options["response_schema"]
    if "thinking" in options:
        body["think"] = bool(options["thinking"])
    return body


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": object_schema(tool)}
    return {"type": "function", "function": function}


def _user(message: UserMessage) -> dict[str, Any]:
    if is_one_text(message.parts):
        return {"role": "user", "content": message.parts[0].text}
    images = [
        part.media.data
        for part in message.parts
        if isinstance(part, ImagePart) and isinstance(part.media, InlineMedia)
    ]
    item: dict[str, Any] = {"role": "user", "content": joined_text(message.parts)}
    return {**item, "images": images} if images else item


def _assistant(message: AssistantMessage) -> dict[str, Any]:
    if is_one_text(message.parts):
        return {"role": "assistant", "content": message.parts[0].text}
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            texts.append(part.text)
        elif isinstance(part, ToolCallPart):
            held = parse_arguments(part.arguments) or {}
            calls.append({"function": {"name": part.name, "arguments": held}})
        elif isinstance(part, ReasoningPart):
            thoughts.append(part.text)
    item: dict[str, Any] = {"role": "assistant", "content": "\n\n".join(texts)}
    if thoughts:
        item["thinking"] = "\n\n".join(thoughts)
    if calls:
        item["tool_calls"] = calls
    return item


def _result(part: ToolResultPart) -> dict[str, Any]:
    item = {"role": "tool", "content": result_text(part)}
    if part.name:
        item["tool_name"] = part.name
    return item
