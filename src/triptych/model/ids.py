"""Names of things. Minting them is not done here: new ids come from ``ports.clock``."""

from __future__ import annotations

from typing import NewType

__all__ = [
    "BlobDigest",
    "CallId",
    "ConversationId",
    "EnvelopeId",
    "MessageId",
    "ProjectId",
    "RunId",
    "ThreadId",
    "UserId",
]

MessageId = NewType("MessageId", str)
ConversationId = NewType("ConversationId", str)
ProjectId = NewType("ProjectId", str)
UserId = NewType("UserId", str)
ThreadId = NewType("ThreadId", str)
RunId = NewType("RunId", str)
CallId = NewType("CallId", str)
EnvelopeId = NewType("EnvelopeId", str)
BlobDigest = NewType("BlobDigest", str)
"""``b2:`` and 64 hex digits: BLAKE2b-256 of the bytes (see ``model.digest``)."""
