"""Followers of a conversation, waiting to be told that there is something new. No data passes here."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager

from triptych.model.digest import digest_text
from triptych.model.ids import ConversationId

__all__ = ["Waking", "wake_key_of"]


def wake_key_of(conversation_id: ConversationId) -> str:
    """A short name of a conversation, whatever the length of its id."""
    return digest_text(conversation_id)


class Waking:
    """Wake-ups by conversation, within one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[ConversationId, set[asyncio.Event]] = defaultdict(set)
        self.closed = False

    @contextmanager
    def waiter(self, conversation_id: ConversationId) -> Generator[asyncio.Event]:
        """An event that is set at each wake-up, and at once."""
        event = asyncio.Event()
        event.set()
        self._waiting[conversation_id].add(event)
        try:
            yield event
        finally:
            self._waiting[conversation_id].discard(event)
            if not self._waiting[conversation_id]:
                del self._waiting[conversation_id]

    def wake(self, conversation_id: ConversationId | None = None) -> None:
        """Wake the followers of one conversation, or (None) all of them."""
        keys = list(self._waiting) if conversation_id is None else [conversation_id]
        for key in keys:
            for event in self._waiting.get(key, ()):
                event.set()

    def wake_key(self, key: str) -> None:
        """Wake the followers of the conversation whose id has this digest (see ``wake_key_of``)."""
        for conversation_id in list(self._waiting):
            if wake_key_of(conversation_id) == key:
                self.wake(conversation_id)

    def close(self) -> None:
        """Let every follower end."""
        self.closed = True
        self.wake()
