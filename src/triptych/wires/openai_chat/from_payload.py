"""A Chat Completions request of another program, as our messages.

Also read: the old ``function`` role, ``reasoning_content``, content as a list of Mistral's chunks, pictures in tool
results, arguments as objects.

Not here: our messages to a request (``convert``), mending (``repair``).
"""

from __future__ import annotations

from typing import Any

from triptych.model.parts import (
    AudioPart,
    FilePart,
    InlineMedia,
    Part,
    ProviderMedia,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from triptych.model.tools import ToolDefinition
from triptych.wires.reading.media import image_from_url, media_from_url
from triptych.wires.reading.request import ForeignRequest, RequestReader, read_tool
from triptych.wires.reading.values import as_list, as_map, as_text, first_text, json_text, kept_json

__all__ = ["OPTIONS", "read_functions", "read_request"]

OPTIONS = {
    "max_completion_tokens": "max_tokens",
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop": "stop",
    "seed": "seed",
    "tool_choice": "tool_choice",
    "parallel_tool_calls": "parallel_tool_calls",
    "reasoning_effort": "reasoning_effort",
}
_AUDIO = {"wav": "audio/wav", "mp3": "audio/mpeg"}
_ENVELOPE = frozenset({"model", "messages", "tools", "response_format", "stream", "stream_options", *OPTIONS})
_KNOWN = frozenset(
    {
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
        "function_call",
        "refusal",
        "audio",
        "reasoning_content",
    }
    | {"reasoning", "reasoning_details", "prefix"}
)


def read_request(body: Any, family: str = "openai") -> ForeignRequest:
    """A body, or just its list of messages."""
    fields = {"messages": body} if isinstance(body, list) else as_map(body)
    reader = RequestReader()
    for message in as_list(fields.get("messages")):
        _read_message(as_map(message), reader, family)
    options = {ours: fields[name] for name, ours in OPTIONS.items() if fields.get(name) is not None}
    schema = as_map(as_map(fields.get("response_format")).get("json_schema")).get("schema")
    if isinstance(schema, dict):
        options["response_schema"] = schema
    return reader.done(
        tools=read_functions(fields.get("tools")),
        options=options,
        model=fields.get("model"),
        rest={key: value for key, value in fields.items() if key not in _ENVELOPE},
    )


def read_functions(tools: Any) -> list[ToolDefinition]:
    """Definitions of functions; tools that only the server knows are no definitions."""
    found = (as_map(as_map(tool).get("function")) for tool in as_list(tools))
    return [tool for one in found if (tool := read_tool(one, one.get("parameters"))) is not None]


def _read_message(message: dict[str, Any], reader: RequestReader, family: str) -> None:
    extra = {key: value for key, value in message.items() if key not in _KNOWN}
    content = message.get("content")
    match message.get("role"):
        case "system" | "developer":
            reader.system(_parts(content, reader, family), extra)
        case "user":
            reader.user(_parts(content, reader, family), extra)
        case "assistant":
            reader.assistant(_assistant_parts(message, reader, family), extra)
        case "tool" | "function":
            reader.result(_result(message, reader, family), extra)
        case role:
            reader.note("unknown_role", f"A message with the role {as_text(role)!r} was read as a person's.")
            reader.user(_parts(content, reader, family), extra)


def _assistant_parts(message: dict[str, Any], reader: RequestReader, family: str) -> list[Part]:
    """The wire does not tell the order of a reply's pieces; this one is how they are made."""
    parts: list[Part] = []
    thought = first_text(message, "reasoning_content", "reasoning")
    details = as_list(kept_json(message.get("reasoning_details")))
    if thought or details:
        private = {family: {"reasoning_details": details}} if details else None
        parts.append(ReasoningPart(text=thought, redacted=not thought, private=private))
    parts.extend(_parts(message.get("content"), reader, family))
    if refusal := as_text(message.get("refusal")):
        parts.append(RefusalPart(text=refusal))
    if audio := as_text(as_map(message.get("audio")).get("id")):
        parts.append(AudioPart(media=ProviderMedia(family=family, file_id=audio)))
    parts.extend(_call(as_map(call), reader) for call in as_list(message.get("tool_calls")))
    if old := as_map(message.get("function_call")):
        parts.append(_call({"function": old}, reader))
    return parts


def _call(call: dict[str, Any], reader: RequestReader) -> ToolCallPart:
    function = as_map(call.get("function")) or as_map(call.get("custom")) or call
    return ToolCallPart(
        call_id=reader.call_id(as_text(call.get("id"))),
        name=as_text(function.get("name")),
        arguments=as_text(json_text(function.get("arguments", function.get("input")))),
    )


def _result(message: dict[str, Any], reader: RequestReader, family: str) -> ToolResultPart:
    name = as_text(message.get("name"))
    parts = _parts(message.get("content"), reader, family)
    return ToolResultPart(
        call_id=reader.answered(as_text(message.get("tool_call_id")), name),
        name=name or None,
        content=reader.result_content(parts),
    )


def _parts(content: Any, reader: RequestReader, family: str) -> list[Part]:
    if isinstance(content, str):
        return [TextPart(text=as_text(content))]
    if isinstance(content, dict):
        content = [content]
    return [_part(chunk, reader, family) for chunk in as_list(content)]


def _part(chunk: Any, reader: RequestReader, family: str) -> Part:
    fields = as_map(chunk)
    match fields.get("type"):
        case "text" | "input_text" | "output_text" if isinstance(fields.get("text"), str):
            return TextPart(text=as_text(fields["text"]))
        case "refusal":
            return RefusalPart(text=as_text(fields.get("refusal")))
        case "image_url":
            return image_from_url(fields.get("image_url")) or reader.unknown(chunk)
        case "input_audio":
            audio = as_map(fields.get("input_audio"))
            media_type = _AUDIO.get(as_text(audio.get("format")))
            return AudioPart(media=InlineMedia(data=as_text(audio.get("data"))), media_type=media_type)
        case "file":
            return _file(as_map(fields.get("file")), family)
        case "thinking":
            return _thinking(fields, family)
        case _ if isinstance(chunk, str):
            return TextPart(text=as_text(chunk))
        case _:
            return reader.unknown(chunk)


def _thinking(chunk: dict[str, Any], family: str) -> ReasoningPart:
    thinking = chunk.get("thinking")
    pieces = thinking if isinstance(thinking, list) else [{"text": thinking}]
    signature = as_text(chunk.get("signature"))
    return ReasoningPart(
        text="".join(as_text(as_map(piece).get("text")) for piece in pieces),
        private={family: {"signature": signature}} if signature else None,
    )


def _file(file: dict[str, Any], family: str) -> FilePart:
    name = as_text(file.get("filename")) or None
    if file_id := as_text(file.get("file_id")):
        return FilePart(media=ProviderMedia(family=family, file_id=file_id), name=name)
    media, media_type = media_from_url(as_text(file.get("file_data")))
    return FilePart(media=media, media_type=media_type, name=name)
