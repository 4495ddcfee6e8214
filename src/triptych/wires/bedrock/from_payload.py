"""A Bedrock Converse request of another program, as our messages.

A cache point becomes the mark ``private["cache"]`` of the part before it. Bytes may be bytes (``boto3``) or base64.

Not here: our messages to a request (``convert``), mending (``repair``).
"""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from triptych.model.parts import (
    FilePart,
    ImagePart,
    InlineMedia,
    Part,
    TextPart,
    ToolResultPart,
    UnknownPart,
    VideoPart,
)
from triptych.model.tools import ToolDefinition
from triptych.wires.bedrock.convert import FORMATS
from triptych.wires.bedrock.stream import FAMILY, block_part
from triptych.wires.reading.request import ForeignRequest, RequestReader, read_tool
from triptych.wires.reading.values import as_list, as_map, as_text, json_text

__all__ = ["read_request"]

_OPTIONS = {"maxTokens": "max_tokens", "temperature": "temperature", "topP": "top_p", "stopSequences": "stop"}
_ENVELOPE = frozenset({"modelId", "messages", "system", "toolConfig", "inferenceConfig"})
_TYPES = {word: media_type for media_type, word in FORMATS.items()}


def read_request(body: Any, family: str = FAMILY) -> ForeignRequest:
    """A body, or just its list of messages."""
    fields = {"messages": body} if isinstance(body, list) else as_map(body)
    reader = RequestReader()
    if system := _parts(fields.get("system"), reader, family):
        reader.system(system)
    for message in as_list(fields.get("messages")):
        _read_message(as_map(message), reader, family)
    settings, config = as_map(fields.get("inferenceConfig")), as_map(fields.get("toolConfig"))
    options = {ours: settings[name] for name, ours in _OPTIONS.items() if settings.get(name) is not None}
    return reader.done(
        tools=_tools(config),
        options=options | _choice(as_map(config.get("toolChoice"))),
        model=fields.get("modelId"),
        rest={key: value for key, value in fields.items() if key not in _ENVELOPE},
    )


def _tools(config: dict[str, Any]) -> list[ToolDefinition]:
    found = (as_map(as_map(tool).get("toolSpec")) for tool in as_list(config.get("tools")))
    return [tool for one in found if (tool := read_tool(one, as_map(one.get("inputSchema")).get("json")))]


def _choice(choice: dict[str, Any]) -> dict[str, Any]:
    if name := as_text(as_map(choice.get("tool")).get("name")):
        return {"tool_choice": {"name": name}}
    if "any" in choice:
        return {"tool_choice": "required"}
    return {"tool_choice": "auto"} if "auto" in choice else {}


def _read_message(message: dict[str, Any], reader: RequestReader, family: str) -> None:
    blocks = as_list(message.get("content"))
    if message.get("role") == "assistant":
        reader.assistant(_parts(blocks, reader, family))
        return
    results = [block for block in blocks if "toolResult" in as_map(block)]
    for block in results:
        reader.result(_result(as_map(block["toolResult"]), reader, family))
    said = [block for block in blocks if "toolResult" not in as_map(block)]
    if said or not results:
        reader.user(_parts(said, reader, family))


def _result(result: dict[str, Any], reader: RequestReader, family: str) -> ToolResultPart:
    return ToolResultPart(
        call_id=reader.answered(as_text(result.get("toolUseId")), ""),
        content=reader.result_content(_parts(result.get("content"), reader, family)),
        is_error=result.get("status") == "error",
    )


def _parts(blocks: Any, reader: RequestReader, family: str) -> list[Part]:
    parts: list[Part] = []
    for block in as_list(blocks):
        fields = as_map(block)
        if "cachePoint" not in fields:
            part = _part(fields, reader, family)
            if isinstance(part, FilePart) and parts:
                part = _renamed(part, parts)
            parts.append(part)
        elif parts:
            point = as_map(fields["cachePoint"])
            mark = {"ttl": point["ttl"]} if point.get("ttl") in ("5m", "1h") else {}
            parts[-1] = msgspec.structs.replace(
                parts[-1], private={**(parts[-1].private or {}), "cache": mark}
            )
    return parts


def _renamed(part: FilePart, before: list[Part]) -> FilePart:
    """Our own label in front of a document tells the name that Bedrock would not take; it is not said twice."""
    label = before[-1]
    told = label.text if isinstance(label, TextPart) else ""
    start = f"[{part.name} is the file "
    if not (told.startswith(start) and told.endswith(".]")):
        return part
    before.pop()
    name = told.removeprefix(start).removesuffix(".]")
    return msgspec.structs.replace(part, name=None if name == "without a name" else name)


def _part(block: dict[str, Any], reader: RequestReader, family: str) -> Part:
    for word, kind in (("image", ImagePart), ("video", VideoPart), ("document", FilePart)):
        held = as_map(block.get(word))
        data = _base64(as_map(held.get("source")).get("bytes"))
        if data:
            name = as_text(held.get("name")) or None
            return kind(
                media=InlineMedia(data=data), media_type=_TYPES.get(as_text(held.get("format"))), name=name
            )
    if "json" in block:
        return TextPart(text=as_text(json_text(block["json"])))
    part = block_part(block, reader.call_id, family)
    if isinstance(part, TextPart):
        return msgspec.structs.replace(part, text=as_text(part.text))
    return reader.unknown(block) if isinstance(part, UnknownPart) else part


def _base64(value: Any) -> str:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else as_text(value)
