"""Everything that a chat keeps, in one place."""

from __future__ import annotations

from typing import Protocol

from triptych.ports.blobs import BlobStore
from triptych.ports.conversations import ConversationStore, ProjectStore
from triptych.ports.runs import RunStore, SourceStore

__all__ = ["Store"]


class Store(ConversationStore, ProjectStore, BlobStore, RunStore, SourceStore, Protocol):
    """A store that can do all of it; every adapter passes ``testing.store_contract``."""

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
