"""Gemini generateContent, streamed or whole, as events.

Private data under ``google``: ``thoughtSignature``, on exactly the part that it came with. Text that comes after a
signed piece is a part of its own, so that what was signed is never changed.

Not here: connections (``providers``).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import msgspec

from triptych.model.events import Failure, StreamEvent
from triptych.model.ids import CallId
from triptych.model.parts import (
    AssistantPart,
    AudioPart,
    FilePart,
    ImagePart,
    InlineMedia,
    Media,
    ProviderMedia,
    ReasoningPart,
    SourcePart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UnknownPart,
    VideoPart,
)
from triptych.model.status import Complete, Incomplete
from triptych.model.usage import Usage
from triptych.wires.reading.decoder import Decoder
from triptych.wires.reading.failures import failure_from
from triptych.wires.reading.values import as_count, as_list, as_map, as_text, first_text, json_text, kept_json
from triptych.wires.reading.writer import EventWriter

__all__ = ["FAMILY", "from_reply", "media_part", "open_decoder", "read_usage"]

FAMILY = "google"
_FILTERED = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
    }
)
_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})
_CODE = "code_execution"


def open_decoder() -> Decoder:
    """A decoder for one streamed reply (``alt=sse``)."""
    return Decoder(ContentReader)


def from_reply(body: Mapping[str, Any] | list[Any]) -> list[StreamEvent]:
    """The events of a reply that came whole; a list of chunks (streamed without ``alt=sse``) is read in order."""
    decoder = open_decoder()
    chunks = body if isinstance(body, list) else [body]
    return [*(event for chunk in chunks for event in decoder.feed(as_map(chunk))), *decoder.close()]


def read_usage(value: Any) -> Usage | None:
    """Token counts; thoughts are output here, as they are billed."""
    source = as_map(value)
    said, thought = as_count(source.get("candidatesTokenCount")), as_count(source.get("thoughtsTokenCount"))
    prompt, tools = as_count(source.get("promptTokenCount")), as_count(source.get("toolUsePromptTokenCount"))
    usage = Usage(
        input_tokens=None if prompt is None else prompt + (tools or 0),
        cached_input_tokens=as_count(source.get("cachedContentTokenCount")),
        output_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
        reasoning_tokens=thought,
    )
    return None if usage == Usage() else msgspec.structs.replace(usage, raw=kept_json(source))


def media_part(part: dict[str, Any]) -> ImagePart | AudioPart | VideoPart | FilePart | None:
    """``inlineData`` or ``fileData`` as a part, by its MIME type; None when there is neither."""
    inline, file = as_map(part.get("inlineData")), as_map(part.get("fileData"))
    if not (inline or file):
        return None
    data, url = as_text(inline.get("data")), as_text(file.get("fileUri"))
    media: Media = InlineMedia(data=data) if inline else ProviderMedia(family=FAMILY, file_id=url)
    media_type = first_text(inline or file, "mimeType") or None
    name = as_text((inline or file).get("displayName")) or None
    match (media_type or "").partition("/")[0]:
        case "image":
            return ImagePart(media=media, media_type=media_type, name=name)
        case "audio":
            return AudioPart(media=media, media_type=media_type, name=name)
        case "video":
            return VideoPart(media=media, media_type=media_type, name=name)
        case _:
            return FilePart(media=media, media_type=media_type, name=name)


class ContentReader:
    """Reads the chunks of one reply."""

    def __init__(self, writer: EventWriter) -> None:
        self._writer = writer
        self._prose: tuple[str, int] | None = None
        self._reason = ""
        self._blocked = ""
        self._code: CallId | None = None
        self._sources: set[str] = set()

    def read(self, value: dict[str, Any], event: str, /) -> None:
        """One chunk. An error in it ends the reply."""
        if value.get("error") or event == "error":
            self._writer.fail(failure_from(value) or Failure(message="The server reported an error."))
            return
        if self._writer.count() == 0:
            self._writer.start(as_text(value.get("modelVersion")), as_text(value.get("responseId")))
        candidate = as_map(next(iter(as_list(value.get("candidates"))), None))
        for part in as_list(as_map(candidate.get("content")).get("parts")):
            self._part(as_map(part))
        self._cite_all(candidate)
        self._reason = as_text(candidate.get("finishReason")) or self._reason
        self._blocked = as_text(as_map(value.get("promptFeedback")).get("blockReason")) or self._blocked
        self._writer.usage(read_usage(value.get("usageMetadata")))

    def close(self, told: bool, /) -> bool:
        """There is no last line: a reply is over when a finish reason was given and the bytes ended."""
        if not (self._reason or self._blocked or told):
            return False
        self._writer.finish(self._status())
        return True

    def _status(self) -> Complete | Incomplete:
        if self._blocked or self._reason in _FILTERED:
            return Incomplete(reason="contentFilter", error=self._blocked or self._reason)
        if self._reason == "MAX_TOKENS":
            return Incomplete(reason="length")
        if self._reason in _MALFORMED:
            return Incomplete(reason="error", error=f"The model's tool call was malformed ({self._reason}).")
        if self._writer.has_open_calls():
            return Complete(reason="toolCalls")
        return Complete(reason="stop" if self._reason == "STOP" else "other")

    def _part(self, part: dict[str, Any]) -> None:
        signature = first_text(part, "thoughtSignature", "thought_signature")
        if isinstance(part.get("text"), str):
            self._say("reasoning" if part.get("thought") is True else "text", part["text"], signature)
        elif part:
            self._end_prose()
            self._whole(part, {FAMILY: {"thoughtSignature": signature}} if signature else None)

    def _say(self, kind: str, text: str, signature: str) -> None:
        """Prose goes on in the same part until it was signed; a signature alone belongs to the prose before it."""
        if not (text or signature):
            return
        signed = bool(self._prose and getattr(self._writer.head(self._prose), "private", None))
        if self._prose is None or (signed and text) or (self._prose[0] != kind and text):
            self._end_prose()
            self._prose = (kind, self._writer.count())
            self._writer.open(self._prose, ReasoningPart() if kind == "reasoning" else TextPart(text=""))
        self._writer.grow(self._prose, text)
        if signature:
            self._writer.change(self._prose, private={FAMILY: {"thoughtSignature": signature}})

    def _end_prose(self) -> None:
        if self._prose:
            self._writer.end(self._prose)
        self._prose = None

    def _whole(self, part: dict[str, Any], private: dict[str, Any] | None) -> None:
        key = ("part", self._writer.count())
        self._writer.open(key, self._read_whole(part, private))
        self._writer.end(key)

    def _read_whole(self, part: dict[str, Any], private: dict[str, Any] | None) -> AssistantPart:
        if call := as_map(part.get("functionCall")):
            return ToolCallPart(
                call_id=self._writer.call_id(as_text(call.get("id"))),
                name=as_text(call.get("name")),
                arguments=json_text(call.get("args") or {}),
                private=private,
            )
        if code := as_map(part.get("executableCode")):
            self._code = self._writer.call_id("")
            kept = {FAMILY: {**(private or {}).get(FAMILY, {}), "executableCode": kept_json(code)}}
            return ToolCallPart(
                call_id=self._code,
                name=_CODE,
                arguments=json_text(kept_json(code)),
                server_side=True,
                private=kept,
            )
        if result := as_map(part.get("codeExecutionResult")):
            return _code_result(result, self._code or self._writer.call_id(""))
        media = media_part(part)
        if media is not None:
            return msgspec.structs.replace(media, private=private)
        return UnknownPart(raw=kept_json(part))

    def _cite_all(self, candidate: dict[str, Any]) -> None:
        for chunk in as_list(as_map(candidate.get("groundingMetadata")).get("groundingChunks")):
            self._cite(as_map(as_map(chunk).get("web")) or as_map(as_map(chunk).get("retrievedContext")))
        cited = as_map(candidate.get("citationMetadata"))
        for source in (*as_list(cited.get("citations")), *as_list(cited.get("citationSources"))):
            self._cite(as_map(source))

    def _cite(self, source: dict[str, Any]) -> None:
        url, title = as_text(source.get("uri")), as_text(source.get("title"))
        key: Hashable = ("source", url or title)
        if url or title:
            self._writer.open(key, SourcePart(url=url or None, title=title or None))


def _code_result(result: dict[str, Any], call_id: CallId) -> ToolResultPart:
    output = as_text(result.get("output"))
    return ToolResultPart(
        call_id=call_id,
        name=_CODE,
        content=(TextPart(text=output),) if output else (),
        is_error=as_text(result.get("outcome")) not in ("", "OUTCOME_OK"),
        private={FAMILY: {"codeExecutionResult": kept_json(result)}},
    )
