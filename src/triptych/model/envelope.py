"""The record of what a model was given for one turn: five layers by digest, so that it can be built again.

Not here: how layers are made and rendered (``context.envelope``).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from triptych.model.ids import BlobDigest, ConversationId, EnvelopeId, MessageId

__all__ = ["ENVELOPE_VERSION", "Envelope", "Layer", "LayerName", "Segment"]

LayerName = Literal["system", "previous", "turn", "history", "user"]
"""L1 to L5, in the order in which a model reads them."""

ENVELOPE_VERSION = 1


class Segment(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """One source inside a layer.

    Attributes:
        key: stable name of the source (``note:plans/launch.md``).
        digest: the blob that holds the body as it was read.
        rendered: the blob that holds the text as it was sent, when it is not derived from the body.
        form: how it went in: ``full``, ``kept`` (a reference to what the model has), ``changes``,
            ``dropped``, ``error``.
        recoverable: the source can be read again; a selection cannot.
        detail: provenance and counts, as JSON.
    """

    key: str
    kind: str
    digest: BlobDigest | None = None
    rendered: BlobDigest | None = None
    form: str = "full"
    recoverable: bool = True
    detail: dict[str, Any] | None = None


class Layer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One layer as it was sent: its text by digest, its segments, its fingerprint."""

    name: LayerName
    digest: BlobDigest
    fingerprint: str
    segments: tuple[Segment, ...] = ()


class Envelope(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The layers of one turn. ``revision`` counts from 1; a message may have several."""

    id: EnvelopeId
    message_id: MessageId
    conversation_id: ConversationId
    revision: int
    layers: tuple[Layer, ...] = ()
    fingerprint: str = ""
    layout: str = "append"
    epoch: int = 0
    created_at: int = 0
    version: int = ENVELOPE_VERSION
    detail: dict[str, Any] | None = None
