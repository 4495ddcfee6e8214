"""Typed messages to the body of OpenAI Chat Completions, as OpenAI and the servers that speak its format take it.

Text stays one string where it can (arrays of text are ignored by many servers, strands#1696); pictures, sound and
files make a user's content a list. Shapes: openai 3.57.0 ``ChatCompletionMessageParam``.

Not here: mending (``repair``), the reply (``stream``), the way back (``from_payload``).
"""

from __future__ import annotations

from typing import Any

from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import (
    AudioPart,
    FilePart,
    ImagePart,
    InlineMedia,
    ProviderMedia,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    UrlMedia,
    UserPart,
)
from triptych.model.profile import Profile
from triptych.model.tools import ToolDefinition
from triptych.wires.pictures import data_url
from triptych.wires.repair.names import sent_name
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
_SAME = ("temperature", "top_p", "stop", "seed")
_KNOWN = (*_SAME, "max_tokens", "tool_choice", "response_schema", "parallel_tool_calls", "reasoning_effort")
_AUDIO = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
_NO_REASONING = "[The reasoning of this step is not available.]"


def convert_messages(messages: list[Message], profile: Profile) -> list[dict[str, Any]]:
    """Repaired messages as entries of ``messages``."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            items.append(_assistant(message, profile))
        elif isinstance(message, ToolMessage):
            items.extend(map(_result, message.parts))
        elif isinstance(message, UserMessage):
            item = {"role": "user", "content": _user_content(message)}
            items.append(_named(item, message, profile) if message.extra else item)
        else:
            items.append({"role": profile.system_role, "content": joined_text(message.parts)})
    return items


def build_body(items: list[dict[str, Any]], request: Request) -> dict[str, Any]:
    """The whole body around the messages."""
    options, profile = request.options, request.profile
    unsupported(request, _KNOWN)
    body: dict[str, Any] = {"model": request.model} if request.model else {}
    body[ITEMS] = items
    tools = sent_tools(request)
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
        body |= _choice(options, profile)
    if "max_tokens" in options:
        name = "max_completion_tokens" if profile.family == "openai" else "max_tokens"
        body[name] = options["max_tokens"]
    if "response_schema" in options:
        schema = {"name": "reply", "schema": options["response_schema"]}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if "reasoning_effort" in options:
        body["reasoning_effort"] = options["reasoning_effort"]
    return body | {name: options[name] for name in _SAME if name in options}


def _choice(options: dict[str, Any], profile: Profile) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if "tool_choice" in options:
        name = tool_choice_name(options["tool_choice"], profile)
        word = "required" if options["tool_choice"] == "any" else options["tool_choice"]
        said["tool_choice"] = {"type": "function", "function": {"name": name}} if name else word
    if "parallel_tool_calls" in options:
        said["parallel_tool_calls"] = bool(options["parallel_tool_calls"])
    return said


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name, "parameters": object_schema(tool)}
    if tool.description:
        function["description"] = tool.description
    if tool.strict is not None:
        function["strict"] = tool.strict
    return {"type": "function", "function": function}


def _result(part: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": part.call_id, "content": result_text(part)}


def _assistant(message: AssistantMessage, profile: Profile) -> dict[str, Any]:
    parts = message.parts
    if len(parts) == 1 and type(parts[0]) is TextPart and not message.extra:
        return {"role": "assistant", "content": parts[0].text}
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    thoughts: list[str] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            texts.append(part.text)
        elif isinstance(part, ToolCallPart):
            function = {"name": part.name, "arguments": part.arguments}
            calls.append({"id": part.call_id, "type": "function", "function": function})
        elif isinstance(part, ReasoningPart):
            thoughts.append(part.text)
    item: dict[str, Any] = {"role": "assistant"}
    item["content"] = "\n\n".join(texts) if texts or not calls else (None if profile.null_content else "")
    if calls:
        item["tool_calls"] = calls
    if thoughts or (calls and profile.reasoning == "required"):
        item["reasoning_content"] = "\n\n".join(thoughts) or _NO_REASONING
    return _named(item, message, profile) if message.extra else item


def _named(item: dict[str, Any], message: Message, profile: Profile) -> dict[str, Any]:
    name = sent_name(message, profile)
    return item if name is None else {**item, "name": name}


def _user_content(message: UserMessage) -> Any:
    parts = message.parts
    if len(parts) == 1 and type(parts[0]) is TextPart:
        return parts[0].text
    if all(isinstance(part, TextPart) for part in parts):
        return joined_text(parts)
    return [content for part in parts if (content := _user_part(part)) is not None]


def _user_part(part: UserPart) -> dict[str, Any] | None:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case ImagePart(media=InlineMedia(data=data), detail=detail):
            return _image(data_url(part.media_type or "image/png", data), detail)
        case ImagePart(media=UrlMedia(url=url), detail=detail):
            return _image(url, detail)
        case AudioPart(media=InlineMedia(data=data)):
            sound = {"data": data, "format": _AUDIO.get(part.media_type or "", "wav")}
            return {"type": "input_audio", "input_audio": sound}
        case FilePart(media=InlineMedia(data=data)):
            address = data_url(part.media_type or "application/pdf", data)
            return {"type": "file", "file": {"filename": part.name or "file", "file_data": address}}
        case FilePart(media=ProviderMedia(file_id=file_id)):
            return {"type": "file", "file": {"file_id": file_id}}
        case _:
            return None


def _image(url: str, detail: str | None) -> dict[str, Any]:
    known = detail if detail in {"low", "high", "auto"} else None
    return {"type": "image_url", "image_url": {"url": url, "detail": known} if known else {"url": url}}
