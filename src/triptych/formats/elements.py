"""The elements of a huge JSON list, one at a time, as the bytes they are written in.

A scanner that knows only brackets and strings finds where each element ends; nothing is parsed, so memory holds
one element and a read block however long the file is. The list is the document itself, or stands under a given
key of the document's object.

Where msgspec can skip over a whole element it is ten times as fast as the scanner: asked for one value, it
complains about what follows and says where that begins. Its answer is taken only when it looks as expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

__all__ = ["Element", "scan_elements"]

_BLOCK = 1 << 20
_RUN = re.compile(rb'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+', re.DOTALL)
"""Everything up to the next bracket that stands outside a string, or to a string that has no end yet."""
_SCALAR = re.compile(rb'(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^",{}\[\]])*+', re.DOTALL)
_KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:\s*\Z', re.DOTALL)
_BETWEEN = re.compile(rb"[ \t\r\n,]*+")
_SKIPPER = msgspec.json.Decoder(msgspec.Raw)
_COMPLAINT = re.compile(r"trailing characters \(byte (\d+)\)")
_OPEN, _QUOTE, _LIST, _CLOSE = b"{[", 0x22, 0x5B, b"]}"


class Element(msgspec.Struct, frozen=True):
    """One element of the list: its bytes, its number, and whether the file goes on to its end."""

    data: bytes
    index: int
    whole: bool = True


class _Window:
    """The piece of the file that is in memory. ``start`` is where the element in hand begins."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.data = b""
        self.start = 0

    def grow(self) -> int | None:
        """Read on, forgetting what lies before ``start``; by how much places have moved, or None at the end.

        Reads at least as much as is here already, so that a long element costs linear time.
        """
        moved = self.start
        block = self.stream.read(max(_BLOCK, len(self.data) - moved))
        if not block:
            return None
        self.data = self.data[moved:] + block
        self.start = 0
        return moved


def scan_elements(stream: BinaryIO, keys: frozenset[str] = frozenset()) -> Iterator[Element]:
    """Yield the elements of the top-level list, or of the first list under one of ``keys`` in a top-level object.

    Scalars are elements too. What follows the list is not read.
    """
    window = _Window(stream)
    if not _enter_list(window, {key.encode() for key in keys}):
        return
    index = 0
    while _skip_between(window) and window.data[window.start] not in _CLOSE:
        end = _element_end(window)
        data = window.data[window.start : end]
        yield Element(data=data.rstrip(), index=index, whole=end is not None)
        if end is None:
            return
        window.start = end
        index += 1


def _skip_between(window: _Window) -> bool:
    """Pass white space and commas; whether anything follows."""
    while True:
        window.start = _reach(_BETWEEN, window.data, window.start)
        if window.start < len(window.data):
            return True
        if window.grow() is None:
            return False


def _enter_list(window: _Window, keys: set[bytes]) -> bool:
    """Go to the place after the wanted list's bracket; whether there is one."""
    if not _skip_between(window):
        return False
    first = window.data[window.start]
    window.start += 1
    if first == _LIST:
        return True
    depth = 1 if first in _OPEN else 0
    while depth:
        place = _next_bracket(window, window.start)
        if place is None:
            return False
        if depth == 1 and window.data[place] == _LIST:
            key = _KEY.search(window.data, window.start, place)
            if key and key[1] in keys:
                window.start = place + 1
                return True
        depth += 1 if window.data[place] in _OPEN else -1
        window.start = place + 1
    return False


def _next_bracket(window: _Window, position: int) -> int | None:
    """The place of the next bracket outside strings, reading on as needed."""
    while True:
        place = _reach(_RUN, window.data, position)
        if place < len(window.data) and window.data[place] != _QUOTE:
            return place
        moved = window.grow()
        if moved is None:
            return None
        position -= moved


def _element_end(window: _Window) -> int | None:
    """Where the element at ``start`` ends; None when the file ends within it."""
    position = window.start
    if window.data[position] not in _OPEN:
        return _scalar_end(window)
    skipped = _skipped_end(window)
    if skipped is not None:
        return skipped
    data, run, depth = window.data, _RUN.match, 1
    size, position = len(data), position + 1
    while depth:
        place = run(data, position).end()  # pyright: ignore[reportOptionalMemberAccess] # matches nothing, too
        if place == size or data[place] == _QUOTE:
            moved = window.grow()
            if moved is None:
                return None
            position, data = place - moved, window.data
            size = len(data)
        else:
            depth += 1 if data[place] in _OPEN else -1
            position = place + 1
    return position


def _skipped_end(window: _Window) -> int | None:
    """Where msgspec says that the element at ``start`` ends; None when it cannot say."""
    with memoryview(window.data) as view:
        try:
            _SKIPPER.decode(view[window.start :])
        except (msgspec.DecodeError, RecursionError) as error:
            said = _COMPLAINT.search(str(error))
        else:
            return None
    end = window.start + int(said[1]) - 1 if said else -1
    return end if said and _closes(window.data, window.start, end) else None


def _closes(data: bytes, start: int, end: int) -> bool:
    """Whether an element may end here: after a bracket, before a comma or the end of the list."""
    before = data[max(start, end - 64) : end].rstrip()
    return data[end : end + 1] in (b",", b"]") and before[-1:] in (b"}", b"]")


def _scalar_end(window: _Window) -> int | None:
    while True:
        end = _reach(_SCALAR, window.data, window.start)
        if end < len(window.data) and window.data[end] != _QUOTE:
            return max(end, window.start + 1)
        if window.grow() is None:
            return None


def _reach(pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
    """How far a pattern that may match nothing goes from here."""
    found = pattern.match(data, position)
    return position if found is None else found.end()
