"""The durable home of conversations and projects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from triptych.model.conversations import DEFAULT_USER, Conversation, Project
from triptych.model.diagnostics import Diagnostic
from triptych.model.envelope import Envelope
from triptych.model.ids import ConversationId, ProjectId, UserId
from triptych.model.messages import Message
from triptych.repository.changes import Change

__all__ = ["ConversationStore", "ProjectStore", "StoredConversation"]


class StoredConversation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is stored of one conversation, siblings in order, and what could not be read well."""

    conversation: Conversation
    messages: tuple[Message, ...] = ()
    envelopes: tuple[Envelope, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class ConversationStore(Protocol):
    """Conversations, written as change sets.

    A change set is written whole or not at all; when ``commit`` returns, it is on disk. Failures are
    ``StoreError``; what was acknowledged before stays.
    """

    async def create(self, conversation: Conversation) -> None:
        """A new, empty conversation."""
        ...

    async def load(self, conversation_id: ConversationId) -> StoredConversation | None:
        """All of it, or None when there is no such conversation."""
        ...

    async def commit(self, conversation_id: ConversationId, changes: Sequence[Change]) -> int:
        """Write the changes; the number of the change set in this conversation's feed, counted from 1.

        No changes are no set: the number is then that of the newest one.
        """
        ...

    async def conversations(
        self,
        project_id: ProjectId,
        user_id: UserId,
        *,
        limit: int = 100,
        before: int | None = None,
        before_id: ConversationId | None = None,
        words: str = "",
    ) -> list[Conversation]:
        """The conversations of one project, newest change first.

        ``words``: only those in whose title, or in whose messages that are not hidden, these words stand, whatever
        the letter case.
        ``before`` = ``updated_at`` of the last seen, ``before_id`` its id, so that equal times neither repeat
        nor skip.
        """
        ...

    async def counts(self, user_id: UserId) -> dict[ProjectId, tuple[int, int]]:
        """For each project the number of conversations and of messages."""
        ...

    async def delete(self, conversation_id: ConversationId) -> None:
        """Forget a conversation and all that hangs on it; blobs that others use stay."""
        ...

    async def settle_interrupted(self, now: int) -> list[ConversationId]:
        """Mark every reply that still says ``streaming`` as Incomplete(interrupted); to be called at start-up."""
        ...


class ProjectStore(Protocol):
    """Projects."""

    async def projects(self, user_id: UserId) -> list[Project]:
        """All of them, oldest first; the default one is always there."""
        ...

    async def put_project(self, project: Project) -> None:
        """Add or replace."""
        ...

    async def delete_project(self, project_id: ProjectId, user_id: UserId = DEFAULT_USER) -> None:
        """Forget a project with its conversations; the default one cannot be deleted (``UsageError``)."""
        ...
