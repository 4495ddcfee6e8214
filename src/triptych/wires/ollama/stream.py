"""Ollama's native chat, one JSON object a line, as events.

Not here: connections (``providers``); Ollama's ``/v1`` speaks ``openai_chat``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from triptych.model.events import Failure, StreamEvent
from triptych.model.parts import ImagePart, InlineMedia, ReasoningPart, TextPart, ToolCallPart
from triptych.model.status import Complete, Incomplete
from triptych.model.usage import Usage
from triptych.wires.reading.decoder import Decoder
from triptych.wires.reading.failures import failure_from
from triptych.wires.reading.values import as_count, as_list, as_map, as_text, json_text, kept_json
from triptych.wires.reading.writer import EventWriter
from triptych.wires.sse import LineParser

__all__ = ["from_reply", "open_decoder"]

_COUNTS = (
    "prompt_eval_count",
    "eval_count",
    "total_duration",
    "load_duration",
    "prompt_eval_duration",
    "eval_duration",
)


def open_decoder() -> Decoder:
    """A decoder for one streamed reply."""
    return Decoder(ChatLineReader, framing=LineParser)


def from_reply(body: Mapping[str, Any]) -> list[StreamEvent]:
    """The events of a reply that came whole."""
    decoder = open_decoder()
    return [*decoder.feed(body), *decoder.close()]


class ChatLineReader:
    """Reads the lines of one reply."""

    def __init__(self, writer: EventWriter) -> None:
        self._writer = writer
        self._prose: tuple[str, int] | None = None

    def read(self, value: dict[str, Any], _event: str, /) -> None:
        """One line; the one that says ``done`` is the last."""
        if value.get("error"):
            self._writer.fail(failure_from(value) or Failure(message="The server reported an error."))
            return
        if self._writer.count() == 0:
            self._writer.start(as_text(value.get("model")))
        message = as_map(value.get("message"))
        self._say("reasoning", message.get("thinking"))
        self._say("text", message.get("content"))
        for image in as_list(message.get("images")):
            part = ImagePart(media=InlineMedia(data=as_text(image)))
            self._writer.open(("image", self._writer.count()), part)
        for call in as_list(message.get("tool_calls")):
            self._call(as_map(call))
        if value.get("done") is True:
            self._finish(value)

    def close(self, _told: bool, /) -> bool:
        """A reply ends by its own last line only."""
        return False

    def _say(self, kind: str, text: Any) -> None:
        if not (isinstance(text, str) and text):
            return
        if self._prose is None or self._prose[0] != kind:
            if self._prose:
                self._writer.end(self._prose)
            self._prose = (kind, self._writer.count())
            self._writer.open(self._prose, ReasoningPart() if kind == "reasoning" else TextPart(text=""))
        self._writer.grow(self._prose, text)

    def _call(self, call: dict[str, Any]) -> None:
        function, self._prose = as_map(call.get("function")), None
        part = ToolCallPart(
            call_id=self._writer.call_id(as_text(call.get("id"))),
            name=as_text(function.get("name")),
            arguments=json_text(function.get("arguments") or {}),
        )
        key = ("call", self._writer.count())
        self._writer.open(key, part)
        self._writer.end(key)

    def _finish(self, value: dict[str, Any]) -> None:
        usage = Usage(
            input_tokens=as_count(value.get("prompt_eval_count")),
            output_tokens=as_count(value.get("eval_count")),
        )
        if usage != Usage():
            raw = {name: value[name] for name in _COUNTS if name in value}
            self._writer.usage(msgspec.structs.replace(usage, raw=as_map(kept_json(raw))))
        self._writer.finish(_status(as_text(value.get("done_reason")), calls=self._writer.has_open_calls()))


def _status(reason: str, *, calls: bool) -> Complete | Incomplete:
    if reason == "length":
        return Incomplete(reason="length")
    if calls:
        return Complete(reason="toolCalls")
    return Complete(reason="stop" if reason in ("stop", "") else "other")
