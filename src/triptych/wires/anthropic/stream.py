"""Anthropic Messages, streamed or whole, as events.

A content block is a part and keeps its place. Private data under ``anthropic``: a thinking block's ``signature``, a
redacted block's ``data``, the raw block of a server tool's result and of a citation.

Not here: connections (``providers``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import msgspec

from triptych.model.events import Failure, StreamEvent
from triptych.model.ids import CallId
from triptych.model.parts import (
    AssistantPart,
    ReasoningPart,
    SourcePart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UnknownPart,
)
from triptych.model.status import CallStreaming, Complete, Incomplete
from triptych.model.usage import Usage
from triptych.wires.reading.decoder import Decoder
from triptych.wires.reading.failures import failure_from
from triptych.wires.reading.values import as_count, as_list, as_map, as_text, first_text, json_text, kept_json
from triptych.wires.reading.writer import EventWriter

__all__ = ["FAMILY", "block_part", "from_reply", "open_decoder", "read_usage"]

FAMILY = "anthropic"
_BEGUN_BY = {"text_delta": "text", "thinking_delta": "thinking"}
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_FINISHES: dict[str, Complete | Incomplete] = {
    "end_turn": Complete(),
    "stop_sequence": Complete(),
    "tool_use": Complete(reason="toolCalls"),
    "pause_turn": Complete(reason="other"),
    "max_tokens": Incomplete(reason="length"),
    "model_context_window_exceeded": Incomplete(reason="length"),
    "refusal": Incomplete(reason="contentFilter"),
}


def open_decoder() -> Decoder:
    """A decoder for one streamed message."""
    return Decoder(MessageReader)


def from_reply(body: Mapping[str, Any]) -> list[StreamEvent]:
    """The events of a message that came whole."""
    decoder = open_decoder()
    if body.get("type") == "error" or body.get("error"):
        return [*decoder.feed({"type": "error", **body}), *decoder.close()]
    events = decoder.feed({"type": "message_start", "message": dict(body)})
    for index, block in enumerate(as_list(body.get("content"))):
        events += decoder.feed({"type": "content_block_start", "index": index, "content_block": block})
        events += decoder.feed({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": body.get("stop_reason")}
    events += decoder.feed({"type": "message_delta", "delta": delta, "usage": body.get("usage")})
    return [*events, *decoder.feed({"type": "message_stop"}), *decoder.close()]


def read_usage(value: Any) -> Usage | None:
    """Token counts; Anthropic's ``input_tokens`` leave out what the cache read or wrote, ours are the whole."""
    source = as_map(value)
    fresh = as_count(source.get("input_tokens"))
    read, wrote = (as_count(source.get(f"cache_{kind}_input_tokens")) for kind in ("read", "creation"))
    usage = Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (wrote or 0),
        cached_input_tokens=read,
        cache_write_tokens=wrote,
        output_tokens=as_count(source.get("output_tokens")),
    )
    return None if usage == Usage() else msgspec.structs.replace(usage, raw=kept_json(source))


def block_part(block: dict[str, Any], call_id: Callable[[str], CallId]) -> AssistantPart:
    """A content block as a part. ``call_id`` gives a call its id from the one that the block holds."""
    kind = as_text(block.get("type"))
    match kind:
        case "text":
            return TextPart(text=_words(block.get("text")))
        case "thinking":
            signature = as_text(block.get("signature"))
            return ReasoningPart(
                text=_words(block.get("thinking")),
                private={FAMILY: {"signature": signature}} if signature else None,
            )
        case "redacted_thinking":
            return ReasoningPart(redacted=True, private={FAMILY: {"data": as_text(block.get("data"))}})
        case _ if kind in _CALLS:
            return _call_part(block, kind, call_id)
        case _ if kind.endswith("_tool_result"):
            return _result_part(block, kind)
        case _:
            return UnknownPart(raw=kept_json(block))


def _call_part(block: dict[str, Any], kind: str, call_id: Callable[[str], CallId]) -> ToolCallPart:
    return ToolCallPart(
        call_id=call_id(as_text(block.get("id"))),
        name=as_text(block.get("name")),
        arguments=json_text(block["input"]) if block.get("input") else "",
        namespace=as_text(block.get("server_name")) or None,
        server_side=kind != "tool_use",
        state=CallStreaming(),
        private=None if kind == "tool_use" else {FAMILY: {"type": kind}},
    )


def _result_part(block: dict[str, Any], kind: str) -> ToolResultPart:
    """What a server tool answered: kept raw, since it has to go back as it came; prose in it can be read."""
    content = block.get("content")
    pieces = [one for one in (content if isinstance(content, list) else [content]) if isinstance(one, dict)]
    return ToolResultPart(
        call_id=CallId(as_text(block.get("tool_use_id"))),
        name=kind.removesuffix("_tool_result"),
        content=tuple(
            TextPart(text=text) for one in pieces if (text := first_text(one, "text", "title", "stdout"))
        ),
        is_error=block.get("is_error") is True or any("error" in as_text(one.get("type")) for one in pieces),
        private={FAMILY: kept_json(block)},
    )


class MessageReader:
    """Reads the events of one message."""

    def __init__(self, writer: EventWriter) -> None:
        self._writer = writer
        self._blocks: dict[int | None, Hashable] = {}
        self._given: set[Hashable] = set()
        self._reason = ""
        self._usage: dict[str, Any] = {}

    def read(self, value: dict[str, Any], event: str, /) -> None:
        """One event; ``ping`` and events that nobody knows yet say nothing."""
        if event == "error" or value.get("error"):
            self._writer.fail(failure_from(value) or Failure(message="The server reported an error."))
            return
        match as_text(value.get("type")) or event:
            case "message_start":
                message = as_map(value.get("message"))
                self._writer.start(as_text(message.get("model")), as_text(message.get("id")))
                self._count(message.get("usage"))
            case "content_block_start":
                self._open(as_count(value.get("index")), as_map(value.get("content_block")))
            case "content_block_delta":
                self._grow(self._begun(value), as_map(value.get("delta")))
            case "content_block_stop":
                self._close_block(self._key(value))
            case "message_delta":
                self._reason = as_text(as_map(value.get("delta")).get("stop_reason")) or self._reason
                self._count(value.get("usage"))
            case "message_stop":
                self._finish()
            case _:
                return

    def close(self, told: bool, /) -> bool:
        """Finish with the reason that was given; ``message_stop`` needs none."""
        if self._reason or told:
            self._finish()
        return self._writer.ended

    def _finish(self) -> None:
        known = _FINISHES.get(self._reason, Complete(reason="other"))
        wants_tools = self._writer.has_open_calls() and known == Complete()
        self._writer.finish(Complete(reason="toolCalls") if wants_tools else known)

    def _key(self, value: dict[str, Any]) -> Hashable:
        return self._blocks.get(as_count(value.get("index")))

    def _begun(self, value: dict[str, Any]) -> Hashable:
        """The block that a delta belongs to; some gateways never say that one starts."""
        kind = _BEGUN_BY.get(as_text(as_map(value.get("delta")).get("type")))
        index = as_count(value.get("index"))
        if index not in self._blocks and kind is not None:
            self._open(index, {"type": kind})
        return self._key(value)

    def _open(self, index: int | None, block: dict[str, Any]) -> None:
        """A block; an index that is used again is another block."""
        key = self._blocks[index] = ("block", self._writer.count())
        self._writer.open(key, block_part(block, self._writer.call_id))
        if block.get("input"):
            self._given.add(key)
        for citation in as_list(block.get("citations")):
            self._cite(as_map(citation))

    def _grow(self, key: Hashable, delta: dict[str, Any]) -> None:
        match delta.get("type"):
            case "text_delta":
                self._writer.grow(key, _words(delta.get("text")))
            case "thinking_delta":
                self._writer.grow(key, _words(delta.get("thinking")))
            case "input_json_delta":
                self._grow_input(key, _words(delta.get("partial_json")))
            case "signature_delta":
                self._sign(key, as_text(delta.get("signature")))
            case "citations_delta":
                self._cite(as_map(delta.get("citation")))
            case _:
                return

    def _grow_input(self, key: Hashable, text: str) -> None:
        """Pieces of arguments replace arguments that the start of the block seemed to hold already."""
        if text and key in self._given:
            self._given.discard(key)
            self._writer.rewrite(key, "")
        self._writer.grow(key, text)

    def _close_block(self, key: Hashable) -> None:
        if isinstance(self._writer.head(key), ToolCallPart) and not self._writer.last_piece(key):
            self._writer.rewrite(key, "{}")
        self._writer.end(key)

    def _sign(self, key: Hashable, signature: str) -> None:
        """A signature may come in pieces."""
        part = self._writer.head(key)
        before = as_text(as_map(as_map(part and part.private).get(FAMILY)).get("signature"))
        if signature:
            self._writer.change(key, private={FAMILY: {"signature": before + signature}})

    def _cite(self, citation: dict[str, Any]) -> None:
        if not citation:
            return
        part = SourcePart(
            url=first_text(citation, "url", "source") or None,
            title=first_text(citation, "title", "document_title") or None,
            quote=as_text(citation.get("cited_text")) or None,
            private={FAMILY: kept_json(citation)},
        )
        self._writer.open(("source", json_text(part.private)), part)

    def _count(self, usage: Any) -> None:
        """Counts arrive twice; the second ones may leave out what the first had."""
        self._usage |= {key: value for key, value in as_map(usage).items() if value is not None}
        self._writer.usage(read_usage(self._usage))


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ""
