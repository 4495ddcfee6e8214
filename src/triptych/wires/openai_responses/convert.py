"""Typed messages to the body of OpenAI Responses, for a server that remembers nothing (``store`` is false).

Reasoning items go back with their id, summary (even an empty one) and encrypted content; ids of messages and calls
only beside them, ids are never invented. Shapes: openai 3.57.0 ``ResponseInputParam``.

Not here: which ids and reasoning may be sent (``repair.reasoning``), the reply (``stream``), the way back
(``from_payload``).
"""

from __future__ import annotations

from typing import Any

from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import (
    FilePart,
    ImagePart,
    InlineMedia,
    ProviderMedia,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UrlMedia,
)
from triptych.model.profile import Profile
from triptych.model.tools import ToolDefinition
from triptych.wires.pictures import data_url
from triptych.wires.private import encrypted_of, item_id_of, phase_of, private_of
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

ITEMS = "input"
_SAME = ("temperature", "top_p")
_KNOWN = (*_SAME, "max_tokens", "tool_choice", "response_schema", "parallel_tool_calls", "reasoning_effort")


def convert_messages(messages: list[Message], profile: Profile) -> list[dict[str, Any]]:
    """Repaired messages as items of ``input``."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            items.extend(_output_items(message, profile.family))
        elif isinstance(message, ToolMessage):
            items.extend(_result(part) for part in message.parts if isinstance(part, ToolResultPart))
        elif isinstance(message, UserMessage):
            items.append({"role": "user", "content": _content(message.parts)})
        else:
            items.append({"role": profile.system_role, "content": joined_text(message.parts)})
    return items


def build_body(items: list[dict[str, Any]], request: Request) -> dict[str, Any]:
    """The whole body around the input."""
    options, profile = request.options, request.profile
    unsupported(request, _KNOWN)
    body: dict[str, Any] = {"model": request.model} if request.model else {}
    body |= {ITEMS: items, "store": False}
    if profile.reasoning == "keep":
        body["include"] = ["reasoning.encrypted_content"]
    tools = sent_tools(request)
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
        if "tool_choice" in options:
            name = tool_choice_name(options["tool_choice"], profile)
            word = "required" if options["tool_choice"] == "any" else options["tool_choice"]
            body["tool_choice"] = {"type": "function", "name": name} if name else word
        if "parallel_tool_calls" in options:
            body["parallel_tool_calls"] = bool(options["parallel_tool_calls"])
    if "max_tokens" in options:
        body["max_output_tokens"] = options["max_tokens"]
    if "response_schema" in options:
        schema = {"type": "json_schema", "name": "reply", "schema": options["response_schema"]}
        body["text"] = {"format": schema}
    if "reasoning_effort" in options:
        body["reasoning"] = {"effort": options["reasoning_effort"]}
    return body | {name: options[name] for name in _SAME if name in options}


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": "function", "name": tool.name, "parameters": object_schema(tool)}
    if tool.description:
        shown["description"] = tool.description
    return {**shown, "strict": bool(tool.strict)}


def _output_items(message: AssistantMessage, family: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            items.append(
                _message_item(part, family) if part.private else {"role": "assistant", "content": part.text}
            )
        elif isinstance(part, ToolCallPart):
            item = {
                "type": "function_call",
                "call_id": part.call_id,
                "name": part.name,
                "arguments": part.arguments,
            }
            name = item_id_of(part, family) if part.private else None
            items.append({**item, "id": name} if name else item)
        elif isinstance(part, ReasoningPart):
            items.append(_reasoning_item(part, family))
    return items


def _message_item(part: TextPart, family: str) -> dict[str, Any]:
    name = item_id_of(part, family)
    phase = phase_of(part, family)
    said = {"phase": phase} if phase else {}
    if name is None:
        return {"role": "assistant", "content": part.text, **said}
    content = [{"type": "output_text", "text": part.text, "annotations": []}]
    return {
        "type": "message",
        "id": name,
        "role": "assistant",
        "status": "completed",
        "content": content,
        **said,
    }


def _reasoning_item(part: ReasoningPart, family: str) -> dict[str, Any]:
    summary = private_of(part, family).get("summary")
    if not isinstance(summary, list):
        summary = [{"type": "summary_text", "text": part.text}] if part.text else []
    return {
        "type": "reasoning",
        "id": item_id_of(part, family),
        "summary": summary,
        "encrypted_content": encrypted_of(part, family),
    }


def _result(part: ToolResultPart) -> dict[str, Any]:
    plain = all(isinstance(item, TextPart) for item in part.content)
    output = result_text(part) if plain else _parts(part.content)
    return {"type": "function_call_output", "call_id": part.call_id, "output": output}


def _content(parts: tuple[Any, ...]) -> Any:
    if all(isinstance(part, TextPart) for part in parts):
        return joined_text(parts)
    return _parts(parts)


def _parts(parts: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [shown for part in parts if (shown := _part(part)) is not None]


def _part(part: Any) -> dict[str, Any] | None:
    match part:
        case TextPart(text=text):
            return {"type": "input_text", "text": text}
        case ImagePart(media=media, detail=detail):
            known = detail if detail in {"low", "high", "auto"} else "auto"
            return {
                "type": "input_image",
                "detail": known,
                **_source(media, part.media_type or "image/png", "image_url"),
            }
        case FilePart(media=InlineMedia(data=data)):
            address = data_url(part.media_type or "application/pdf", data)
            return {"type": "input_file", "filename": part.name or "file", "file_data": address}
        case FilePart(media=media):
            return {"type": "input_file", **_source(media, "", "file_url")}
        case _:
            return None


def _source(media: Any, media_type: str, address: str) -> dict[str, Any]:
    match media:
        case InlineMedia(data=data):
            return {address: data_url(media_type, data)}
        case UrlMedia(url=url):
            return {address: url}
        case ProviderMedia(file_id=file_id):
            return {"file_id": file_id}
        case _:
            return {}
