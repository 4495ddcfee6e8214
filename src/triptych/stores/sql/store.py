"""The store: the ports over a drive. Every method is one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from triptych.model.conversations import DEFAULT_USER, Conversation, Project
from triptych.model.ids import BlobDigest, ConversationId, ProjectId, UserId
from triptych.ports.conversations import StoredConversation
from triptych.ports.runs import Run, Source
from triptych.repository.changes import Change
from triptych.stores.sql import blobs, keeping, reading, records
from triptych.stores.sql.drive import Drive
from triptych.stores.sql.finding import find_conversations
from triptych.stores.sql.sqlite import SqliteDrive
from triptych.stores.sql.writing import commit_changes

__all__ = ["Store"]


class Store:
    """Conversations, projects, blobs, runs, sources and the change feed of one database.

    Opened by ``Store.open``; use it as an async context manager, or close it.
    """

    def __init__(self, drive: Drive) -> None:
        self._drive = drive

    @classmethod
    async def open(cls, location: str | Path) -> Store:
        """Open a file by path (made when missing) or a database by URL, and bring its tables up to date.

        URLs: ``sqlite:///relative.db``, ``sqlite:////absolute.db``, ``postgresql://user@host/name``.
        ``StoreError`` says in one sentence what is wrong with the place.
        """
        text = str(location)
        if text.startswith(("postgresql:", "postgres:")):
            from triptych.stores.sql.postgres import PostgresDrive

            return cls(await PostgresDrive.open(text))
        return cls(await SqliteDrive.open(Path(text.removeprefix("sqlite:///"))))

    async def close(self) -> None:
        """Let go of the database; followers end."""
        await self._drive.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- conversations -------------------------------------------------------------------------------------

    async def create(self, conversation: Conversation) -> None:
        """A new, empty conversation; its project has to be there."""
        await self._drive.write(partial(keeping.create_conversation, conversation=conversation))

    async def load(self, conversation_id: ConversationId) -> StoredConversation | None:
        """All of it, or None when there is no such conversation."""
        return await self._drive.read(partial(reading.load_conversation, conversation_id=conversation_id))

    async def commit(self, conversation_id: ConversationId, changes: Sequence[Change]) -> int:
        """Write the changes, whole or not at all; the number of the change set. No changes are no set."""
        if not changes:
            return await self.newest(conversation_id)
        number = await self._drive.write(
            partial(commit_changes, conversation_id=conversation_id, changes=changes)
        )
        self._drive.waking.wake(conversation_id)
        return number

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
        last = None if before is None else (before, before_id)
        if words:
            return await self._drive.read(
                lambda connection: find_conversations(
                    connection, project_id, user_id, limit, last, words=words
                )
            )
        return await self._drive.read(
            lambda connection: reading.list_conversations(connection, project_id, user_id, limit, last)
        )

    async def counts(self, user_id: UserId) -> dict[ProjectId, tuple[int, int]]:
        """For each project the number of conversations and of messages."""
        return await self._drive.read(partial(reading.count_all, user_id=user_id))

    async def delete(self, conversation_id: ConversationId) -> None:
        """Forget a conversation; bodies that only it used go when they are an hour old."""
        await self._drive.write(partial(keeping.delete_conversation, conversation_id=conversation_id))
        self._drive.waking.wake(conversation_id)

    async def settle_interrupted(self, now: int) -> list[ConversationId]:
        """Mark every reply that still says ``streaming`` as Incomplete(interrupted)."""
        settled = await self._drive.write(partial(keeping.settle_interrupted, now=now))
        for conversation_id in settled:
            self._drive.waking.wake(conversation_id)
        return settled

    # -- projects ------------------------------------------------------------------------------------------

    async def projects(self, user_id: UserId) -> list[Project]:
        """All projects of a user, oldest first; the default one is always there."""
        return await self._drive.write(partial(keeping.list_projects, user_id=user_id))

    async def put_project(self, project: Project) -> None:
        """Add or replace."""
        await self._drive.write(partial(keeping.put_project, project=project))

    async def delete_project(self, project_id: ProjectId, user_id: UserId = DEFAULT_USER) -> None:
        """Forget a project with its conversations; ``UsageError`` for the default one."""
        await self._drive.write(partial(keeping.delete_project, project_id=project_id, user_id=user_id))
        self._drive.waking.wake()

    # -- blobs, runs, sources ------------------------------------------------------------------------------

    async def put_blobs(self, bodies: Iterable[bytes]) -> list[BlobDigest]:
        """Store bodies durably; their digests in order."""
        return await self._drive.write(partial(blobs.put_blobs, bodies=list(bodies)))

    async def get_blobs(self, digests: Iterable[BlobDigest]) -> dict[BlobDigest, bytes]:
        """The bodies that are there."""
        return await self._drive.read(partial(blobs.get_blobs, digests=list(digests)))

    async def put_run(self, run: Run) -> None:
        """Add or replace a model call."""
        await self._drive.write(partial(records.put_run, run=run))

    async def runs(self, conversation_id: ConversationId) -> list[Run]:
        """All runs of a conversation, oldest first."""
        return await self._drive.read(partial(records.list_runs, conversation_id=conversation_id))

    async def put_source(self, source: Source) -> None:
        """Add or replace where a conversation was imported from."""
        await self._drive.write(partial(records.put_source, source=source))

    async def source(self, format: str, source_id: str) -> Source | None:  # noqa: A002 # the glossary's word
        """What was imported before, or None."""
        return await self._drive.read(partial(records.find_source, format=format, source_id=source_id))

    # -- feed ----------------------------------------------------------------------------------------------

    async def follow(
        self, conversation_id: ConversationId, after: int = 0
    ) -> AsyncIterator[tuple[int, tuple[Change, ...]]]:
        """Change sets above a number, then the new ones; ends when the store is closed.

        Numbers without a gap, unless older sets were let go or one is too big to be kept: after a gap, load
        anew.
        """
        read = reading.read_feed
        with self._drive.waking.waiter(conversation_id) as wake:
            while not self._drive.waking.closed:
                with suppress(TimeoutError):
                    await asyncio.wait_for(wake.wait(), self._drive.patience)
                if self._drive.waking.closed:
                    return
                wake.clear()
                last = after
                page = await self._drive.read(
                    lambda connection, last=last: read(connection, conversation_id, last)
                )
                for number, changes in page:
                    after = number
                    if changes is not None:
                        yield number, changes
                if page:
                    wake.set()

    async def newest(self, conversation_id: ConversationId) -> int:
        """The number of the newest change set; 0 when there is none."""
        return await self._drive.read(partial(reading.newest_change, conversation_id=conversation_id))
