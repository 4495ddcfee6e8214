"""The reducer: a growing reply as a frozen value.

``reduce_event`` is one step; ``ReplyBuilder`` takes many in linear time, by joining a text only when it is looked at.
Law: both give the same reply after the same events.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from triptych.model.events import (
    Failure,
    Finish,
    PartDelta,
    PartEnd,
    PartStart,
    PartUpdate,
    ReplyStart,
    StreamEvent,
    UsageReport,
)
from triptych.model.parts import (
    AssistantPart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCallPart,
)
from triptych.model.status import READY, STREAMING, CallStreaming, Complete, Incomplete, Status
from triptych.model.usage import Usage

__all__ = ["Reply", "ReplyBuilder", "reduce_event", "reduce_events"]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What has arrived so far."""

    parts: tuple[AssistantPart, ...] = ()
    status: Status = STREAMING
    usage: Usage | None = None
    model: str | None = None
    response_id: str | None = None
    failure: Failure | None = None


class ReplyBuilder:
    """Takes events as they come; ``reply`` is what there is so far."""

    def __init__(self, reply: Reply | None = None) -> None:
        self._reply = reply or Reply()
        self._grown: dict[int, list[str]] = {}

    def feed(self, event: StreamEvent) -> None:
        """One more event."""
        if isinstance(event, PartDelta) and 0 <= event.index < len(self._reply.parts):
            self._grown.setdefault(event.index, []).append(event.text)
            return
        self._reply = reduce_event(self.reply, event)

    @property
    def reply(self) -> Reply:
        """The reply after all events so far."""
        for index, pieces in self._grown.items():
            joined = PartDelta(index=index, text="".join(pieces))
            self._reply = reduce_event(self._reply, joined)
        self._grown.clear()
        return self._reply


def reduce_events(events: Iterable[StreamEvent], reply: Reply | None = None) -> Reply:
    """The reply after all these events; one that neither finished nor failed was interrupted."""
    builder = ReplyBuilder(reply)
    for event in events:
        builder.feed(event)
    current = builder.reply
    if current.status == STREAMING:
        return msgspec.structs.replace(
            current, parts=_settled(current.parts), status=Incomplete(reason="interrupted")
        )
    return current


def reduce_event(reply: Reply, event: StreamEvent) -> Reply:
    """The reply after one event. Events for a part that never started are ignored; the first end wins."""
    replace = msgspec.structs.replace
    match event:
        case ReplyStart(model=model, response_id=response_id):
            return replace(reply, model=model or reply.model, response_id=response_id or reply.response_id)
        case PartStart(index=index, part=part):
            return replace(reply, parts=_placed(reply.parts, index, part))
        case PartUpdate(index=index, part=part):
            return replace(reply, parts=_placed(reply.parts, index, part))
        case PartDelta(index=index, text=text):
            return replace(reply, parts=_grown(reply.parts, index, text))
        case PartEnd(index=index):
            return replace(reply, parts=_ended(reply.parts, index))
        case UsageReport(usage=usage):
            return replace(reply, usage=_merged(reply.usage, usage))
        case Finish(status=status):
            return _closed(reply, status)
        case Failure(message=message):
            closed = _closed(reply, Incomplete(reason="error", error=message))
            return replace(closed, failure=reply.failure or event)


def _closed(reply: Reply, status: Complete | Incomplete) -> Reply:
    if reply.status != STREAMING:
        return reply
    return msgspec.structs.replace(reply, parts=_settled(reply.parts), status=status)


def _settled(parts: tuple[AssistantPart, ...]) -> tuple[AssistantPart, ...]:
    return tuple(_ready(part) for part in parts)


def _ready(part: AssistantPart) -> AssistantPart:
    if isinstance(part, ToolCallPart) and isinstance(part.state, CallStreaming):
        return msgspec.structs.replace(part, state=READY)
    return part


def _placed(parts: tuple[AssistantPart, ...], index: int, part: AssistantPart) -> tuple[AssistantPart, ...]:
    return (*parts[:index], part, *parts[index + 1 :])


def _grown(parts: tuple[AssistantPart, ...], index: int, text: str) -> tuple[AssistantPart, ...]:
    if not 0 <= index < len(parts):
        return parts
    part = parts[index]
    match part:
        case TextPart() | ReasoningPart() | RefusalPart():
            return _placed(parts, index, msgspec.structs.replace(part, text=part.text + text))
        case ToolCallPart():
            return _placed(parts, index, msgspec.structs.replace(part, arguments=part.arguments + text))
        case _:
            return parts


def _ended(parts: tuple[AssistantPart, ...], index: int) -> tuple[AssistantPart, ...]:
    return _placed(parts, index, _ready(parts[index])) if 0 <= index < len(parts) else parts


def _merged(old: Usage | None, new: Usage) -> Usage:
    if old is None:
        return new
    said = {name: value for name in Usage.__struct_fields__ if (value := getattr(new, name)) is not None}
    return msgspec.structs.replace(old, **said)
