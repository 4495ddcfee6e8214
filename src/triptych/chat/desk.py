"""The open conversations: loaded once, kept while they are used, let go when idle."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from triptych.chat.open_conversation import OpenConversation
from triptych.errors import UsageError
from triptych.model.ids import ConversationId
from triptych.ports.clock import Clock
from triptych.ports.conversations import ConversationStore
from triptych.repository import Repository

__all__ = ["Desk"]

_KEPT = 16


class Desk:
    """At most one live copy of a conversation; whoever asks while it loads waits for the same one.

    One that was let go is still the live copy for as long as somebody holds it: between the moment at which a
    conversation is opened and the moment at which it is watched or locked, others may be opened.
    """

    def __init__(self, store: ConversationStore, clock: Clock, *, kept: int = _KEPT) -> None:
        self._store = store
        self._clock = clock
        self._kept = kept
        self._open: dict[ConversationId, OpenConversation] = {}
        self._held: WeakValueDictionary[ConversationId, OpenConversation] = WeakValueDictionary()
        self._loading: dict[ConversationId, asyncio.Future[OpenConversation]] = {}

    def __len__(self) -> int:
        return len(self._open)

    async def open(self, conversation_id: ConversationId) -> OpenConversation:
        """The live conversation; ``UsageError`` when there is none of that id."""
        opened = self.known(conversation_id)
        if opened is None:
            opened = await self._loaded(conversation_id)
        self._open[conversation_id] = opened
        opened.used_at = self._clock.now()
        self._let_go(opened)
        return opened

    def forget(self, conversation_id: ConversationId) -> None:
        """Drop the live copy: it is deleted, or memory and disk no longer agree and it has to be read again."""
        opened = self._held.pop(conversation_id, None)
        self._open.pop(conversation_id, None)
        if opened is not None:
            opened.watchers.end()

    def known(self, conversation_id: ConversationId) -> OpenConversation | None:
        """The live copy, when there is one; nothing is read."""
        return self._held.get(conversation_id)

    async def read_again(self, conversation_id: ConversationId) -> None:
        """The disk was changed beside the live copy: drop it, and one that is being read just now too."""
        waiting = self._loading.get(conversation_id)
        if waiting is not None:
            await asyncio.wait({waiting})
        self.forget(conversation_id)

    def open_ones(self) -> list[OpenConversation]:
        """Those in memory now."""
        return list(self._held.values())

    async def _loaded(self, conversation_id: ConversationId) -> OpenConversation:
        waiting = self._loading.get(conversation_id)
        if waiting is not None:
            return await asyncio.shield(waiting)
        future: asyncio.Future[OpenConversation] = asyncio.get_running_loop().create_future()
        self._loading[conversation_id] = future
        try:
            opened = await self._read(conversation_id)
        except BaseException as problem:
            future.set_exception(problem)
            future.exception()
            raise
        else:
            self._held[conversation_id] = opened
            future.set_result(opened)
            return opened
        finally:
            del self._loading[conversation_id]

    async def _read(self, conversation_id: ConversationId) -> OpenConversation:
        stored = await self._store.load(conversation_id)
        if stored is None:
            raise UsageError(f"There is no conversation {conversation_id!r}.")
        repository, found = Repository.load(stored.conversation, stored.messages, stored.envelopes)
        return OpenConversation(repository, self._store, (*stored.diagnostics, *found))

    def _let_go(self, used: OpenConversation) -> None:
        """The longest unused idle ones leave memory, but not the one in use; everything about them is on disk."""
        spare = len(self._open) - self._kept
        if spare <= 0:
            return
        rest = (one for one in self._open.values() if one is not used)
        idle = sorted((one for one in rest if one.idle), key=lambda one: one.used_at)
        for opened in idle[:spare]:
            del self._open[opened.repository.conversation.id]
