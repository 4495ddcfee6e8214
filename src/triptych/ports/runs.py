"""The record of model calls, and of where imported conversations came from."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from triptych.model.ids import BlobDigest, ConversationId, EnvelopeId, MessageId, RunId

__all__ = ["Run", "RunStore", "Source", "SourceStore"]


class Run(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One model call inside a turn: what was asked, what had to be repaired, how it ended.

    ``payload`` is the blob of the request body as it was sent; ``report`` the repairs; times in epoch ms.
    """

    id: RunId
    conversation_id: ConversationId
    message_id: MessageId
    provider: str
    model: str
    started_at: int
    ended_at: int | None = None
    envelope_id: EnvelopeId | None = None
    payload: BlobDigest | None = None
    report: tuple[dict[str, Any], ...] = ()
    outcome: dict[str, Any] | None = None


class RunStore(Protocol):
    """Runs, oldest first."""

    async def put_run(self, run: Run) -> None:
        """Add or replace."""
        ...

    async def runs(self, conversation_id: ConversationId) -> list[Run]:
        """All runs of a conversation."""
        ...


class Source(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Where a conversation was imported from: the same export twice adds nothing."""

    conversation_id: ConversationId
    format: str
    source_id: str
    digest: BlobDigest
    raw: BlobDigest | None = None
    detail: dict[str, Any] | None = None


class SourceStore(Protocol):
    """Sources by format and the id that the other program used."""

    async def put_source(self, source: Source) -> None:
        """Add or replace."""
        ...

    async def source(self, format: str, source_id: str) -> Source | None:  # noqa: A002 # the glossary's word
        """What was imported before, or None."""
        ...
