"""Where one person sits: the conversation that is in front of them.

Opening is a use case: what is sent meanwhile waits until it has finished, and a second opening supersedes the first,
so that a slow load never puts an old conversation in front of a person who has gone on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from triptych.chat.session import Chat, Turn
from triptych.errors import UsageError
from triptych.model.ids import ConversationId
from triptych.model.references import Reference
from triptych.repository import Repository

__all__ = ["Seat"]


class Seat:
    """One page, one terminal."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._asked = 0
        self._settled = asyncio.Event()
        self._settled.set()
        self.conversation_id: ConversationId | None = None

    async def open(self, conversation_id: ConversationId) -> Repository | None:
        """Put a conversation in front of the person; None when another was asked for meanwhile."""
        self._asked += 1
        asked = self._asked
        self._settled.clear()
        try:
            repository = await self._chat.open(conversation_id)
            if asked != self._asked:
                return None
            self.conversation_id = conversation_id
            return repository
        finally:
            if asked == self._asked:
                self._settled.set()

    async def send(self, text: str, references: Sequence[Reference] = ()) -> Turn:
        """Send to the conversation in front of the person, once it is there."""
        await self._settled.wait()
        if self.conversation_id is None:
            raise UsageError("No conversation is open; open one or create it first.")
        return await self._chat.send(self.conversation_id, text, references)
