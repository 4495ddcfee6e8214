"""Watching a conversation: change sets, batched, for any number of subscribers.

A writer never waits: it leaves its changes with each subscriber and goes on. A subscriber that comes late takes
everything that has gathered as one change set; one that is very late is told to look anew (``lost``).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import msgspec

from triptych.model.diagnostics import Diagnostic
from triptych.repository.changes import Change, MessageUpdated

__all__ = ["ChangeSet", "Watchers"]

_PATIENCE = 10_000


class ChangeSet(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What happened since the last one.

    Attributes:
        number: counts the change sets of this watcher's conversation, in this process.
        diagnostics: what the person should know about the turn.
        running: a reply is being written.
        lost: too much gathered; read the conversation again instead of applying the changes.
    """

    number: int
    changes: tuple[Change, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    running: bool = False
    lost: bool = False


class _Subscriber:
    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.diagnostics: list[Diagnostic] = []
        self.lost = False
        self.ended = False
        self.ready = asyncio.Event()


class Watchers:
    """The subscribers of one conversation."""

    def __init__(self) -> None:
        self.number = 0
        self.running = False
        self._subscribers: set[_Subscriber] = set()

    def __len__(self) -> int:
        return len(self._subscribers)

    def notify(self, changes: Sequence[Change] = (), diagnostics: Sequence[Diagnostic] = ()) -> None:
        """Leave changes with every subscriber."""
        self.number += 1
        for subscriber in self._subscribers:
            _gather(subscriber, changes)
            subscriber.diagnostics.extend(diagnostics)
            subscriber.ready.set()

    def run_state(self, *, running: bool) -> None:
        """Tell that a reply began or ended."""
        self.running = running
        self.notify()

    def end(self) -> None:
        """The conversation is gone: every watch ends."""
        for subscriber in self._subscribers:
            subscriber.ended = True
            subscriber.ready.set()

    async def watch(self) -> AsyncGenerator[ChangeSet, None]:
        """Change sets as they come, from now on, until the conversation goes or the watcher leaves."""
        subscriber = _Subscriber()
        self._subscribers.add(subscriber)
        try:
            while not subscriber.ended:
                await subscriber.ready.wait()
                subscriber.ready.clear()
                if not subscriber.ended:
                    yield self._taken(subscriber)
        finally:
            self._subscribers.discard(subscriber)

    def _taken(self, subscriber: _Subscriber) -> ChangeSet:
        taken = ChangeSet(
            number=self.number,
            changes=tuple(subscriber.changes),
            diagnostics=tuple(subscriber.diagnostics),
            running=self.running,
            lost=subscriber.lost,
        )
        subscriber.changes, subscriber.diagnostics, subscriber.lost = [], [], False
        return taken


def _gather(subscriber: _Subscriber, changes: Sequence[Change]) -> None:
    """Updates of one message in a row become one: a late subscriber sees the latest text once."""
    for change in changes:
        joined = _joined(subscriber.changes[-1] if subscriber.changes else None, change)
        if joined is None:
            subscriber.changes.append(change)
        else:
            subscriber.changes[-1] = joined
    if len(subscriber.changes) > _PATIENCE:
        subscriber.changes, subscriber.lost = [], True


def _joined(last: Change | None, change: Change) -> Change | None:
    if not isinstance(last, MessageUpdated) or not isinstance(change, MessageUpdated):
        return None
    if last.message.id != change.message.id:
        return None
    return MessageUpdated(message=change.message, before=last.before)
