"""OpenAI Responses, streamed or whole, as events.

Deltas make the text grow; the ``done`` events hold the final truth and win: encrypted reasoning above all, which
may be incomplete in ``output_item.added``. Events that were applied are known by ``sequence_number``.

Not here: what each kind of item is to us (``items``), connections (``providers``).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import msgspec

from triptych.model.events import Failure, StreamEvent
from triptych.model.parts import AssistantPart, ReasoningPart, RefusalPart, TextPart
from triptych.model.status import Complete, Incomplete
from triptych.model.usage import Usage
from triptych.wires.openai_responses.items import (
    FAMILY,
    call_part,
    is_call,
    other_part,
    reasoning_part,
    reasoning_text,
    source_part,
)
from triptych.wires.reading.decoder import Decoder
from triptych.wires.reading.failures import failure_from
from triptych.wires.reading.values import as_count, as_list, as_map, as_text, json_text, kept_json
from triptych.wires.reading.writer import EventWriter

__all__ = ["from_reply", "open_decoder"]

_INCOMPLETE: dict[str, Incomplete] = {
    "max_output_tokens": Incomplete(reason="length"),
    "content_filter": Incomplete(reason="contentFilter"),
}
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})


def open_decoder() -> Decoder:
    """A decoder for one streamed response."""
    return Decoder(ResponseReader)


def from_reply(body: Mapping[str, Any]) -> list[StreamEvent]:
    """The events of a response that came whole."""
    decoder = open_decoder()
    kind = f"response.{as_text(body.get('status')) or 'completed'}"
    failed = {"type": "error", **body}
    ended = {"type": kind if kind in _ENDS else "response.incomplete", "response": dict(body)}
    return [*decoder.feed(failed if _is_bare_error(body) else ended), *decoder.close()]


def read_usage(value: Any) -> Usage | None:
    """Token counts of a response."""
    source = as_map(value)
    usage = Usage(
        input_tokens=as_count(source.get("input_tokens")),
        output_tokens=as_count(source.get("output_tokens")),
        cached_input_tokens=as_count(as_map(source.get("input_tokens_details")).get("cached_tokens")),
        reasoning_tokens=as_count(as_map(source.get("output_tokens_details")).get("reasoning_tokens")),
    )
    return None if usage == Usage() else msgspec.structs.replace(usage, raw=kept_json(source))


class ResponseReader:
    """Reads the events of one response."""

    def __init__(self, writer: EventWriter) -> None:
        self._writer = writer
        self._ids: dict[str, Hashable] = {}
        self._items: dict[Hashable, dict[str, Any]] = {}
        self._summaries: set[Hashable] = set()
        self._finished: set[Hashable] = set()

    def read(self, value: dict[str, Any], event: str, /) -> None:
        """One event; those that only tell of progress are passed over."""
        kind = as_text(value.get("type")) or event
        if kind in _ENDS:
            self._end(kind, as_map(value.get("response")))
        elif "error" in (kind, event) or (value.get("error") and "response" not in value):
            self._writer.fail(failure_from(value) or Failure(message="The server reported an error."))
        elif "response" in value:
            self._start(as_map(value["response"]))
        elif kind == "response.output_item.added":
            self._added(self._place(value), as_map(value.get("item")))
        elif kind == "response.output_item.done":
            self._done(self._place(value), as_map(value.get("item")))
        else:
            self._grow(kind.removeprefix("response."), value)

    def close(self, _told: bool, /) -> bool:
        """A response ends by its own event only."""
        return False

    def _start(self, response: dict[str, Any]) -> None:
        if self._writer.count() == 0:
            self._writer.start(as_text(response.get("model")), as_text(response.get("id")))

    def _place(self, value: dict[str, Any]) -> Hashable:
        """The item that an event is about: by its place, or by its id when the server gives no place."""
        item_id = as_text(value.get("item_id")) or as_text(as_map(value.get("item")).get("id"))
        index = as_count(value.get("output_index"))
        place = index if index is not None else self._ids.get(item_id, item_id)
        if item_id:
            self._ids.setdefault(item_id, place)
        return place

    def _added(self, place: Hashable, item: dict[str, Any]) -> None:
        self._items[place] = item
        if is_call(item):
            self._writer.open((place, "call"), call_part(item, self._writer.call_id))
        elif item.get("type") == "reasoning":
            self._writer.open((place, "reasoning"), reasoning_part(item))

    def _grow(self, kind: str, value: dict[str, Any]) -> None:
        place = self._place(value)
        name, _, step = kind.rpartition(".")
        match name:
            case "output_text" | "refusal":
                self._prose(place, value, name, step)
            case "reasoning_summary_text" | "reasoning_text":
                self._reason(place, value, step)
            case "function_call_arguments" | "custom_tool_call_input" if self._writer.has((place, "call")):
                self._arguments(place, value, step)
            case "output_text.annotation":
                self._cite(as_map(value.get("annotation")))
            case _:
                return

    def _prose(self, place: Hashable, value: dict[str, Any], name: str, step: str) -> None:
        key = (place, "prose", as_count(value.get("content_index")) or 0)
        self._writer.open(key, self._prose_part(place, name))
        if step == "delta":
            self._writer.grow(key, _words(value.get("delta")))
        elif step == "done":
            self._writer.rewrite(key, _words(value.get("text" if name == "output_text" else "refusal")))
            self._writer.end(key)

    def _prose_part(self, place: Hashable, name: str) -> TextPart | RefusalPart:
        item = self._items.get(place, {})
        told = {key: text for key in ("id", "phase") if (text := as_text(item.get(key)))}
        private = {FAMILY: told} if told else None
        return (
            RefusalPart(text="", private=private) if name == "refusal" else TextPart(text="", private=private)
        )

    def _reason(self, place: Hashable, value: dict[str, Any], step: str) -> None:
        key = (place, "reasoning")
        self._writer.open(key, reasoning_part(self._items.get(place, {})))
        if step == "delta":
            self._writer.change(key, redacted=False)
            self._gap(key, place, as_count(value.get("summary_index")) or 0)
            self._writer.grow(key, _words(value.get("delta")))

    def _gap(self, key: Hashable, place: Hashable, index: int) -> None:
        """A blank line between the parts of a summary."""
        seen = (place, "summary", index)
        if index and seen not in self._summaries:
            self._writer.grow(key, "\n\n")
        self._summaries.add(seen)

    def _arguments(self, place: Hashable, value: dict[str, Any], step: str) -> None:
        key = (place, "call")
        if step == "delta":
            self._writer.grow(key, _words(value.get("delta")))
        elif step == "done":
            final = value.get("arguments", value.get("input"))
            self._writer.rewrite(key, json_text(final)) if final is not None else None

    def _done(self, place: Hashable, item: dict[str, Any]) -> None:
        """The final form of an item; whatever deltas did not bring is told now."""
        self._items[place] = item
        self._finished.add(place)
        match item.get("type"):
            case "message":
                self._message(place, item)
            case "reasoning":
                part = reasoning_part(item)
                self._settle((place, "reasoning"), part, reasoning_text(item))
            case "function_call" | "custom_tool_call":
                self._call(place, item)
            case _:
                self._settle((place, "item"), other_part(item, self._writer.call_id), None)

    def _message(self, place: Hashable, item: dict[str, Any]) -> None:
        for index, content in enumerate(as_list(item.get("content"))):
            fields = as_map(content)
            name = "refusal" if fields.get("type") == "refusal" else "output_text"
            part = self._prose_part(place, name)
            text = _words(fields.get("refusal" if name == "refusal" else "text"))
            self._settle((place, "prose", index), part, text)
            for annotation in as_list(fields.get("annotations")):
                self._cite(as_map(annotation))

    def _call(self, place: Hashable, item: dict[str, Any]) -> None:
        key = (place, "call")
        if not self._writer.has(key):
            self._writer.open(key, call_part(item, self._writer.call_id))
        final = item.get("arguments", item.get("input"))
        if name := as_text(item.get("name")):
            self._writer.change(key, name=name)
        if final is not None:
            self._writer.rewrite(key, json_text(final))
        self._writer.end(key)

    def _settle(self, key: Hashable, part: AssistantPart, text: str | None) -> None:
        self._writer.open(key, part)
        if isinstance(part, ReasoningPart):
            self._writer.change(key, private=part.private, redacted=part.redacted)
        elif part.private:
            self._writer.change(key, private=part.private)
        if text:
            self._writer.rewrite(key, text)
        self._writer.end(key)

    def _cite(self, annotation: dict[str, Any]) -> None:
        part = source_part(annotation)
        key = ("source", json_text(part.private))
        if annotation:
            self._writer.open(key, part)

    def _end(self, kind: str, response: dict[str, Any]) -> None:
        self._start(response)
        for index, item in enumerate(as_list(response.get("output"))):
            self._final_item(index, as_map(item))
        self._writer.usage(read_usage(response.get("usage")))
        if kind == "response.failed":
            self._writer.fail(
                failure_from(response) or Failure(message="The server could not finish the reply.")
            )
        self._writer.finish(_status(kind, response, calls=self._writer.has_open_calls()))

    def _final_item(self, index: int, item: dict[str, Any]) -> None:
        """The end repeats every item; one that was told already is not told again."""
        place = self._ids.get(as_text(item.get("id")), index)
        if place not in self._finished:
            self._done(place, item)


def _status(kind: str, response: dict[str, Any], *, calls: bool) -> Complete | Incomplete:
    if kind == "response.completed":
        return Complete(reason="toolCalls" if calls else "stop")
    if kind == "response.cancelled":
        return Incomplete(reason="stopped")
    reason = as_text(as_map(response.get("incomplete_details")).get("reason"))
    return _INCOMPLETE.get(reason, Incomplete(reason="other", error=reason or None))


def _is_bare_error(body: Mapping[str, Any]) -> bool:
    return bool(body.get("error")) and "output" not in body


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ""
