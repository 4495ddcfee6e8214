"""A request to Ollama's native chat of another program, as our messages.

Calls have no ids there: they get one by their place, and results go to the open calls by name, then by order.
"""

from __future__ import annotations

from typing import Any

from triptych.model.parts import (
    ImagePart,
    InlineMedia,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from triptych.wires.openai_chat.from_payload import read_functions
from triptych.wires.reading.request import ForeignRequest, RequestReader
from triptych.wires.reading.values import as_list, as_map, as_text, first_text, json_text

__all__ = ["read_request"]

_OPTIONS = {
    "num_predict": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop": "stop",
    "seed": "seed",
}
_ENVELOPE = frozenset({"model", "messages", "tools", "options", "format", "think", "stream"})
_KNOWN = frozenset({"role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"})


def read_request(body: Any) -> ForeignRequest:
    """A body, or just its list of messages."""
    fields = {"messages": body} if isinstance(body, list) else as_map(body)
    reader = RequestReader()
    for message in as_list(fields.get("messages")):
        _read_message(as_map(message), reader)
    settings = as_map(fields.get("options"))
    options = {ours: settings[name] for name, ours in _OPTIONS.items() if settings.get(name) is not None}
    if isinstance(fields.get("format"), dict):
        options["response_schema"] = fields["format"]
    if fields.get("think") is not None:
        options["thinking"] = fields["think"]
    rest = {key: value for key, value in fields.items() if key not in _ENVELOPE}
    others = {key: value for key, value in settings.items() if key not in _OPTIONS}
    return reader.done(
        tools=read_functions(fields.get("tools")),
        options=options,
        model=fields.get("model"),
        rest=rest | ({"options": others} if others else {}),
    )


def _read_message(message: dict[str, Any], reader: RequestReader) -> None:
    extra = {key: value for key, value in message.items() if key not in _KNOWN}
    said = _said(message)
    match message.get("role"):
        case "system":
            reader.system(said, extra)
        case "assistant":
            thought = as_text(message.get("thinking"))
            calls = [_call(as_map(call), reader) for call in as_list(message.get("tool_calls"))]
            reader.assistant([*([ReasoningPart(text=thought)] if thought else []), *said, *calls], extra)
        case "tool":
            name = first_text(message, "tool_name", "name")
            call_id = reader.answered(as_text(message.get("tool_call_id")), name)
            content = reader.result_content(said)
            reader.result(ToolResultPart(call_id=call_id, name=name or None, content=content), extra)
        case role:
            if role != "user":
                reader.note(
                    "unknown_role", f"A message with the role {as_text(role)!r} was read as a person's."
                )
            reader.user(said, extra)


def _said(message: dict[str, Any]) -> list[Part]:
    text = as_text(message.get("content"))
    pictures = [
        ImagePart(media=InlineMedia(data=data))
        for one in as_list(message.get("images"))
        if (data := as_text(one))
    ]
    return [*([TextPart(text=text)] if text else []), *pictures]


def _call(call: dict[str, Any], reader: RequestReader) -> ToolCallPart:
    function = as_map(call.get("function"))
    return ToolCallPart(
        call_id=reader.call_id(as_text(call.get("id"))),
        name=as_text(function.get("name")),
        arguments=as_text(json_text(function.get("arguments"))),
    )
