"""Bedrock Converse, streamed or whole, as events.

The stream's messages are those that ``boto3`` yields: one-key objects such as ``{"contentBlockDelta": …}``. Private
data under the model's family (``anthropic`` unless told otherwise): a reasoning block's ``signature``, or
``redactedContent`` as base64 text.

Not here: the AWS binary framing, which ``boto3`` takes off, and its connections (``providers``).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import msgspec

from triptych.model.events import Failure, StreamEvent
from triptych.model.ids import CallId
from triptych.model.parts import AssistantPart, ReasoningPart, SourcePart, TextPart, ToolCallPart, UnknownPart
from triptych.model.status import CallStreaming, Complete, Incomplete
from triptych.model.usage import Usage
from triptych.wires.reading.decoder import Decoder
from triptych.wires.reading.failures import failure_from, is_retryable
from triptych.wires.reading.values import as_count, as_list, as_map, as_text, json_text, kept_json
from triptych.wires.reading.writer import EventWriter

__all__ = ["FAMILY", "block_part", "from_reply", "open_decoder", "read_usage"]

FAMILY = "anthropic"
_FINISHES: dict[str, Complete | Incomplete] = {
    "end_turn": Complete(),
    "stop_sequence": Complete(),
    "tool_use": Complete(reason="toolCalls"),
    "max_tokens": Incomplete(reason="length"),
    "model_context_window_exceeded": Incomplete(reason="length"),
    "guardrail_intervened": Incomplete(reason="contentFilter"),
    "content_filtered": Incomplete(reason="contentFilter"),
    "malformed_model_output": Incomplete(reason="error", error="The model's output was malformed."),
    "malformed_tool_use": Incomplete(reason="error", error="The model's tool call was malformed."),
}


def open_decoder(family: str = FAMILY) -> Decoder:
    """A decoder for one streamed reply; feed it the messages, not the bytes."""
    return Decoder(lambda writer: ConverseReader(writer, family))


def from_reply(body: Mapping[str, Any], family: str = FAMILY) -> list[StreamEvent]:
    """The events of a reply that came whole."""
    decoder = open_decoder(family)
    if "output" not in body:
        failure = failure_from(dict(body))
        return [failure] if failure else decoder.close()
    events = decoder.feed({"messageStart": {"role": "assistant"}})
    message = as_map(as_map(body["output"]).get("message"))
    for index, block in enumerate(as_list(message.get("content"))):
        events += decoder.feed({"contentBlockStart": {"contentBlockIndex": index, "block": block}})
        events += decoder.feed({"contentBlockStop": {"contentBlockIndex": index}})
    events += decoder.feed({"messageStop": {"stopReason": body.get("stopReason")}})
    return [*events, *decoder.feed({"metadata": {"usage": body.get("usage")}}), *decoder.close()]


def read_usage(value: Any) -> Usage | None:
    """Token counts; Bedrock's ``inputTokens`` leave out what the cache read or wrote, ours are the whole."""
    source = as_map(value)
    fresh = as_count(source.get("inputTokens"))
    read, wrote = (as_count(source.get(f"cache{kind}InputTokens")) for kind in ("Read", "Write"))
    usage = Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (wrote or 0),
        cached_input_tokens=read,
        cache_write_tokens=wrote,
        output_tokens=as_count(source.get("outputTokens")),
    )
    return None if usage == Usage() else msgspec.structs.replace(usage, raw=kept_json(source))


def block_part(
    block: dict[str, Any], call_id: Callable[[str], CallId], family: str = FAMILY
) -> AssistantPart:
    """A content block as a part."""
    if isinstance(block.get("text"), str):
        return TextPart(text=block["text"])
    if tool := as_map(block.get("toolUse")):
        return ToolCallPart(
            call_id=call_id(as_text(tool.get("toolUseId"))),
            name=as_text(tool.get("name")),
            arguments=json_text(tool["input"]) if "input" in tool else "",
            state=CallStreaming(),
        )
    if reasoning := as_map(block.get("reasoningContent")):
        return _reasoning_part(reasoning, family)
    if cited := as_map(block.get("citationsContent")):
        texts = (as_map(one).get("text") for one in as_list(cited.get("content")))
        return TextPart(text="".join(text for text in texts if isinstance(text, str)))
    return UnknownPart(raw=kept_json(block))


def _reasoning_part(reasoning: dict[str, Any], family: str) -> ReasoningPart:
    if redacted := _opaque(reasoning.get("redactedContent")):
        return ReasoningPart(redacted=True, private={family: {"redactedContent": redacted}})
    told = as_map(reasoning.get("reasoningText")) or reasoning
    signature = as_text(told.get("signature"))
    text = told.get("text")
    return ReasoningPart(
        text=text if isinstance(text, str) else "",
        private={family: {"signature": signature}} if signature else None,
    )


class ConverseReader:
    """Reads the messages of one reply."""

    def __init__(self, writer: EventWriter, family: str) -> None:
        self._writer = writer
        self._family = family
        self._blocks: dict[int | None, Hashable] = {}
        self._reason = ""

    def read(self, value: dict[str, Any], _event: str, /) -> None:
        """One message; one whose key ends in ``Exception`` ends the reply."""
        for name, told in value.items():
            self._message(name, as_map(told))

    def close(self, told: bool, /) -> bool:
        """The reply is over when a stop reason was given; the counts may still have come after it."""
        if not (self._reason or told):
            return False
        known = _FINISHES.get(self._reason, Complete(reason="other"))
        wants_tools = self._writer.has_open_calls() and known == Complete()
        self._writer.finish(Complete(reason="toolCalls") if wants_tools else known)
        return True

    def _message(self, name: str, told: dict[str, Any]) -> None:
        index = as_count(told.get("contentBlockIndex"))
        match name:
            case "messageStart":
                self._writer.start()
            case "contentBlockStart":
                self._open(index, as_map(told.get("block")) or as_map(told.get("start")))
            case "contentBlockDelta":
                self._grow(index, as_map(told.get("delta")))
            case "contentBlockStop":
                self._close_block(index)
            case "messageStop":
                self._reason = as_text(told.get("stopReason")) or "end_turn"
            case "metadata":
                self._writer.usage(read_usage(told.get("usage")))
            case _ if name.endswith("Exception"):
                said = as_text(told.get("message")) or as_text(told.get("originalMessage")) or name
                self._writer.fail(Failure(message=said, code=name, retryable=_may_pass(name)))
            case _:
                return

    def _open(self, index: int | None, block: dict[str, Any]) -> Hashable:
        key = self._blocks[index] = ("block", self._writer.count())
        self._writer.open(key, block_part(block, self._writer.call_id, self._family))
        return key

    def _close_block(self, index: int | None) -> None:
        key = self._blocks.pop(index, None)
        if isinstance(self._writer.head(key), ToolCallPart) and not self._writer.last_piece(key):
            self._writer.rewrite(key, "{}")
        self._writer.end(key)

    def _grow(self, index: int | None, delta: dict[str, Any]) -> None:
        """Text and reasoning blocks have no start of their own: their first delta opens them."""
        if citation := as_map(delta.get("citation")):
            self._cite(citation)
            return
        key = self._blocks.get(index)
        if key is None:
            empty = {"reasoningContent": {"text": ""}} if "reasoningContent" in delta else {"text": ""}
            key = self._open(index, {"toolUse": {"name": ""}} if "toolUse" in delta else empty)
        text, tool = delta.get("text"), as_map(delta.get("toolUse")).get("input")
        self._writer.grow(key, text if isinstance(text, str) else json_text(tool))
        self._grow_reasoning(key, as_map(delta.get("reasoningContent")))

    def _grow_reasoning(self, key: Hashable, delta: dict[str, Any]) -> None:
        text = delta.get("text")
        self._writer.grow(key, text if isinstance(text, str) else "")
        if signature := as_text(delta.get("signature")):
            self._writer.change(key, private={self._family: {"signature": signature}})
        if redacted := _opaque(delta.get("redactedContent")):
            self._writer.change(key, redacted=True, private={self._family: {"redactedContent": redacted}})

    def _cite(self, citation: dict[str, Any]) -> None:
        quotes = (as_text(as_map(one).get("text")) for one in as_list(citation.get("sourceContent")))
        web = as_map(as_map(citation.get("location")).get("web"))
        part = SourcePart(
            url=as_text(web.get("url")) or None,
            title=as_text(citation.get("title")) or None,
            quote="\n".join(quote for quote in quotes if quote) or None,
            private={self._family: kept_json(citation)},
        )
        self._writer.open(("source", json_text(part.private)), part)


def _opaque(value: Any) -> str:
    """Bytes as base64 text; text is base64 already."""
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else as_text(value)


def _may_pass(name: str) -> bool:
    return is_retryable(None, name) or name in {"internalServerException", "modelStreamErrorException"}
