"""From a wire's news to events: places are counted, texts are cleaned, and there is exactly one end.

Every decoder writes through ``EventWriter``, which keeps these promises whatever it is told:

* ``ReplyStart`` comes first; a part starts once, at the next free index; nothing follows the end.
* Halves of a surrogate pair that arrive in two pieces become one character.
* ``whole`` and every ``PartUpdate`` hold all the text that was written before.

Keys name parts while the reply grows (a block index, an item id); the wire chooses them.

Not here: any vendor's words.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

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
from triptych.model.foreign import clean_text
from triptych.model.ids import CallId
from triptych.model.parts import AssistantPart, ReasoningPart, RefusalPart, TextPart, ToolCallPart
from triptych.model.status import Complete, Incomplete
from triptych.model.usage import Usage
from triptych.wires.reading.values import join_surrogates

__all__ = ["EventWriter"]

_GROWING = TextPart | ReasoningPart | RefusalPart | ToolCallPart


class _Slot:
    """A part that grows: its newest form without the text, and the pieces of the text."""

    __slots__ = ("ended", "half", "index", "part", "pieces")

    def __init__(self, index: int, part: AssistantPart) -> None:
        self.index = index
        self.part = part
        self.pieces: list[str] = []
        self.half = ""
        self.ended = False

    def whole(self) -> AssistantPart:
        text = "".join(self.pieces)
        match self.part:
            case TextPart() | ReasoningPart() | RefusalPart():
                return msgspec.structs.replace(self.part, text=text)
            case ToolCallPart():
                return msgspec.structs.replace(self.part, arguments=text)
            case _:
                return self.part


class EventWriter:
    """Collects the events of one reply; ``take`` hands over those written since the last time."""

    def __init__(self) -> None:
        self._events: list[StreamEvent] = []
        self._slots: dict[Hashable, _Slot] = {}
        self._call_ids: set[str] = set()
        self._started = False
        self.ended = False

    def take(self) -> list[StreamEvent]:
        """The events written since the last call."""
        events, self._events = self._events, []
        return events

    def start(self, model: str = "", response_id: str = "") -> None:
        """The reply began; said again with something new, it is told again."""
        if self.ended or (self._started and not (model or response_id)):
            return
        self._started = True
        self._events.append(ReplyStart(model=model or None, response_id=response_id or None))

    def has(self, key: Hashable) -> bool:
        """Whether this part was opened."""
        return key in self._slots

    def count(self) -> int:
        """How many parts there are so far."""
        return len(self._slots)

    def open(self, key: Hashable, part: AssistantPart) -> None:
        """A new part (empty text parts grow later). An open key is left as it is."""
        if self.ended or key in self._slots:
            return
        if not self._started:
            self.start()
        slot = self._slots[key] = _Slot(len(self._slots), _emptied(part))
        self._events.append(PartStart(index=slot.index, part=slot.part))
        self.grow(key, _text_of(part))

    def grow(self, key: Hashable, text: str) -> None:
        """More text for a part. A half of a surrogate pair waits for its other half."""
        slot = self._slots.get(key)
        if self.ended or slot is None or not (text and isinstance(slot.part, _GROWING)):
            return
        joined = join_surrogates(slot.half + text)
        slot.half = joined[-1] if "\ud800" <= joined[-1] <= "\udbff" else ""
        self._write(slot, clean_text(joined.removesuffix(slot.half) if slot.half else joined))

    def change(self, key: Hashable, **fields: Any) -> None:
        """A part learns something: its new whole form is told when it differs from the old one."""
        slot = self._slots.get(key)
        if self.ended or slot is None:
            return
        part = msgspec.structs.replace(slot.part, **fields)
        if part != slot.part:
            slot.part = part
            self._events.append(PartUpdate(index=slot.index, part=slot.whole()))

    def rewrite(self, key: Hashable, text: str) -> None:
        """The final text of a part. Only what differs from the text so far is told, and as little as possible."""
        slot = self._slots.get(key)
        if self.ended or slot is None or not isinstance(slot.part, _GROWING):
            return
        said, final = "".join(slot.pieces), clean_text(join_surrogates(text))
        slot.half = ""
        if final.startswith(said):
            self._write(slot, final[len(said) :])
        else:
            slot.pieces = [final]
            self._events.append(PartUpdate(index=slot.index, part=slot.whole()))

    def end(self, key: Hashable) -> None:
        """Nothing more comes for this part."""
        slot = self._slots.get(key)
        if self.ended or slot is None or slot.ended:
            return
        self._flush_half(slot)
        slot.ended = True
        self._events.append(PartEnd(index=slot.index))

    def end_others(self, key: Hashable) -> None:
        """Nothing more comes for any part but this one."""
        for other in list(self._slots):
            if other != key:
                self.end(other)

    def whole(self, key: Hashable) -> AssistantPart | None:
        """The part as it stands, with all its text."""
        slot = self._slots.get(key)
        return slot.whole() if slot else None

    def head(self, key: Hashable) -> AssistantPart | None:
        """The part without its text: cheap however long that is."""
        slot = self._slots.get(key)
        return slot.part if slot else None

    def last_piece(self, key: Hashable) -> str:
        """The newest piece of the part's text; empty when it has none yet."""
        slot = self._slots.get(key)
        return slot.pieces[-1] if slot and slot.pieces else ""

    def usage(self, usage: Usage | None) -> None:
        """Newer token counts."""
        if usage is not None and not self.ended:
            self.start()
            self._events.append(UsageReport(usage=usage))

    def finish(self, status: Complete | Incomplete) -> None:
        """The end, by the provider's own word. A first end stands."""
        self._end(Finish(status=status))

    def fail(self, failure: Failure) -> None:
        """The end, by a failure. A first end stands."""
        self._end(failure)

    def call_id(self, wanted: str) -> CallId:
        """An id for a call: the provider's own; a missing or repeated one is made unique in this reply."""
        name = clean_text(join_surrogates(wanted)) or f"call_{len(self._call_ids)}"
        unique, attempt = name, 2
        while unique in self._call_ids:
            unique, attempt = f"{name}_{attempt}", attempt + 1
        self._call_ids.add(unique)
        return CallId(unique)

    def has_open_calls(self) -> bool:
        """Whether the model asked for a tool that we have to run."""
        return any(
            isinstance(slot.part, ToolCallPart) and not slot.part.server_side for slot in self._slots.values()
        )

    def _write(self, slot: _Slot, text: str) -> None:
        if text:
            slot.pieces.append(text)
            self._events.append(PartDelta(index=slot.index, text=text))

    def _flush_half(self, slot: _Slot) -> None:
        half, slot.half = slot.half, ""
        self._write(slot, clean_text(half))

    def _end(self, event: Finish | Failure) -> None:
        if self.ended:
            return
        self.start()
        for key in list(self._slots):
            self.end(key)
        self._events.append(event)
        self.ended = True


def _text_of(part: AssistantPart) -> str:
    match part:
        case TextPart() | ReasoningPart() | RefusalPart():
            return part.text
        case ToolCallPart():
            return part.arguments
        case _:
            return ""


def _emptied(part: AssistantPart) -> AssistantPart:
    match part:
        case TextPart() | ReasoningPart() | RefusalPart():
            return msgspec.structs.replace(part, text="")
        case ToolCallPart():
            return msgspec.structs.replace(part, arguments="")
        case _:
            return part
