"""An Anthropic Messages request of another program, as our messages.

A user turn that holds tool results becomes a message for each result and one for what the person said. A
``cache_control`` mark becomes ``private["cache"]``.

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
    Media,
    Part,
    ProviderMedia,
    TextPart,
    ToolResultPart,
    UrlMedia,
)
from triptych.model.tools import ToolDefinition
from triptych.wires.anthropic.stream import FAMILY, block_part
from triptych.wires.reading.request import ForeignRequest, RequestReader, read_tool
from triptych.wires.reading.values import as_list, as_map, as_text, kept_json

__all__ = ["read_request"]

_SAME = ("max_tokens", "temperature", "top_p", "thinking", "tool_choice")
_ENVELOPE = frozenset({"model", "messages", "system", "tools", "stop_sequences", "stream", *_SAME})


def read_request(body: Any) -> ForeignRequest:
    """A body, or just its list of messages."""
    fields = {"messages": body} if isinstance(body, list) else as_map(body)
    reader = RequestReader()
    if fields.get("system"):
        reader.system(_parts(fields["system"], reader))
    for message in as_list(fields.get("messages")):
        _read_message(as_map(message), reader)
    options = {name: fields[name] for name in _SAME if fields.get(name) is not None}
    if isinstance(options.get("tool_choice"), dict):
        options |= _choice(as_map(options.pop("tool_choice")))
    if fields.get("stop_sequences"):
        options["stop"] = fields["stop_sequences"]
    return reader.done(
        tools=_tools(fields.get("tools")),
        options=options,
        model=fields.get("model"),
        rest={key: value for key, value in fields.items() if key not in _ENVELOPE},
    )


def _tools(tools: Any) -> list[ToolDefinition]:
    found = (as_map(tool) for tool in as_list(tools))
    return [tool for one in found if "input_schema" in one and (tool := read_tool(one, one["input_schema"]))]


def _choice(choice: dict[str, Any]) -> dict[str, Any]:
    name = as_text(choice.get("name"))
    kind = as_text(choice.get("type"))
    said: dict[str, Any] = {
        "tool_choice": {"name": name} if name else {"any": "required"}.get(kind, kind or "auto")
    }
    return said | ({"parallel_tool_calls": False} if choice.get("disable_parallel_tool_use") is True else {})


def _read_message(message: dict[str, Any], reader: RequestReader) -> None:
    extra = {key: value for key, value in message.items() if key not in ("role", "content")}
    content = message.get("content")
    match message.get("role"):
        case "assistant":
            blocks = [content] if isinstance(content, str) else as_list(content)
            reader.assistant([_assistant_part(block, reader) for block in blocks], extra)
        case "system":
            reader.system(_parts(content, reader), extra)
        case role:
            if role != "user":
                reader.note(
                    "unknown_role", f"A message with the role {as_text(role)!r} was read as a person's."
                )
            _read_user(content, reader, extra)


def _read_user(content: Any, reader: RequestReader, extra: dict[str, Any]) -> None:
    """Results are messages of their own; so is what was said, wherever it stands in the turn."""
    blocks = [content] if isinstance(content, str) else as_list(content)
    results = [block for block in blocks if as_map(block).get("type") == "tool_result"]
    for block in results:
        reader.result(_result(as_map(block), reader))
    said = [block for block in blocks if as_map(block).get("type") != "tool_result"]
    if said or not results:
        reader.user(_parts(said, reader), extra)


def _result(block: dict[str, Any], reader: RequestReader) -> ToolResultPart:
    return ToolResultPart(
        call_id=reader.answered(as_text(block.get("tool_use_id")), ""),
        content=reader.result_content(_parts(block.get("content"), reader)),
        is_error=block.get("is_error") is True,
        private=_mark(block),
    )


def _assistant_part(block: Any, reader: RequestReader) -> Part:
    if isinstance(block, str):
        return TextPart(text=as_text(block))
    fields = as_map(block)
    if fields.get("type") in ("image", "document"):
        return _part(block, reader)
    part = block_part(fields, reader.call_id)
    if isinstance(part, TextPart):
        return msgspec.structs.replace(part, text=as_text(fields.get("text")), private=_mark(fields))
    mark = _mark(fields)
    return msgspec.structs.replace(part, private={**(part.private or {}), **mark}) if mark else part


def _parts(content: Any, reader: RequestReader) -> list[Part]:
    if isinstance(content, str):
        return [TextPart(text=as_text(content))]
    return [_part(block, reader) for block in as_list(content)]


def _part(block: Any, reader: RequestReader) -> Part:
    fields = as_map(block)
    source = as_map(fields.get("source"))
    match fields.get("type"):
        case "text":
            return TextPart(text=as_text(fields.get("text")), private=_mark(fields))
        case "image" if (media := _media(source)) is not None:
            media_type = as_text(source.get("media_type")) or None
            return ImagePart(media=media, media_type=media_type, private=_mark(fields))
        case "document" if (media := _media(source)) is not None:
            return _document(fields, source, media)
        case _ if isinstance(block, str):
            return TextPart(text=as_text(block))
        case _:
            return reader.unknown(block)


def _document(fields: dict[str, Any], source: dict[str, Any], media: Media) -> FilePart:
    others = {key: fields[key] for key in ("context", "citations") if fields.get(key) is not None}
    kept = {FAMILY: kept_json(others)} if others else {}
    return FilePart(
        media=media,
        media_type=as_text(source.get("media_type")) or None,
        name=as_text(fields.get("title")) or None,
        private={**kept, **(_mark(fields) or {})} or None,
    )


def _media(source: dict[str, Any]) -> Media | None:
    match source.get("type"):
        case "base64":
            return InlineMedia(data=as_text(source.get("data")))
        case "text":
            return InlineMedia(data=base64.b64encode(as_text(source.get("data")).encode()).decode("ascii"))
        case "url":
            return UrlMedia(url=as_text(source.get("url")))
        case "file":
            return ProviderMedia(family=FAMILY, file_id=as_text(source.get("file_id")))
        case _:
            return None


def _mark(block: dict[str, Any]) -> dict[str, Any] | None:
    """The wish to have the prompt cached up to here, in our own words."""
    held = block.get("cache_control")
    if not isinstance(held, dict):
        return None
    return {"cache": {"ttl": held["ttl"]} if held.get("ttl") in ("5m", "1h") else {}}
