"""Digests: names that are made from content.

``b2:`` and 64 hex digits of BLAKE2b with 32 bytes; the prefix leaves room for another algorithm later.
The content digest of a message covers its role and its parts (references among them); not its id, parent,
status, usage, times or metadata, so the same words have the same digest wherever they stand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from triptych.errors import UsageError
from triptych.model.ids import BlobDigest
from triptych.model.messages import AssistantMessage, Message, role_of
from triptych.model.parts import ToolCallPart
from triptych.model.status import READY, Streaming

__all__ = ["content_digest", "digest_bytes", "digest_json", "digest_text", "path_digest"]

_ENCODER = msgspec.json.Encoder(order="deterministic")


def digest_bytes(data: bytes) -> BlobDigest:
    """The digest of these bytes: the name of their blob."""
    return BlobDigest("b2:" + hashlib.blake2b(data, digest_size=32).hexdigest())


def digest_text(text: str) -> BlobDigest:
    """The digest of a text's UTF-8 bytes."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


def digest_json(value: Any) -> BlobDigest:
    """The digest of a JSON value, whatever the order of its keys."""
    return digest_bytes(_ENCODER.encode(value))


def content_digest(message: Message) -> BlobDigest:
    """The digest of what was said. A message that is still streaming has none (``UsageError``)."""
    if isinstance(message, AssistantMessage) and isinstance(message.status, Streaming):
        raise UsageError("A message that is still streaming has no digest; wait until it has ended.")
    parts = [_stateless(part) for part in message.parts]
    return digest_bytes(_ENCODER.encode((role_of(message), parts)))


def path_digest(digests: Iterable[BlobDigest]) -> BlobDigest:
    """The digest of a path, from the content digests root to head; derived, never stored."""
    return digest_text("\n".join(digests))


def _stateless(part: Any) -> Any:
    """Whether a call was approved or answered does not change what the model said."""
    return msgspec.structs.replace(part, state=READY) if isinstance(part, ToolCallPart) else part
