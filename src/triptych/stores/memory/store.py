"""The ports over plain dictionaries, with the same promises as the database but durability."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from types import TracebackType
from typing import Self

import msgspec

from triptych.errors import StoreError, UsageError
from triptych.model.conversations import DEFAULT_PROJECT, DEFAULT_USER, Conversation, Project
from triptych.model.digest import digest_bytes
from triptych.model.ids import BlobDigest, ConversationId, ProjectId, RunId, UserId
from triptych.model.messages import AssistantMessage
from triptych.model.status import Incomplete, Streaming
from triptych.ports.conversations import StoredConversation
from triptych.ports.runs import Run, Source
from triptych.repository.changes import Change, MessageUpdated
from triptych.stores.memory.shelf import Shelf
from triptych.stores.said import said_in
from triptych.stores.waking import Waking

__all__ = ["MemoryStore"]

_INTERRUPTED = Incomplete(reason="interrupted")


class MemoryStore:
    """Conversations, projects, blobs, runs, sources and the change feed, in memory."""

    def __init__(self) -> None:
        self._shelves: dict[ConversationId, Shelf] = {}
        self._projects: dict[tuple[UserId, ProjectId], Project] = {}
        self._blobs: dict[BlobDigest, bytes] = {}
        self._runs: dict[RunId, Run] = {}
        self._sources: dict[tuple[str, str], Source] = {}
        self._waking = Waking()

    async def close(self) -> None:
        """Let followers end."""
        self._waking.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- conversations -------------------------------------------------------------------------------------

    async def create(self, conversation: Conversation) -> None:
        """A new, empty conversation; its project has to be there."""
        self._ensure_default(conversation.user_id)
        if (conversation.user_id, conversation.project_id) not in self._projects:
            raise UsageError(f"There is no project {conversation.project_id!r}; make it first.")
        if conversation.id in self._shelves:
            raise UsageError(f"There is a conversation {conversation.id!r} already.")
        self._shelves[conversation.id] = Shelf(conversation)

    async def load(self, conversation_id: ConversationId) -> StoredConversation | None:
        """All of it, or None when there is no such conversation."""
        shelf = self._shelves.get(conversation_id)
        return None if shelf is None else shelf.stored()

    async def commit(self, conversation_id: ConversationId, changes: Sequence[Change]) -> int:
        """Keep the changes, whole or not at all; the number of the change set."""
        shelf = self._shelves.get(conversation_id)
        if shelf is None:
            raise StoreError(f"There is no conversation {conversation_id!r} in the store; create it first.")
        if not changes:
            return len(shelf.feed)
        after = shelf.with_changes(changes)
        self._shelves[conversation_id] = after
        self._waking.wake(conversation_id)
        return len(after.feed)

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
        """One project's conversations, newest change first, from after the last seen; with words, where they stand."""
        mine = [
            (shelf.conversation.updated_at, shelf.conversation.id, shelf.conversation)
            for shelf in self._shelves.values()
            if (shelf.conversation.project_id, shelf.conversation.user_id) == (project_id, user_id)
            and (not words or said_in(words, shelf.conversation.title, shelf.messages.values()))
        ]
        last = None if before is None else (before, before_id or "")
        newest_first = sorted(mine, key=lambda one: one[:2], reverse=True)
        return [one[2] for one in newest_first if last is None or one[:2] < last][:limit]

    async def counts(self, user_id: UserId) -> dict[ProjectId, tuple[int, int]]:
        """For each project the number of conversations and of messages."""
        found = {project: (0, 0) for user, project in self._projects if user == user_id}
        for shelf in self._shelves.values():
            if shelf.conversation.user_id == user_id:
                many, messages = found[shelf.conversation.project_id]
                found[shelf.conversation.project_id] = (many + 1, messages + len(shelf.messages))
        return found

    async def delete(self, conversation_id: ConversationId) -> None:
        """Forget a conversation; bodies stay until the process ends."""
        self._shelves.pop(conversation_id, None)
        self._runs = {key: run for key, run in self._runs.items() if run.conversation_id != conversation_id}
        self._sources = {
            key: one for key, one in self._sources.items() if one.conversation_id != conversation_id
        }
        self._waking.wake(conversation_id)

    async def settle_interrupted(self, now: int) -> list[ConversationId]:
        """Mark every reply that still says ``streaming`` as Incomplete(interrupted)."""
        settled: list[ConversationId] = []
        for conversation_id, shelf in list(self._shelves.items()):
            changes = [
                MessageUpdated(
                    message=msgspec.structs.replace(one, status=_INTERRUPTED, updated_at=now), before=one
                )
                for one in shelf.messages.values()
                if isinstance(one, AssistantMessage) and isinstance(one.status, Streaming)
            ]
            if changes:
                await self.commit(conversation_id, changes)
                settled.append(conversation_id)
        return settled

    # -- projects ------------------------------------------------------------------------------------------

    async def projects(self, user_id: UserId) -> list[Project]:
        """All projects of a user, oldest first; the default one is always there."""
        self._ensure_default(user_id)
        mine = [project for (user, _), project in self._projects.items() if user == user_id]
        return sorted(mine, key=lambda one: (one.created_at, one.id != DEFAULT_PROJECT, one.id))

    async def put_project(self, project: Project) -> None:
        """Add or replace."""
        self._ensure_default(project.user_id)
        self._projects[project.user_id, project.id] = project

    async def delete_project(self, project_id: ProjectId, user_id: UserId = DEFAULT_USER) -> None:
        """Forget a project with its conversations; ``UsageError`` for the default one."""
        if project_id == DEFAULT_PROJECT:
            raise UsageError("The default project cannot be deleted; delete its conversations instead.")
        for shelf in list(self._shelves.values()):
            one = shelf.conversation
            if (one.project_id, one.user_id) == (project_id, user_id):
                await self.delete(one.id)
        self._projects.pop((user_id, project_id), None)

    # -- blobs, runs, sources ------------------------------------------------------------------------------

    async def put_blobs(self, bodies: Iterable[bytes]) -> list[BlobDigest]:
        """Keep bodies; their digests in order."""
        digests: list[BlobDigest] = []
        for body in bodies:
            digests.append(digest_bytes(body))
            self._blobs[digests[-1]] = body
        return digests

    async def get_blobs(self, digests: Iterable[BlobDigest]) -> dict[BlobDigest, bytes]:
        """The bodies that are there."""
        return {digest: self._blobs[digest] for digest in digests if digest in self._blobs}

    async def put_run(self, run: Run) -> None:
        """Add or replace a model call."""
        self._require(run.conversation_id)
        self._runs[run.id] = run

    async def runs(self, conversation_id: ConversationId) -> list[Run]:
        """All runs of a conversation, oldest first."""
        mine = [run for run in self._runs.values() if run.conversation_id == conversation_id]
        return sorted(mine, key=lambda run: (run.started_at, run.id))

    async def put_source(self, source: Source) -> None:
        """Add or replace where a conversation was imported from."""
        self._require(source.conversation_id)
        self._sources[source.format, source.source_id] = source

    async def source(self, format: str, source_id: str) -> Source | None:  # noqa: A002 # the glossary's word
        """What was imported before, or None."""
        return self._sources.get((format, source_id))

    # -- feed ----------------------------------------------------------------------------------------------

    async def follow(
        self, conversation_id: ConversationId, after: int = 0
    ) -> AsyncIterator[tuple[int, tuple[Change, ...]]]:
        """Change sets above a number, then the new ones; ends when the store is closed."""
        with self._waking.waiter(conversation_id) as wake:
            while True:
                await wake.wait()
                if self._waking.closed:
                    return
                wake.clear()
                shelf = self._shelves.get(conversation_id)
                for changes in () if shelf is None else shelf.feed[after:]:
                    after += 1
                    yield after, changes

    async def newest(self, conversation_id: ConversationId) -> int:
        """The number of the newest change set; 0 when there is none."""
        shelf = self._shelves.get(conversation_id)
        return 0 if shelf is None else len(shelf.feed)

    # -- inside --------------------------------------------------------------------------------------------

    def _ensure_default(self, user_id: UserId) -> None:
        default = Project(id=DEFAULT_PROJECT, user_id=user_id)
        self._projects.setdefault((user_id, DEFAULT_PROJECT), default)

    def _require(self, conversation_id: ConversationId) -> None:
        if conversation_id not in self._shelves:
            raise StoreError("The change names something that is not in the store.")
