"""Conversations as files beside the store: written as they go, renamed and deleted with them.

The store is the truth and the file a face of it. A file that a hand has changed is read before it is replaced, so
no word of it is lost; a file of another conversation is never touched; a conversation has one file. Saving never
raises: it returns the path, or the reason and where the recovery copy lies. Nothing changed, nothing written: to
load a conversation is not a change.

Not here: what a file looks like and is called (``formats.notebook``, handed in as functions), and the disk
(``ports.notebook``).
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable, Callable, Iterable

import msgspec

from triptych.errors import TriptychError
from triptych.model.conversations import Conversation
from triptych.model.digest import digest_text
from triptych.model.ids import ConversationId
from triptych.ports.conversations import StoredConversation
from triptych.ports.notebook import Notebook, NotebookFile

__all__ = ["Autosave", "Saved"]

Load = Callable[[ConversationId], Awaitable[StoredConversation | None]]
Render = Callable[[StoredConversation, str | None], str]
"""The text of the file, given what it held before."""
Paths = Callable[[Conversation], Iterable[str]]
"""Paths to try for a new file, the best first."""
Merge = Callable[[str, StoredConversation], Awaitable[StoredConversation]]
"""Store what a hand has changed in this text, and return the conversation as it is then."""

_UNUSABLE = frozenset({errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ})
"""Errors of a name, not of the disk: the next name may do."""


_TRIES = 3


class Saved(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How saving went.

    Attributes:
        path: the file, relative to the folder; None when it could not be written (or there is nothing to write).
        written: whether the file was changed.
        reason: why it could not be written, or what a person should know.
        recovery: where a copy of what should have been written lies.
    """

    path: str | None = None
    written: bool = False
    reason: str | None = None
    recovery: str | None = None


class Autosave:
    """The one writer of a folder of conversations."""

    def __init__(self, notebook: Notebook, *, load: Load, render: Render, paths: Paths, merge: Merge) -> None:
        self._notebook = notebook
        self._load = load
        self._render = render
        self._paths = paths
        self._merge = merge
        self._locks: dict[ConversationId, asyncio.Lock] = {}
        self._ours: dict[ConversationId, str] = {}
        self._dirty: set[ConversationId] = set()
        self._workers: dict[ConversationId, asyncio.Task[None]] = {}
        self._last: dict[ConversationId, Saved] = {}

    # -- as the conversation goes --------------------------------------------------------------------------

    def changed(self, conversation_id: ConversationId) -> None:
        """A conversation has changed in the store: its file follows soon. Changes in between are one writing."""
        self._dirty.add(conversation_id)
        worker = self._workers.get(conversation_id)
        if worker is None or worker.done():
            self._workers[conversation_id] = asyncio.create_task(self._follow(conversation_id))

    async def flush(self) -> dict[ConversationId, Saved]:
        """Wait until every file has followed; how the last writing of each went."""
        while self._workers:
            await asyncio.gather(*self._workers.values())
            self._workers = {key: task for key, task in self._workers.items() if not task.done()}
        return dict(self._last)

    async def _follow(self, conversation_id: ConversationId) -> None:
        while conversation_id in self._dirty:
            self._dirty.discard(conversation_id)
            self._last[conversation_id] = await self.save(conversation_id)

    # -- one conversation ----------------------------------------------------------------------------------

    async def save(self, conversation_id: ConversationId) -> Saved:
        """Bring the file of a conversation up to the store, after bringing the store up to the file."""
        async with self._lock(conversation_id):
            return await self._safely(conversation_id, self._save(conversation_id))

    async def rename(self, before: Conversation) -> Saved:
        """After a new title: write the file and call it accordingly, unless a person has named it otherwise.

        Args:
            before: the record as it was, to know which names were ours.
        """
        async with self._lock(before.id):
            return await self._safely(before.id, self._rename(before))

    async def delete(self, conversation_id: ConversationId) -> Saved:
        """After a conversation was deleted in the store: its files go to the trash; the last place is the path."""
        async with self._lock(conversation_id):
            return await self._safely(conversation_id, self._delete(conversation_id))

    def _lock(self, conversation_id: ConversationId) -> asyncio.Lock:
        return self._locks.setdefault(conversation_id, asyncio.Lock())

    async def _safely(self, conversation_id: ConversationId, work: Awaitable[Saved]) -> Saved:
        """The result, or the reason in its place. What could not be written is kept elsewhere."""
        try:
            return await work
        except (OSError, TriptychError) as problem:
            return await self._rescued(conversation_id, str(problem) or type(problem).__name__)

    async def _rescued(self, conversation_id: ConversationId, reason: str) -> Saved:
        try:
            stored = await self._load(conversation_id)
            if stored is None:
                return Saved(reason=reason)
            copy = await self._notebook.rescue(f"{conversation_id}.md", self._render(stored, None))
        except (OSError, TriptychError) as problem:
            return Saved(reason=f"{reason} A recovery copy could not be written either: {problem}")
        return Saved(reason=reason, recovery=copy)

    async def _save(self, conversation_id: ConversationId) -> Saved:
        for _ in range(_TRIES - 1):
            try:
                return await self._save_once(conversation_id)
            except FileExistsError:
                continue  # somebody has changed the file since it was read: read it again
        return await self._save_once(conversation_id)

    async def _save_once(self, conversation_id: ConversationId) -> Saved:
        stored = await self._load(conversation_id)
        if stored is None:
            return Saved(reason="There is no such conversation in the store.")
        files = await self._notebook.find(conversation_id)
        if not files:
            return await self._create(stored)
        file = self._own(files)
        if digest_text(file.text) != self._ours.get(conversation_id):
            stored = await self._merge(file.text, stored)
        text = self._render(stored, file.text)
        if text != file.text:
            await self._notebook.write(file.path, text, replaces=file.text)
        self._ours[conversation_id] = digest_text(text)
        others = ", ".join(one.path for one in files if one is not file)
        reason = f"Other files name the same conversation and were left alone: {others}." if others else None
        return Saved(path=file.path, written=text != file.text, reason=reason)

    def _own(self, files: list[NotebookFile]) -> NotebookFile:
        """Of several files the one that we wrote last, else the first by path."""
        ours = set(self._ours.values())
        return next((file for file in files if digest_text(file.text) in ours), files[0])

    async def _create(self, stored: StoredConversation) -> Saved:
        if not stored.messages:
            return Saved()
        text = self._render(stored, None)
        refused: OSError | None = None
        for path in self._paths(stored.conversation):
            try:
                await self._notebook.write(path, text, replaces=None)
            except FileExistsError as problem:
                if await self._notebook.find(stored.conversation.id):
                    raise  # another process has just written this conversation's file
                refused = problem
            except OSError as problem:
                if problem.errno not in _UNUSABLE:
                    raise
                refused = problem
            else:
                self._ours[stored.conversation.id] = digest_text(text)
                return Saved(path=path, written=True)
        raise refused or OSError("There is no name to be tried for this conversation.")

    async def _rename(self, before: Conversation) -> Saved:
        saved = await self._save(before.id)
        stored = await self._load(before.id)
        if saved.path is None or stored is None:
            return saved
        for path in self._better(saved.path, before, stored.conversation):
            try:
                await self._notebook.move(saved.path, path)
            except FileExistsError:
                continue
            return Saved(path=path, written=True, reason=saved.reason)
        return saved

    def _better(self, path: str, before: Conversation, now: Conversation) -> Iterable[str]:
        """Names for the file under its new title; none when the old name was not ours or is still right."""
        wanted = list(self._paths(now))
        if path in wanted or path not in set(self._paths(before)):
            return []
        return wanted

    async def _delete(self, conversation_id: ConversationId) -> Saved:
        places = [
            await self._notebook.trash(file.path) for file in await self._notebook.find(conversation_id)
        ]
        self._ours.pop(conversation_id, None)
        return Saved(path=places[-1] if places else None, written=bool(places))
