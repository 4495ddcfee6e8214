"""One model call: events become parts of a stored reply, while it streams.

The reply is checkpointed at most four times a second; its last state is written when it ends, whatever the end.
A failure is an event and a status, never a lost turn. Closing the stream stops the server's work.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

import msgspec

from triptych.chat.open_conversation import OpenConversation
from triptych.model.events import PartDelta, StreamEvent
from triptych.model.messages import AssistantMessage
from triptych.model.parts import ErrorPart
from triptych.model.reply import Reply, ReplyBuilder, reduce_events
from triptych.model.status import STREAMING, Incomplete
from triptych.model.usage import Performance
from triptych.ports.clock import Clock

__all__ = ["CHECKPOINT_MS", "SHOW_MS", "stream_reply", "until_stopped"]

CHECKPOINT_MS = 250
"""Least time between two writes of a growing reply."""

SHOW_MS = 25
"""Least time between two looks at a growing text: more would only be drawn over."""

Finished = Callable[[AssistantMessage], AssistantMessage]


async def stream_reply(
    opened: OpenConversation,
    reply: AssistantMessage,
    events: AsyncIterator[StreamEvent],
    clock: Clock,
    finished: Finished,
) -> AssistantMessage:
    """Let the stored reply grow with the events; the message in its last state.

    ``finished`` may add to a reply that came to an end (the sentence it rests on).
    """
    started = clock.now()
    builder, first = ReplyBuilder(), None
    written_at = shown_at = started
    async with aclosing(until_stopped(events, opened.stop)) as stream:
        async for event in stream:
            builder.feed(event)
            now = clock.now()
            if isinstance(event, PartDelta) and now - shown_at < SHOW_MS:
                continue
            first, shown_at = first or (now if builder.reply.parts else None), now
            if builder.reply.status != STREAMING:
                break
            written_at = await _grown(opened, reply, builder.reply, clock, written_at)
    closed = _closed(opened, builder.reply)
    done = finished(_as_message(reply, closed, clock.now(), _times(started, first, clock.now(), closed)))
    async with opened.lock:
        await opened.write(opened.repository.update(_in_place(opened, done)))
    return done


async def until_stopped(
    events: AsyncIterator[StreamEvent], stop: asyncio.Event
) -> AsyncGenerator[StreamEvent, None]:
    """The events until somebody asks to stop, even while the next one is long in coming; closes the source."""
    stopping = asyncio.ensure_future(stop.wait())
    try:
        while True:
            coming = asyncio.ensure_future(anext(events, None))
            await asyncio.wait({coming, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                coming.cancel()
                await asyncio.wait({coming})
                return
            event = coming.result()
            if event is None:
                return
            yield event
    finally:
        stopping.cancel()
        if isinstance(events, AsyncGenerator):
            await events.aclose()


async def _grown(
    opened: OpenConversation, reply: AssistantMessage, state: Reply, clock: Clock, written_at: int
) -> int:
    """Show the growth at once; write it when the last checkpoint is old enough."""
    now = clock.now()
    changes = opened.repository.update(_in_place(opened, _as_message(reply, state, now, None)))
    if now - written_at < CHECKPOINT_MS:
        opened.watchers.notify(changes)
        return written_at
    async with opened.lock:
        await opened.write(changes)
    return now


def _in_place(opened: OpenConversation, message: AssistantMessage) -> AssistantMessage:
    """The message with what others changed about it meanwhile (its place, its favourite mark, its branches)."""
    stored = opened.repository.get(message.id)
    return msgspec.structs.replace(
        message,
        parent_id=stored.parent_id,
        active_child_id=stored.active_child_id,
        favorite=stored.favorite,
        hidden=stored.hidden,
    )


def _closed(opened: OpenConversation, state: Reply) -> Reply:
    ended = reduce_events((), state)
    if opened.stop.is_set() and state.status == STREAMING:
        return msgspec.structs.replace(ended, status=Incomplete(reason="stopped"))
    return ended


def _as_message(
    reply: AssistantMessage, state: Reply, now: int, performance: Performance | None
) -> AssistantMessage:
    failure = state.failure
    errors = () if failure is None else (ErrorPart(message=failure.message, code=failure.code),)
    return msgspec.structs.replace(
        reply,
        parts=(*state.parts, *errors),
        status=state.status,
        usage=state.usage,
        model=state.model or reply.model,
        updated_at=now,
        performance=performance,
    )


def _times(started: int, first: int | None, now: int, state: Reply) -> Performance:
    written = state.usage.output_tokens if state.usage is not None else None
    seconds = (now - (first or started)) / 1000
    return Performance(
        time_to_first_token=None if first is None else float(first - started),
        duration=float(now - started),
        tokens_per_second=round(written / seconds, 1) if written and seconds > 0 else None,
    )
