"""Typed messages to the body of Gemini ``generateContent``, in the camelCase of the HTTP API.

Results of one call turn are one content directly behind it, before what a person says next. A thought signature
stays on exactly the part that had it; parts are neither merged nor reordered. Shapes: google-genai 3.6.1 ``Content``.

Not here: mending (``repair``), the reply (``stream``), the way back (``from_payload``).
"""

from __future__ import annotations

import re
from typing import Any

from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import (
    InlineMedia,
    ProviderMedia,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from triptych.model.profile import Profile
from triptych.model.tools import ToolDefinition
from triptych.wires.private import signature_of
from triptych.wires.repair.calls import parse_arguments
from triptych.wires.repair.media import kind_of
from triptych.wires.request import (
    Request,
    object_schema,
    result_text,
    sent_tools,
    tool_choice_name,
    unsupported,
)

__all__ = ["ITEMS", "build_body", "convert_messages"]

ITEMS = "contents"
_NAMES = {"max_tokens": "maxOutputTokens", "temperature": "temperature", "top_p": "topP", "seed": "seed"}
_KNOWN = (*_NAMES, "stop", "tool_choice", "response_schema", "thinking")
_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY", "any": "ANY"}
_BASE64 = re.compile("[A-Za-z0-9+/_-]+={0,2}")


def convert_messages(messages: list[Message], profile: Profile) -> list[dict[str, Any]]:
    """Repaired messages as entries of ``contents``; system messages have a field of their own."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if type(message) is AssistantMessage:
            items.append({"role": "model", "parts": _model_parts(message, profile)})
        elif type(message) is ToolMessage:
            parts = [_response(part, profile) for part in message.parts if type(part) is ToolResultPart]
            items.append({"role": "user", "parts": parts})
        elif type(message) is UserMessage:
            shown = [_user_part(part) for part in message.parts]
            if items and items[-1]["role"] == "user":
                items[-1]["parts"].extend(shown)
            else:
                items.append({"role": "user", "parts": shown})
    return items


def build_body(items: list[dict[str, Any]], request: Request) -> dict[str, Any]:
    """The whole body around the contents; the model's name is part of the address, not of the body."""
    options = request.options
    unsupported(request, _KNOWN)
    body: dict[str, Any] = {ITEMS: items}
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": part.text} for part in request.system]}
    tools = sent_tools(request)
    if tools:
        body["tools"] = [{"functionDeclarations": [_tool(tool) for tool in tools]}]
        if "tool_choice" in options:
            body["toolConfig"] = {"functionCallingConfig": _choice(options["tool_choice"], request.profile)}
    settings = {written: options[name] for name, written in _NAMES.items() if name in options}
    if "stop" in options:
        settings["stopSequences"] = [options["stop"]] if isinstance(options["stop"], str) else options["stop"]
    if "response_schema" in options:
        settings |= {"responseMimeType": "application/json", "responseJsonSchema": options["response_schema"]}
    if isinstance(options.get("thinking"), dict):
        settings["thinkingConfig"] = options["thinking"]
    return {**body, "generationConfig": settings} if settings else body


def _choice(wanted: Any, profile: Profile) -> dict[str, Any]:
    name = tool_choice_name(wanted, profile)
    return (
        {"mode": "ANY", "allowedFunctionNames": [name]} if name else {"mode": _MODES.get(str(wanted), "AUTO")}
    )


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": object_schema(tool)}


def _model_parts(message: AssistantMessage, profile: Profile) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    first_call = True
    for part in message.parts:
        if type(part) is TextPart and part.private is None:
            parts.append({"text": part.text})
            continue
        signature = _signature(part, profile) if part.private else None
        if type(part) is ToolCallPart:
            shown = _call(part, profile)
            signature = signature or (profile.placeholder_signature if first_call else None)
            first_call = False
        elif type(part) is ReasoningPart:
            shown = {"text": part.text, "thought": True}
        else:
            shown = _user_part(part)
        parts.append({**shown, "thoughtSignature": signature} if signature else shown)
    return parts


def _signature(part: Any, profile: Profile) -> str | None:
    """The signature, when it is what the API decodes: base64."""
    held = signature_of(part, profile.family)
    return held if held and _BASE64.fullmatch(held) else None


def _call(part: ToolCallPart, profile: Profile) -> dict[str, Any]:
    arguments = parse_arguments(part.arguments) or {}
    if profile.call_ids:
        return {"functionCall": {"id": part.call_id, "name": part.name, "args": arguments}}
    return {"functionCall": {"name": part.name, "args": arguments}}


def _response(part: ToolResultPart, profile: Profile) -> dict[str, Any]:
    response = {"error" if part.is_error else "output": result_text(part)}
    name = part.name or "tool"
    if profile.call_ids:
        return {"functionResponse": {"id": part.call_id, "name": name, "response": response}}
    return {"functionResponse": {"name": name, "response": response}}


def _user_part(part: Any) -> dict[str, Any]:
    if type(part) is TextPart:
        return {"text": part.text}
    media = part.media if kind_of(part) else None
    if isinstance(media, InlineMedia):
        return {"inlineData": {"mimeType": part.media_type, "data": media.data}}
    if isinstance(media, ProviderMedia):
        named = {"mimeType": part.media_type} if part.media_type else {}
        return {"fileData": {**named, "fileUri": media.file_id}}
    return {"text": "[A piece that cannot be shown.]"}
