"""Reading one reply: frames in, events out, whatever arrives.

A wire brings a ``Reader``, which turns one JSON value after the other into news on an ``EventWriter``; the
``Decoder`` does what all wires share. Laws: any bytes give events and never an exception; the same bytes cut
anywhere give the same reply; there is exactly one end, and it comes last; a piece that cannot be read is shown
as an error part, never dropped; a replayed event is applied once.

Not here: opening connections (``providers``), and what a finished reply means for the turn (``chat``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from triptych.model.events import Failure, StreamEvent
from triptych.model.foreign import clean_text
from triptych.model.parts import ErrorPart
from triptych.wires.reading.failures import INTERRUPTED
from triptych.wires.reading.values import as_count, read_value
from triptych.wires.reading.writer import EventWriter
from triptych.wires.sse import Frame, LineParser, ReplayFilter, SseParser

__all__ = ["Decoder", "Reader"]

_SHOWN = 200


class Reader(Protocol):
    """A wire's own half of a decoder."""

    def read(self, value: dict[str, Any], event: str, /) -> None:
        """One message of the stream; ``event`` is the name that the frame gave it, often empty."""
        ...

    def close(self, told: bool, /) -> bool:
        """No more will come: the server said so (``told``) or the bytes just ended.

        The reader tells the end, or answers False when the reply was not at its end.
        """
        ...


class Decoder:
    """One reply being read: ``feed`` what arrives, ``close`` when nothing more will.

    ``feed`` takes raw bytes (or text) of the HTTP body in any cut, or messages that are parsed already.
    """

    def __init__(
        self,
        reader: Callable[[EventWriter], Reader],
        *,
        framing: Callable[[], SseParser | LineParser] = SseParser,
    ) -> None:
        self._writer = EventWriter()
        self._reader = reader(self._writer)
        self._framing = framing()
        self._replays = ReplayFilter()
        self._unreadable = 0

    def feed(self, data: bytes | str | Mapping[str, Any]) -> list[StreamEvent]:
        """The events that this brings."""
        if isinstance(data, Mapping):
            self._value(dict(data), "", None)
        else:
            self._frames(self._framing.feed(data))
        return self._writer.take()

    def close(self, broken: Failure = INTERRUPTED) -> list[StreamEvent]:
        """The last events; a reply that was not at its end gets ``broken`` as its failure."""
        self._frames(self._framing.close())
        if not self._writer.ended:
            self._done(told=False)
        self._writer.fail(broken)
        return self._writer.take()

    def resumed(self) -> None:
        """The connection was opened again: events that were applied before may come again."""
        self._framing.close()
        self._replays.resumed()

    @property
    def ended(self) -> bool:
        """Whether the end has been told; what is fed later is ignored."""
        return self._writer.ended

    def _frames(self, frames: list[Frame]) -> None:
        for frame in frames:
            if not self._writer.ended:
                self._frame(frame)

    def _frame(self, frame: Frame) -> None:
        if frame.data.strip() == "[DONE]":
            self._done(told=True)
            return
        value = read_value(frame.data)
        if isinstance(value, dict):
            self._value(value, frame.event, _number(frame.id))
        elif frame.data.strip() and frame.event != "ping":
            self._note_unreadable(frame.data)

    def _value(self, value: dict[str, Any], event: str, number: int | None) -> None:
        """Events are numbered by their frame, or by ``sequence_number`` (OpenAI Responses)."""
        if number is None:
            number = as_count(value.get("sequence_number"))
        if not self._writer.ended and self._replays.is_new(number):
            self._reader.read(value, event)

    def _done(self, *, told: bool) -> None:
        if not self._reader.close(told) and told:
            self._writer.fail(INTERRUPTED)

    def _note_unreadable(self, data: str) -> None:
        self._unreadable += 1
        body = {"pieces": self._unreadable, "first": clean_text(data[:_SHOWN])}
        if self._unreadable == 1:
            self._writer.open(_UNREADABLE, ErrorPart(message=_SENTENCE, code="unreadable_piece", body=body))
            return
        part = self._writer.whole(_UNREADABLE)
        first = part.body["first"] if isinstance(part, ErrorPart) else ""
        self._writer.change(_UNREADABLE, body=body | {"first": first})


_UNREADABLE = ("unreadable",)
_SENTENCE = "The server sent something in the middle of the reply that could not be read."


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None  # 64 bits
