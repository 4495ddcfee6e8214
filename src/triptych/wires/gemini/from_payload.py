"""A Gemini ``generateContent`` request of another program, as our messages. camelCase and snake_case are both read.

Results without an id go to the open calls by name, then by order.

Not here: our messages to a request (``convert``), mending (``repair``).
"""

from __future__ import annotations

import re
from typing import Any

from triptych.model.parts import Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from triptych.model.tools import ToolDefinition
from triptych.wires.gemini.stream import FAMILY, media_part
from triptych.wires.reading.request import ForeignRequest, RequestReader, read_tool
from triptych.wires.reading.values import as_list, as_map, as_text, json_text

__all__ = ["read_request"]

_OPTIONS = {
    "maxOutputTokens": "max_tokens",
    "temperature": "temperature",
    "topP": "top_p",
    "stopSequences": "stop",
    "seed": "seed",
    "responseJsonSchema": "response_schema",
    "responseSchema": "response_schema",
    "thinkingConfig": "thinking",
}
_ENVELOPE = frozenset({"model", "contents", "systemInstruction", "tools", "generationConfig", "toolConfig"})
_MODES = {"AUTO": "auto", "NONE": "none", "ANY": "required"}
_HUMP = re.compile("_([a-z])")


def read_request(body: Any) -> ForeignRequest:
    """A body, or just its list of contents."""
    fields = {"contents": body} if isinstance(body, list) else _camel(as_map(body))
    reader = RequestReader()
    system = as_map(fields.get("systemInstruction")) or {"parts": fields.get("systemInstruction")}
    if parts := _text_parts(system.get("parts"), reader):
        reader.system(parts)
    for content in as_list(fields.get("contents")):
        _read_content(as_map(content), reader)
    settings = _camel(as_map(fields.get("generationConfig")))
    options = {ours: settings[name] for name, ours in _OPTIONS.items() if settings.get(name) is not None}
    rest = {key: value for key, value in fields.items() if key not in _ENVELOPE}
    others = {
        key: value for key, value in settings.items() if key not in _OPTIONS and key != "responseMimeType"
    }
    return reader.done(
        tools=_tools(fields.get("tools")),
        options=options | _choice(as_map(fields.get("toolConfig"))),
        model=fields.get("model"),
        rest=rest | ({"generationConfig": others} if others else {}),
    )


def _camel(fields: dict[str, Any]) -> dict[str, Any]:
    """The object's own keys in camelCase; what is inside stays as it is."""
    return {
        _HUMP.sub(lambda found: found[1].upper(), key) if isinstance(key, str) else key: value
        for key, value in fields.items()
    }


def _text_parts(parts: Any, reader: RequestReader) -> list[Part]:
    if isinstance(parts, str):
        return [TextPart(text=as_text(parts))]
    return [_part(_camel(as_map(part)), reader) for part in as_list(parts)]


def _tools(tools: Any) -> list[ToolDefinition]:
    found: list[ToolDefinition] = []
    for tool in as_list(tools):
        for one in as_list(_camel(as_map(tool)).get("functionDeclarations")):
            fields = _camel(as_map(one))
            read = read_tool(fields, fields.get("parametersJsonSchema") or fields.get("parameters"))
            if read is not None:
                found.append(read)
    return found


def _choice(config: dict[str, Any]) -> dict[str, Any]:
    calling = _camel(as_map(_camel(config).get("functionCallingConfig")))
    names = [name for one in as_list(calling.get("allowedFunctionNames")) if (name := as_text(one))]
    if len(names) == 1:
        return {"tool_choice": {"name": names[0]}}
    mode = _MODES.get(as_text(calling.get("mode")))
    return {"tool_choice": mode} if mode else {}


def _read_content(content: dict[str, Any], reader: RequestReader) -> None:
    extra = {key: value for key, value in content.items() if key not in ("role", "parts")}
    parts = [_camel(as_map(part)) for part in as_list(content.get("parts"))]
    if content.get("role") == "model":
        reader.assistant([_part(part, reader) for part in parts], extra)
        return
    results = [part for part in parts if "functionResponse" in part]
    for part in results:
        reader.result(_result(_camel(as_map(part["functionResponse"])), reader))
    said = [part for part in parts if "functionResponse" not in part]
    if said or not results:
        reader.user([_part(part, reader) for part in said], extra)


def _part(part: dict[str, Any], reader: RequestReader) -> Part:
    signature = as_text(part.get("thoughtSignature"))
    private = {FAMILY: {"thoughtSignature": signature}} if signature else None
    if isinstance(part.get("text"), str):
        text = as_text(part["text"])
        thought = part.get("thought") is True
        return ReasoningPart(text=text, private=private) if thought else TextPart(text=text, private=private)
    if call := as_map(part.get("functionCall")):
        return ToolCallPart(
            call_id=reader.call_id(as_text(call.get("id"))),
            name=as_text(call.get("name")),
            arguments=as_text(json_text(call.get("args") or {})),
            private=private,
        )
    media = media_part(
        {key: _camel(value) if isinstance(value, dict) else value for key, value in part.items()}
    )
    return media if media is not None else reader.unknown(part)


def _result(response: dict[str, Any], reader: RequestReader) -> ToolResultPart:
    """``output`` and ``error`` are the words that the API names; any other object is a value of the tool's own."""
    name = as_text(response.get("name"))
    said = as_map(response.get("response"))
    is_error = "error" in said
    told = said["error"] if is_error else said.get("output", said.get("result", said))
    text = as_text(told) if isinstance(told, str) else as_text(json_text(told))
    content: list[Part] = [TextPart(text=text)] if text else []
    content.extend(_part(_camel(as_map(part)), reader) for part in as_list(response.get("parts")))
    return ToolResultPart(
        call_id=reader.answered(as_text(response.get("id")), name),
        name=name or None,
        content=reader.result_content(content),
        is_error=is_error,
    )
