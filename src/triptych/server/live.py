"""Live conversations: one follower of the use cases a conversation, one log of events, any number of readers.

A reader is a place in the log and nothing else, so a slow one costs nobody anything: when the log has gone on
without it, it is given a snapshot instead. Event ids are ``<life>.<count>``: after a restart, or when the log
was let go, a browser's ``Last-Event-ID`` names another life and a snapshot is the answer.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import Any, Final

import msgspec

from triptych.chat.session import Chat
from triptych.chat.watch import ChangeSet
from triptych.errors import TriptychError
from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import ConversationId
from triptych.model.messages import AssistantMessage, UserMessage
from triptych.model.status import Streaming
from triptych.repository import (
    Change,
    ConversationUpdated,
    EnvelopeAttached,
    MessageAdded,
    MessageUpdated,
    Repository,
)
from triptych.server.flow_rows import FlowRows
from triptych.server.shapes import ConversationView
from triptych.server.sse import Event

__all__ = ["LiveConversation", "LiveConversations", "PatchSet", "view_of"]

LOG_LENGTH: Final = 2_000
SILENCE: Final = 15.0
LINGER: Final = 30.0


class PatchSet(msgspec.Struct, frozen=True, kw_only=True):
    """What one change set did to the rows, and to the conversation when that changed too.

    ``diagnostics`` are all that there is to say about the newest turn and about the conversation; ``elsewhere`` is
    every message that is in no row, said anew when that changed.
    """

    number: int
    patches: Sequence[msgspec.Raw]
    running: bool
    diagnostics: Sequence[Diagnostic]
    conversation: Conversation | msgspec.UnsetType = msgspec.UNSET
    elsewhere: dict[str, dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class LiveConversation:
    """The rows of one conversation as they are now, and the newest events about them."""

    def __init__(self, chat: Chat, conversation_id: ConversationId) -> None:
        self._chat = chat
        self._id = conversation_id
        self._life = secrets.token_hex(4)
        self._count = 0
        self._number = 0
        self._running = False
        self._mended: tuple[Diagnostic, ...] = ()
        self._told: tuple[Diagnostic, ...] = ()
        self._log: deque[Event] = deque(maxlen=LOG_LENGTH)
        self._woken = asyncio.Event()
        self._rows: FlowRows | None = None
        self._elsewhere: dict[str, dict[str, Any]] = {}
        self._pump: asyncio.Task[None] | None = None
        self.readers = 0
        self.over = False

    async def start(self) -> None:
        """Begin to follow. The rows are read after the subscription stands, so that nothing falls between."""
        await self._chat.open(self._id)
        self._pump = asyncio.create_task(self._follow())
        await asyncio.sleep(0)
        self._mended = await self._chat.diagnostics(self._id)
        self._running = await self._chat.running(self._id)
        repository = await self._chat.open(self._id)
        if self._rows is None:
            self._rows = FlowRows(repository)
            self._elsewhere = self._rows.elsewhere(repository)

    async def close(self) -> None:
        """Stop following; every reader ends."""
        self.end()
        if self._pump is not None:
            self._pump.cancel()
            with suppress(asyncio.CancelledError):
                await self._pump

    def end(self) -> None:
        """Let every reader end."""
        self.over = True
        self._wake()

    async def snapshot(self) -> Event:
        """Everything as it is now."""
        repository = await self._chat.open(self._id)
        view = view_of(
            repository,
            self._current_rows(),
            number=self._number,
            running=self._running,
            diagnostics=(*self._mended, *self._told),
        )
        return Event(self._event_id(), "snapshot", msgspec.json.encode(view))

    async def events(self, last: str | None) -> AsyncGenerator[Event | None, None]:
        """What a reader that stopped at ``last`` has to be told, then what happens; None when nothing did."""
        self.readers += 1
        try:
            place = self._place(last)
            while not self.over:
                woken = self._woken
                missed = self._since(place) if place is not None else None
                for event in [await self.snapshot()] if missed is None else missed:
                    yield event
                    place = _count(event.id)
                if place == self._count and not await _told(woken):
                    yield None
        finally:
            self.readers -= 1

    async def _follow(self) -> None:
        try:
            async for change_set in self._chat.watch(self._id):
                self._publish(await self._chat.open(self._id), change_set)
        except TriptychError:
            pass  # deleted under us, or the store went away: readers end, and asking again tells them why
        finally:
            self.end()

    def _publish(self, repository: Repository, change_set: ChangeSet) -> None:
        if self._rows is None:
            self._rows = FlowRows(repository)
        changes = None if change_set.lost else change_set.changes
        patches = self._rows.apply(repository, changes)
        described = changes is None or any(isinstance(change, ConversationUpdated) for change in changes)
        news = self._note(repository, change_set)
        moved = self._moved(repository, changes)
        if patches or described or news or moved:
            self._log_patches(
                patches,
                repository.conversation if described else msgspec.UNSET,
                self._elsewhere if moved else msgspec.UNSET,
            )

    def _moved(self, repository: Repository, changes: Sequence[Change] | None) -> bool:
        """Take over what is in no row; whether that changed. While a reply is written, nothing moves."""
        if changes is not None and all(map(_is_still, changes)):
            return False
        before, self._elsewhere = self._elsewhere, self._current_rows().elsewhere(repository)
        return before != self._elsewhere

    def _note(self, repository: Repository, change_set: ChangeSet) -> bool:
        """Take over what is not in the rows; whether anything of it is new. A new turn silences the old one."""
        before = self._running, self._told
        kept = () if any(_begins_turn(repository, change) for change in change_set.changes) else self._told
        self._told = (*kept, *change_set.diagnostics)
        self._number, self._running = change_set.number, change_set.running
        return before != (self._running, self._told)

    def _log_patches(
        self,
        patches: Sequence[msgspec.Raw],
        conversation: Conversation | msgspec.UnsetType,
        elsewhere: dict[str, dict[str, Any]] | msgspec.UnsetType,
    ) -> None:
        self._count += 1
        patch_set = PatchSet(
            number=self._number,
            patches=patches,
            running=self._running,
            diagnostics=(*self._mended, *self._told),
            conversation=conversation,
            elsewhere=elsewhere,
        )
        self._log.append(Event(self._event_id(), "patch", msgspec.json.encode(patch_set)))
        self._wake()

    def _current_rows(self) -> FlowRows:
        assert self._rows is not None, "start() comes first"  # noqa: S101 # a wrong order of calls in this file
        return self._rows

    def _wake(self) -> None:
        woken, self._woken = self._woken, asyncio.Event()
        woken.set()

    def _event_id(self) -> str:
        return f"{self._life}.{self._count}"

    def _place(self, last: str | None) -> int | None:
        life, _, count = (last or "").partition(".")
        return int(count) if life == self._life and count.isdecimal() and int(count) <= self._count else None

    def _since(self, place: int) -> list[Event] | None:
        """The events after a place; None when the log does not reach back so far."""
        wanted = self._count - place
        return None if wanted > len(self._log) else list(self._log)[len(self._log) - wanted :]


def view_of(
    repository: Repository,
    rows: FlowRows,
    *,
    number: int = 0,
    running: bool = False,
    diagnostics: Sequence[Diagnostic] = (),
) -> ConversationView:
    """A conversation as the page first sees it."""
    return ConversationView(
        conversation=repository.conversation,
        rows=rows.rows,
        elsewhere=rows.elsewhere(repository),
        diagnostics=(*diagnostics, *rows.diagnostics),
        number=number,
        running=running,
    )


def _begins_turn(repository: Repository, change: Change) -> bool:
    """Whether something was asked, or is answered again."""
    if not isinstance(change, MessageAdded):
        return False
    asked, parent = change.message, change.message.parent_id
    if isinstance(asked, AssistantMessage) and parent is not None and parent in repository:
        asked = repository.get(parent)
    return isinstance(asked, UserMessage)


def _is_still(change: Change) -> bool:
    """Whether a change leaves every message in its place for certain: a reply that goes on, or what it was given."""
    if isinstance(change, MessageUpdated):
        return isinstance(change.message, AssistantMessage) and isinstance(change.message.status, Streaming)
    return isinstance(change, EnvelopeAttached)


def _count(event_id: str) -> int:
    return int(event_id.rpartition(".")[2])


async def _told(woken: asyncio.Event) -> bool:
    """Whether something happened before the silence became too long."""
    try:
        async with asyncio.timeout(SILENCE):
            await woken.wait()
    except TimeoutError:
        return False
    return True


class LiveConversations:
    """The conversations that somebody looks at; one that nobody does is let go after a while."""

    def __init__(self, chat: Chat, *, linger: float = LINGER) -> None:
        self._chat = chat
        self._linger = linger
        self._live: dict[ConversationId, LiveConversation] = {}
        self._starting = asyncio.Lock()
        self._closers: set[asyncio.Task[None]] = set()
        self._closed = False

    async def events(
        self, conversation_id: ConversationId, last: str | None
    ) -> AsyncGenerator[Event | None, None]:
        """The events of one conversation for one reader."""
        live = await self._get(conversation_id)
        try:
            async with aclosing(live.events(last)) as events:
                async for event in events:
                    yield event
        finally:
            self._let_go_later(conversation_id, live)

    async def follow(self, conversation_id: ConversationId) -> None:
        """Begin to follow: a reader who comes a moment after a turn began is told what there was to say about it."""
        self._let_go_later(conversation_id, await self._get(conversation_id))

    async def end(self) -> None:
        """Let every reader end and take no new one: the server is about to stop."""
        self._closed = True
        for live in self._live.values():
            live.end()
        for closer in list(self._closers):
            closer.cancel()
        for live in list(self._live.values()):
            await live.close()
        self._live.clear()

    async def _get(self, conversation_id: ConversationId) -> LiveConversation:
        async with self._starting:
            live = self._live.get(conversation_id)
            if live is None or live.over:
                live = LiveConversation(self._chat, conversation_id)
                await live.start()
                self._live[conversation_id] = live
            if self._closed:
                live.end()
            return live

    def _let_go_later(self, conversation_id: ConversationId, live: LiveConversation) -> None:
        async def wait() -> None:
            await asyncio.sleep(self._linger)
            if live.readers == 0:
                if self._live.get(conversation_id) is live:
                    del self._live[conversation_id]
                await live.close()

        if not self._closed:
            closer = asyncio.create_task(wait())
            self._closers.add(closer)
            closer.add_done_callback(self._closers.discard)
