"""Server-sent events and JSON lines, read piece by piece, wherever the network cut them.

Follows the event stream format of the HTML standard, but for three leniences that real servers need: a last event
without its blank line still counts, unreadable UTF-8 becomes U+FFFD, and a line that begins as a JSON object is an
event by itself (an error, or a whole reply, from a server that forgot to say ``data:``).

Not here: what the data of an event means (each wire's ``stream``), and any connection (``providers``).
"""

from __future__ import annotations

import codecs
import re

import msgspec

__all__ = ["Frame", "LineParser", "ReplayFilter", "SseParser"]

_LINE_END = re.compile("\r\n|\n|\r")


class Frame(msgspec.Struct, frozen=True):
    """One message of a stream. ``event`` and ``id`` are empty when the server gave none."""

    data: str
    event: str = ""
    id: str = ""


class _Lines:
    """Bytes to lines: CR, LF and CRLF all end one, also when a cut falls between CR and LF."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pieces: list[str] = []
        self._after_return = False
        self._first = True

    def feed(self, data: bytes | str, *, final: bool = False) -> list[str]:
        text = data if isinstance(data, str) else self._decoder.decode(data, final)
        if self._first and text:
            text, self._first = text.removeprefix("\ufeff"), False
        if self._after_return and text:
            text, self._after_return = text.removeprefix("\n"), False
        if text.endswith("\r"):
            self._after_return = True
        head, *rest = _LINE_END.split(text)
        self._pieces.append(head)
        if not rest:
            return []
        lines = ["".join(self._pieces), *rest[:-1]]
        self._pieces = [rest[-1]]
        return lines

    def close(self) -> list[str]:
        lines = self.feed(b"", final=True)
        rest = "".join(self._pieces)
        self._pieces = []
        return [*lines, rest] if rest else lines


class SseParser:
    """``feed`` bytes as they come, get the events that are whole; ``close`` gives what was left over."""

    def __init__(self) -> None:
        self._lines = _Lines()
        self._data: list[str] = []
        self._event = ""
        self._id = ""

    def feed(self, data: bytes | str) -> list[Frame]:
        """The events that these bytes complete."""
        return [frame for line in self._lines.feed(data) for frame in self._line(line)]

    def close(self) -> list[Frame]:
        """The event that was still open, if it has data."""
        frames = [frame for line in self._lines.close() for frame in self._line(line)]
        return [*frames, *self._line("")]

    def _line(self, line: str) -> list[Frame]:
        if not line:
            return self._dispatch()
        if line[0] == "{":
            return [*self._dispatch(), Frame(line)]
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\x00" not in value:
            self._id = value
        return []

    def _dispatch(self) -> list[Frame]:
        data, event, number = self._data, self._event, self._id
        self._data, self._event, self._id = [], "", ""
        return [Frame("\n".join(data), event, number)] if data else []


class LineParser:
    """The same for newline-delimited JSON: every non-blank line is a message."""

    def __init__(self) -> None:
        self._lines = _Lines()

    def feed(self, data: bytes | str) -> list[Frame]:
        """The lines that these bytes complete."""
        return [Frame(line) for line in self._lines.feed(data) if line.strip()]

    def close(self) -> list[Frame]:
        """The last line, when nothing ended it."""
        return [Frame(line) for line in self._lines.close() if line.strip()]


class ReplayFilter:
    """Lets every numbered event through once, so that a reconnect never says the same text twice.

    Only whole numbers count. A server that gives every event the same number is not replaying; after
    ``resumed`` (or once a number went back) events up to the highest number seen are old news.
    """

    def __init__(self) -> None:
        self._highest: int | None = None
        self._replaying = False

    def resumed(self) -> None:
        """The connection was opened again: what was seen before may come again."""
        self._replaying = True

    def is_new(self, number: int | None) -> bool:
        """Whether this event has not been applied yet; one without a number always is new."""
        if number is None or self._highest is None:
            self._highest = number if number is not None else self._highest
            return True
        if number > self._highest:
            self._highest, self._replaying = number, False
            return True
        if number < self._highest:
            self._replaying = True
        return not self._replaying
