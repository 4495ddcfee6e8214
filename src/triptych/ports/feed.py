"""Live changes: the stored row is the event."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from triptych.model.ids import ConversationId
from triptych.repository.changes import Change

__all__ = ["ChangeFeed"]


class ChangeFeed(Protocol):
    """What was committed, by number, from wherever a follower stopped."""

    def follow(
        self, conversation_id: ConversationId, after: int = 0
    ) -> AsyncIterator[tuple[int, tuple[Change, ...]]]:
        """Change sets with a number above ``after``, in order, then the new ones as they are committed.

        A store may let old and very big sets go: a follower that sees a gap in the numbers loads anew.
        """
        ...

    async def newest(self, conversation_id: ConversationId) -> int:
        """The number of the newest change set; 0 when there is none."""
        ...
