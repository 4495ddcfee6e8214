"""Server-sent events: the text of the stream, and an answer that carries it.

Every event has an id, so that a browser that lost its connection says where it stopped (``Last-Event-ID``).
A comment now and then keeps proxies from closing a silent stream. Not here: what the events are (``live``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import msgspec
from starlette.responses import StreamingResponse

__all__ = ["EVENT_STREAM", "KEEP_ALIVE", "RECONNECT_AFTER", "Event", "event_stream", "render_event"]

EVENT_STREAM: Final = "text/event-stream"
RECONNECT_AFTER: Final = b"retry: 1000\n\n"
KEEP_ALIVE: Final = b": still here\n\n"


class Event(msgspec.Struct, frozen=True):
    """One event; ``data`` is JSON on one line, as msgspec writes it."""

    id: str
    name: str
    data: bytes


def render_event(event: Event) -> bytes:
    """The event as the lines of the stream."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (event.id.encode(), event.name.encode(), event.data)


def event_stream(events: AsyncIterator[Event | None]) -> StreamingResponse:
    """An answer that sends events as they come; None is a sign of life. It ends when the iterator does."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_lines(events), headers=headers, media_type=EVENT_STREAM)


async def _lines(events: AsyncIterator[Event | None]) -> AsyncIterator[bytes]:
    yield RECONNECT_AFTER
    async for event in events:
        yield KEEP_ALIVE if event is None else render_event(event)
