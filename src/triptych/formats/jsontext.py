"""Foreign JSON bytes to values: fast where they are clean, tolerant where they are not, deep where they are deep.

Three readers, tried in turn: msgspec's; the standard library's with cleaning (``model.foreign``); and, for texts
nested deeper than Python's stack, ijson's, which has no stack. Also the beginning of a JSON text, read as far as
it goes (``read_prefix``), for looking at the head of a large file and for files that were cut off.
"""

from __future__ import annotations

import codecs
import io
import math
import re
from typing import Any

import ijson
import msgspec

from triptych.formats.problems import note
from triptych.model.diagnostics import Diagnostic
from triptych.model.foreign import clean_text, read_json

__all__ = ["parse_json", "read_prefix", "to_utf8"]

_DECODER = msgspec.json.Decoder()
_CLOSERS = {ord("{"): b"}", ord("["): b"]"}
_COMMA = ord(",")
_QUOTE = ord('"')
_DEEPEST = 100_000
_MOST_CUTS = 40
_NUL = b"\\u0000"
_BOMS = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def to_utf8(data: bytes) -> bytes:
    """The bytes as UTF-8 without a mark; UTF-16 is recognised by its mark."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace").encode("utf-8", "replace")
    return data.removeprefix(codecs.BOM_UTF8)


def parse_json(data: bytes) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Any bytes to a clean JSON value; unreadable ones to None with a diagnostic of severity error."""
    if _NUL not in data:
        try:
            return _DECODER.decode(data), ()
        except (msgspec.DecodeError, ValueError, RecursionError):
            pass
    value, found = read_json(data)
    if value is None and any("too deeply nested" in one.message for one in found):
        return _parse_deep(data)
    return value, found


def _parse_deep(data: bytes) -> tuple[Any, tuple[Diagnostic, ...]]:
    """The value of a text that is nested deeper than the stack, cleaned as it is built."""
    stream = io.BytesIO(data.decode("utf-8", "replace").encode())
    building = _Building()
    try:
        for event, value in ijson.basic_parse(stream, use_float=True):
            building.take(event, value)
    except (ijson.JSONError, ValueError, OverflowError) as error:
        sentence = f"Not readable as JSON: {error}."
        return None, (Diagnostic(code="bad_json", message=sentence, severity="error"),)
    return building.root, tuple(building.found)


class _Building:
    """A value put together from events, without recursion."""

    def __init__(self) -> None:
        self.root: Any = None
        self.found: list[Diagnostic] = []
        self._open: list[tuple[Any, str]] = []

    def take(self, event: str, value: Any) -> None:
        """One event of the parser."""
        if event == "map_key":
            self._open[-1] = (self._open[-1][0], clean_text(value))
        elif event in ("end_map", "end_array"):
            self._open.pop()
        elif event in ("start_map", "start_array"):
            if len(self._open) >= _DEEPEST:
                raise ValueError("too deeply nested")
            holder: Any = {} if event == "start_map" else []
            self._put(holder)
            self._open.append((holder, ""))
        else:
            self._put(self._clean(value))

    def _put(self, value: Any) -> None:
        if not self._open:
            self.root = value
            return
        holder, key = self._open[-1]
        if isinstance(holder, dict):
            holder[key] = value
        else:
            holder.append(value)

    def _clean(self, value: Any) -> Any:
        """As ``model.foreign`` cleans it; without the path, which would be as long as the text is deep."""
        if isinstance(value, str):
            cleaned: Any = clean_text(value)
        else:
            cleaned = None if isinstance(value, float) and not math.isfinite(value) else value
        if cleaned is not value:
            self.found.append(note("bad_text", "A value that no database can hold was replaced."))
        return cleaned


_STRUCTURE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\],]', re.DOTALL)


def read_prefix(data: bytes) -> Any:
    """The value of a JSON text that ends too early: everything up to the last whole item.

    None when not even its first bracket can be read.
    """
    open_brackets, cuts = _cuts(data)
    for cut, depth in reversed(cuts[-_MOST_CUTS:]):
        closing = b"".join(_CLOSERS[kind] for kind in reversed(open_brackets[:depth]))
        value, found = parse_json(data[:cut] + closing)
        if not any(one.severity == "error" for one in found):
            return value
    return None


def _cuts(data: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """The brackets that are open at the end, and the last places where the text can be cut for each depth."""
    stack = bytearray()
    last: list[int] = []
    for match in _STRUCTURE.finditer(data):
        kind = data[match.start()]
        if kind == _QUOTE and match.end() == match.start() + 1:
            break
        if kind in b"{[":
            stack.append(kind)
            last.append(match.end())
        elif kind in b"}]" and stack:
            stack.pop()
            last.pop()
            if last:
                last[-1] = match.end()
        elif kind == _COMMA and last:
            last[-1] = match.start()
    return bytes(stack), [(place, depth + 1) for depth, place in enumerate(last)]
