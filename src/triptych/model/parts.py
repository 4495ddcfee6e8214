"""The typed pieces of a message. Their order is the order in which things were said, for ever.

``private`` holds what only one provider family understands (signatures, encrypted reasoning, item ids), keyed
by the family (``anthropic``, ``openai``, ``google`` …) and kept byte-exact. ``extra`` holds fields that the
reader did not know; they are written back where they stood.

Not here: which role may hold which part (``messages``), and reading or writing JSON (``codec``).
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.model.ids import BlobDigest, CallId
from triptych.model.references import Reference
from triptych.model.status import READY, ToolCallState

__all__ = [
    "EXTRA",
    "AssistantPart",
    "AudioPart",
    "BlobMedia",
    "DataPart",
    "ErrorPart",
    "FilePart",
    "ImagePart",
    "InlineMedia",
    "Media",
    "Part",
    "ProviderMedia",
    "ReasoningPart",
    "ReferencePart",
    "RefusalPart",
    "ResultContent",
    "SourcePart",
    "SystemPart",
    "TextPart",
    "ToolCallPart",
    "ToolPart",
    "ToolResultPart",
    "UnknownPart",
    "UrlMedia",
    "UserPart",
    "VideoPart",
]


EXTRA = "triptych.fields.nobody.knows"
"""How ``extra`` is called in natively written JSON: never a key of anybody's, and quick to look for. The codec puts
its content among the other fields, so that no JSON outside ever holds it."""


class UrlMedia(msgspec.Struct, frozen=True, tag="url", tag_field="kind", forbid_unknown_fields=True):
    """Bytes behind an address."""

    url: str


class BlobMedia(
    msgspec.Struct,
    frozen=True,
    omit_defaults=True,
    tag="blob",
    tag_field="kind",
    forbid_unknown_fields=True,
):
    """Bytes in the blob store."""

    digest: BlobDigest
    size: int | None = None


class InlineMedia(msgspec.Struct, frozen=True, tag="inline", tag_field="kind", forbid_unknown_fields=True):
    """Bytes in the message itself, as standard base64 text."""

    data: str


class ProviderMedia(
    msgspec.Struct,
    frozen=True,
    rename="camel",
    tag="provider",
    tag_field="kind",
    forbid_unknown_fields=True,
):
    """A file that was uploaded to one provider family and is only known there."""

    family: str
    file_id: str


Media = UrlMedia | BlobMedia | InlineMedia | ProviderMedia


class _Part(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="type",
    gc=False,
):
    private: dict[str, Any] | None = None
    extra: dict[str, Any] | None = msgspec.field(default=None, name=EXTRA)


class TextPart(_Part, frozen=True, kw_only=True, tag="text"):
    """Prose, as written."""

    text: str


class ReasoningPart(_Part, frozen=True, kw_only=True, tag="reasoning"):
    """Thinking that a model showed; its signature or encrypted form is in ``private``.

    ``redacted`` reasoning has no readable text, only private data that must go back unchanged.
    """

    text: str = ""
    redacted: bool = False
    duration: int | None = None


class ToolCallPart(_Part, frozen=True, kw_only=True, tag="toolCall"):
    """A model asks for a tool.

    Attributes:
        arguments: the JSON text exactly as the model wrote it; it may be incomplete or no JSON at all.
        namespace: the plugin or server that owns the tool, when there is one.
        server_side: the provider runs the tool itself; its result stands inline in the same message.
    """

    call_id: CallId
    name: str
    arguments: str = ""
    namespace: str | None = None
    server_side: bool = False
    state: ToolCallState = READY


class ImagePart(_Part, frozen=True, kw_only=True, tag="image"):
    """A picture. ``detail`` is the provider hint ``low``, ``high`` or ``auto``."""

    media: Media
    media_type: str | None = None
    name: str | None = None
    alt: str | None = None
    detail: str | None = None


class AudioPart(_Part, frozen=True, kw_only=True, tag="audio"):
    """Sound, with its transcript when one is known."""

    media: Media
    media_type: str | None = None
    name: str | None = None
    transcript: str | None = None


class VideoPart(_Part, frozen=True, kw_only=True, tag="video"):
    """A film."""

    media: Media
    media_type: str | None = None
    name: str | None = None


class FilePart(_Part, frozen=True, kw_only=True, tag="file"):
    """Any other file. ``text`` is what could be read out of it; ``size`` is in bytes."""

    media: Media | None = None
    media_type: str | None = None
    name: str | None = None
    size: int | None = None
    text: str | None = None


class ReferencePart(_Part, frozen=True, kw_only=True, tag="reference"):
    """What the person attached, by name."""

    reference: Reference


class DataPart(_Part, frozen=True, kw_only=True, tag="data"):
    """A value of an application's own, shown by it and never sent to a model."""

    name: str
    data: Any = None


class SourcePart(_Part, frozen=True, kw_only=True, tag="source"):
    """Where a statement came from: a page, a document, a note and its lines."""

    url: str | None = None
    title: str | None = None
    quote: str | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None


class RefusalPart(_Part, frozen=True, kw_only=True, tag="refusal"):
    """The model declined, in its own words."""

    text: str


class ErrorPart(_Part, frozen=True, kw_only=True, tag="error"):
    """What went wrong while the reply was made; shown to people, never sent to a model."""

    message: str
    code: str | None = None
    body: Any = None


class UnknownPart(_Part, frozen=True, kw_only=True, tag="unknown"):
    """A part that this version does not know, whole; it is written back JSON-equal."""

    raw: Any


ResultContent = TextPart | ImagePart | AudioPart | VideoPart | FilePart | DataPart | UnknownPart


class ToolResultPart(_Part, frozen=True, kw_only=True, tag="toolResult"):
    """What a tool answered.

    Attributes:
        content: what the model reads.
        is_error: the tool failed; the content says how.
        state: what the tool keeps for its own display, as JSON (never sent to a model).
    """

    call_id: CallId
    name: str | None = None
    content: tuple[ResultContent, ...] = ()
    is_error: bool = False
    state: Any = None


SystemPart = TextPart | UnknownPart
UserPart = TextPart | ImagePart | AudioPart | VideoPart | FilePart | ReferencePart | DataPart | UnknownPart
AssistantPart = (
    TextPart
    | ReasoningPart
    | ToolCallPart
    | ToolResultPart
    | ImagePart
    | AudioPart
    | VideoPart
    | FilePart
    | SourcePart
    | RefusalPart
    | ErrorPart
    | DataPart
    | UnknownPart
)
ToolPart = ToolResultPart | UnknownPart
Part = (
    TextPart
    | ReasoningPart
    | ToolCallPart
    | ToolResultPart
    | ImagePart
    | AudioPart
    | VideoPart
    | FilePart
    | ReferencePart
    | SourcePart
    | RefusalPart
    | ErrorPart
    | DataPart
    | UnknownPart
)
