"""Chat Completions, streamed or whole, as events.

A whole reply is read as if it had come in one piece, so both ways give the same parts.

Dialects that are understood: ``reasoning_content`` (DeepSeek, llama.cpp), ``reasoning`` (OpenRouter, Groq, vLLM),
``reasoning_details``, content as a list of chunks (Mistral), ``citations`` and ``search_results`` (Perplexity, xAI),
``images`` (OpenRouter), ``function_call`` (old), ``x_groq.usage``. Private data is kept under the family that the
decoder was opened for.

Not here: matching pieces of calls (``calls``), connections (``providers``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.model.events import Failure, StreamEvent
from triptych.model.parts import (
    AssistantPart,
    ReasoningPart,
    RefusalPart,
    SourcePart,
    TextPart,
    UnknownPart,
)
from triptych.model.status import Complete, Incomplete
from triptych.wires.openai_chat.audio import AudioPieces
from triptych.wires.openai_chat.calls import CallPieces
from triptych.wires.openai_chat.usage import read_usage
from triptych.wires.reading.decoder import Decoder
from triptych.wires.reading.failures import failure_from
from triptych.wires.reading.media import image_from_url
from triptych.wires.reading.values import as_count, as_list, as_map, as_text, kept_json
from triptych.wires.reading.writer import EventWriter

__all__ = ["ChatReader", "finish_status", "from_reply", "open_decoder"]

_INCOMPLETE: dict[str, Incomplete] = {
    "length": Incomplete(reason="length"),
    "max_tokens": Incomplete(reason="length"),
    "model_length": Incomplete(reason="length"),
    "content_filter": Incomplete(reason="contentFilter"),
    "safety": Incomplete(reason="contentFilter"),
    "error": Incomplete(reason="error", error="The model's server reported an error."),
    "insufficient_system_resource": Incomplete(
        reason="error", error="The model's server ran out of resources."
    ),
}
_STOPS = frozenset({"stop", "eos", "eos_token", "end_turn", "stop_sequence"})


def open_decoder(family: str = "openai") -> Decoder:
    """A decoder for one streamed reply."""
    return Decoder(lambda writer: ChatReader(writer, family))


def from_reply(body: Mapping[str, Any], family: str = "openai") -> list[StreamEvent]:
    """The events of a reply that came whole."""
    decoder = open_decoder(family)
    return [*decoder.feed(body), *decoder.close()]


def finish_status(reason: str, *, calls: bool) -> Complete | Incomplete:
    """What a finish reason means. A stop with calls in the reply is a wish to have them run."""
    if reason in _INCOMPLETE:
        return _INCOMPLETE[reason]
    if calls:
        return Complete(reason="toolCalls")
    return Complete(reason="stop" if reason in _STOPS else "other")


class ChatReader:
    """Reads chunks of one reply (and whole replies, whose ``message`` is one big delta)."""

    def __init__(self, writer: EventWriter, family: str) -> None:
        self._writer = writer
        self._family = family
        self._calls = CallPieces(writer)
        self._choice: int | None = None
        self._reason = ""
        self._prose: tuple[str, int] | None = None
        self._audio = AudioPieces(writer, family)
        self._details: list[Any] = []

    def read(self, value: dict[str, Any], event: str, /) -> None:
        """One chunk. An error in it ends the reply."""
        failure = _failure(value, event)
        if failure:
            self._writer.fail(failure)
            return
        if self._writer.count() == 0:
            self._writer.start(as_text(value.get("model")), as_text(value.get("id")))
        for choice in as_list(value.get("choices")):
            self._read_choice(as_map(choice))
        for source in (*as_list(value.get("search_results")), *as_list(value.get("citations"))):
            self._cite(source)
        usage = read_usage(value.get("usage")) or read_usage(as_map(value.get("x_groq")).get("usage"))
        self._writer.usage(usage)

    def close(self, told: bool, /) -> bool:
        """Finish with the reason that was given; a server that said ``[DONE]`` needs none."""
        self._end_prose()
        self._audio.close()
        if not (self._reason or told):
            return False
        self._writer.finish(finish_status(self._reason, calls=self._writer.has_open_calls()))
        return True

    def _read_choice(self, choice: dict[str, Any]) -> None:
        index = as_count(choice.get("index")) or 0
        if self._choice is None:
            self._choice = index
        if index != self._choice:
            return
        self._read_delta(as_map(choice.get("delta")) or as_map(choice.get("message")))
        self._reason = as_text(choice.get("finish_reason")) or self._reason

    def _read_delta(self, delta: dict[str, Any]) -> None:
        self._say("reasoning", _first_words(delta, "reasoning_content", "reasoning", "thinking"))
        self._read_reasoning_details(as_list(delta.get("reasoning_details")))
        self._read_content(delta.get("content"))
        self._say("refusal", _words(delta.get("refusal")))
        self._audio.add(as_map(delta.get("audio")))
        for image in as_list(delta.get("images")):
            self._open("image", image_from_url(as_map(image).get("image_url")))
        for annotation in as_list(delta.get("annotations")):
            self._cite(as_map(annotation).get("url_citation", annotation))
        for piece in as_list(delta.get("tool_calls")):
            self._call(piece)
        if as_map(delta.get("function_call")):
            self._call({"index": _OLD_CALL, "function": delta["function_call"]})

    def _call(self, piece: Any) -> None:
        self._end_prose()
        self._calls.add(piece)

    def _read_content(self, content: Any) -> None:
        if isinstance(content, str):
            self._say("text", content)
        for chunk in as_list(content):
            self._read_chunk(as_map(chunk))

    def _read_chunk(self, chunk: dict[str, Any]) -> None:
        match chunk.get("type"):
            case "text" | "output_text":
                self._say("text", _words(chunk.get("text")))
            case "thinking":
                self._read_thinking(chunk)
            case "refusal":
                self._say("refusal", _words(chunk.get("refusal")))
            case "image_url":
                self._open("image", image_from_url(chunk.get("image_url")))
            case "reference":
                for number in as_list(chunk.get("reference_ids")):
                    self._open("source", SourcePart(title=str(number)[:_TITLE], private=self._kept(chunk)))
            case None:
                return
            case _:
                self._open("unknown", UnknownPart(raw=kept_json(chunk)))

    def _read_thinking(self, chunk: dict[str, Any]) -> None:
        thinking = chunk.get("thinking")
        pieces = thinking if isinstance(thinking, list) else [{"text": thinking}]
        self._say("reasoning", "".join(_words(as_map(piece).get("text")) for piece in pieces))
        signature = as_text(chunk.get("signature"))
        if signature and self._prose:
            self._writer.change(self._prose, private={self._family: {"signature": signature}})

    def _read_reasoning_details(self, details: list[Any]) -> None:
        """Kept whole beside the text, since their order and their opaque data have to go back as they came."""
        kept = as_list(kept_json([one for one in details if isinstance(one, dict)]))
        if kept:
            self._current("reasoning", ReasoningPart())
            self._details.extend(kept)

    def _end_prose(self) -> None:
        """The prose part that was being written is over; what was kept beside it is told with it."""
        key, self._prose = self._prose, None
        if key is None:
            return
        if self._details:
            details, self._details = self._details, []
            redacted = not self._writer.last_piece(key)
            self._writer.change(
                key, private={self._family: {"reasoning_details": details}}, redacted=redacted
            )
        self._writer.end(key)

    def _say(self, kind: str, text: str) -> None:
        if not text:
            return
        self._writer.grow(self._current(kind, _PROSE[kind]), text)

    def _current(self, kind: str, part: AssistantPart) -> tuple[str, int]:
        """The prose part that is being written; another kind of prose, or a call, ends it."""
        if self._prose is None or self._prose[0] != kind:
            self._end_prose()
            self._prose = self._open(kind, part)
        return self._prose

    def _open(self, kind: str, part: AssistantPart | None) -> tuple[str, int]:
        key = (kind, self._writer.count())
        if part is not None:
            self._writer.open(key, part)
        return key

    def _cite(self, source: Any) -> None:
        """A page that was used; the same page is told once."""
        fields = as_map(source) or {"url": source}
        part = SourcePart(
            url=as_text(fields.get("url")) or None,
            title=as_text(fields.get("title")) or None,
            quote=as_text(fields.get("content")) or None,
        )
        key = ("source", part.url, part.quote)
        if part.url and not self._writer.has(("source", part.url)):
            self._writer.open(("source", part.url), part)
        elif part.quote and not self._writer.has(key):
            self._writer.open(key, part)

    def _kept(self, value: dict[str, Any]) -> dict[str, Any]:
        return {self._family: kept_json(value)}


_PROSE: dict[str, AssistantPart] = {
    "text": TextPart(text=""),
    "reasoning": ReasoningPart(),
    "refusal": RefusalPart(text=""),
}
_OLD_CALL = 0
_TITLE = 200


def _words(value: Any) -> str:
    """Text as it came: halves of characters are joined by the writer."""
    return value if isinstance(value, str) else ""


def _first_words(source: dict[str, Any], *names: str) -> str:
    return next((text for name in names if (text := _words(source.get(name)))), "")


def _failure(value: dict[str, Any], event: str) -> Failure | None:
    """An error instead of a chunk: told by the key ``error``, the frame's name, or an object without choices."""
    if value.get("error") or event == "error" or (value.get("object") == "error" and "choices" not in value):
        return failure_from(value) or Failure(message="The server reported an error without saying which.")
    return None
