"""An OpenAI Responses request of another program, as our messages.

What a model made (reasoning, messages, calls, what hosted tools did) is one assistant message until something else
comes; an output is a tool message.

Not here: our messages to a request (``convert``), mending (``repair``).
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.model.parts import (
    AudioPart,
    FilePart,
    ImagePart,
    InlineMedia,
    Media,
    Part,
    ProviderMedia,
    RefusalPart,
    TextPart,
    ToolResultPart,
    UrlMedia,
)
from triptych.model.tools import ToolDefinition
from triptych.wires.openai_responses.items import (
    FAMILY,
    call_part,
    is_call,
    other_part,
    reasoning_part,
    reasoning_text,
)
from triptych.wires.reading.media import media_from_url
from triptych.wires.reading.request import ForeignRequest, RequestReader, read_tool
from triptych.wires.reading.values import as_list, as_map, as_text, json_text

__all__ = ["read_request"]

_OPTIONS = {
    "max_output_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "tool_choice": "tool_choice",
    "parallel_tool_calls": "parallel_tool_calls",
}
_ENVELOPE = frozenset(
    {"model", "input", "instructions", "tools", "text", "reasoning", "store", "include", "stream", *_OPTIONS}
)
_KNOWN = frozenset({"type", "role", "content", "id", "status", "phase"})


def read_request(body: Any) -> ForeignRequest:
    """A body, or just its input (a text or a list of items)."""
    fields = as_map(body) if isinstance(body, dict) else {"input": body}
    reader = RequestReader()
    if instructions := as_text(fields.get("instructions")):
        reader.system([TextPart(text=instructions)])
    _read_items(fields.get("input"), reader)
    options = {ours: fields[name] for name, ours in _OPTIONS.items() if fields.get(name) is not None}
    if effort := as_text(as_map(fields.get("reasoning")).get("effort")):
        options["reasoning_effort"] = effort
    schema = as_map(as_map(fields.get("text")).get("format")).get("schema")
    if isinstance(schema, dict):
        options["response_schema"] = schema
    return reader.done(
        tools=_tools(fields.get("tools")),
        options=options,
        model=fields.get("model"),
        rest={key: value for key, value in fields.items() if key not in _ENVELOPE},
    )


def _tools(tools: Any) -> list[ToolDefinition]:
    found = (as_map(tool) for tool in as_list(tools))
    return [
        tool
        for one in found
        if one.get("type") == "function" and (tool := read_tool(one, one.get("parameters")))
    ]


def _read_items(items: Any, reader: RequestReader) -> None:
    made: list[Part] = []
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else as_list(items):
        fields = as_map(item)
        parts = _made_by_model(fields, reader)
        if parts is not None:
            made.extend(parts)
            continue
        _close(made, reader)
        _read_other(fields, reader)
    _close(made, reader)


def _close(made: list[Part], reader: RequestReader) -> None:
    if made:
        reader.assistant(list(made))
        made.clear()


def _made_by_model(item: dict[str, Any], reader: RequestReader) -> list[Part] | None:
    """The parts of an item that a model made; None for anything else."""
    kind = as_text(item.get("type"))
    if item.get("role") == "assistant":
        return _assistant_parts(item, reader)
    if kind == "reasoning":
        part = reasoning_part(item)
        return [msgspec.structs.replace(part, text=reasoning_text(item))]
    if is_call(item):
        arguments = as_text(json_text(item.get("arguments", item.get("input"))))
        return [msgspec.structs.replace(call_part(item, reader.call_id), arguments=arguments)]
    if kind in ("", "message") or kind.endswith(("_output", "_response")):
        return None
    return [other_part(item, reader.call_id)]


def _assistant_parts(item: dict[str, Any], reader: RequestReader) -> list[Part]:
    told = {name: text for name in ("id", "phase") if (text := as_text(item.get(name)))}
    parts = _parts(item.get("content"), reader)
    return [
        msgspec.structs.replace(part, private={FAMILY: told})
        if told and isinstance(part, TextPart | RefusalPart)
        else part
        for part in parts
    ]


def _read_other(item: dict[str, Any], reader: RequestReader) -> None:
    kind, role = as_text(item.get("type")), item.get("role")
    extra = {key: value for key, value in item.items() if key not in _KNOWN}
    if kind.endswith("_output"):
        reader.result(_result(item, reader))
    elif role in ("system", "developer"):
        reader.system(_parts(item.get("content"), reader), extra)
    elif role == "user":
        reader.user(_parts(item.get("content"), reader), extra)
    elif item:
        reader.user([reader.unknown(item)])


def _result(item: dict[str, Any], reader: RequestReader) -> ToolResultPart:
    return ToolResultPart(
        call_id=reader.answered(as_text(item.get("call_id")), ""),
        content=reader.result_content(_parts(item.get("output"), reader)),
    )


def _parts(content: Any, reader: RequestReader) -> list[Part]:
    if isinstance(content, str):
        return [TextPart(text=as_text(content))]
    return [_part(chunk, reader) for chunk in as_list(content)]


def _part(chunk: Any, reader: RequestReader) -> Part:
    fields = as_map(chunk)
    match fields.get("type"):
        case "input_text" | "output_text" | "text" | "summary_text" if isinstance(fields.get("text"), str):
            return TextPart(text=as_text(fields["text"]))
        case "refusal":
            return RefusalPart(text=as_text(fields.get("refusal")))
        case "input_image" if (found := _media(fields, "image_url", "")) is not None:
            detail = as_text(fields.get("detail"))
            return ImagePart(
                media=found[0], media_type=found[1], detail=detail if detail in ("low", "high") else None
            )
        case "input_file" if (found := _media(fields, "file_url", "file_data")) is not None:
            return FilePart(media=found[0], media_type=found[1], name=as_text(fields.get("filename")) or None)
        case "input_audio":
            audio = as_map(fields.get("input_audio"))
            kind = as_text(audio.get("format"))
            return AudioPart(
                media=InlineMedia(data=as_text(audio.get("data"))),
                media_type=f"audio/{kind}" if kind else None,
            )
        case _:
            return reader.unknown(chunk)


def _media(fields: dict[str, Any], address: str, data: str) -> tuple[Media, str | None] | None:
    if file_id := as_text(fields.get("file_id")):
        return ProviderMedia(family=FAMILY, file_id=file_id), None
    if url := as_text(fields.get(address)):
        return media_from_url(url)
    if inline := as_text(fields.get(data)):
        media, media_type = media_from_url(inline)
        return (InlineMedia(data=inline), None) if isinstance(media, UrlMedia) else (media, media_type)
    return None
