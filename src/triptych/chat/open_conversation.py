"""A conversation that is in memory: its repository, its watchers, its running reply."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from triptych.chat.watch import Watchers
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import BlobDigest
from triptych.ports.conversations import ConversationStore
from triptych.repository import Change, Repository
from triptych.wires.compile import CompileCache

__all__ = ["OpenConversation"]


class OpenConversation:
    """The one live copy. Changes are made and written under ``lock``, in the same order."""

    def __init__(
        self, repository: Repository, store: ConversationStore, diagnostics: Sequence[Diagnostic]
    ) -> None:
        self.repository = repository
        self.diagnostics = tuple(diagnostics)
        self.watchers = Watchers()
        self.lock = asyncio.Lock()
        self.run: asyncio.Task[None] | None = None
        self.stop = asyncio.Event()
        self.texts: dict[BlobDigest, str] = {}
        self.compiled = CompileCache()
        self.used_at = 0
        self._store = store

    @property
    def idle(self) -> bool:
        """Nobody watches and nothing runs."""
        return not self.watchers and self.run is None and not self.lock.locked()

    async def write(self, changes: Sequence[Change]) -> None:
        """Put changes on disk, then tell the watchers. Call it with the lock held."""
        if changes:
            await self._store.commit(self.repository.conversation.id, changes)
            self.watchers.notify(changes)
