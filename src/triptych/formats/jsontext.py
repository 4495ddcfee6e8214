"""Foreign JSON bytes to values: fast where they are clean, tolerant where they are not, deep where they are deep.

Three readers, tried in turn: msgspec's; the standard library's with cleaning (``model.foreign``); and, for texts
nested deeper than Python's stack, ijson's, which has no stack. Also the beginning of a JSON text, read as far as
it goes (``read_prefix``), for looking at the head of a large file and for files that were cut off.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import Any

import ijson
import msgspec

from triptych.model.diagnostics import Diagnostic
from triptych.model.foreign import clean_json, read_json

__all__ = ["parse_json", "read_prefix", "to_utf8"]

_DECODER = msgspec.json.Decoder()
_CLOSERS = {ord("{"): b"}", ord("["): b"]"}
_COMMA = ord(",")
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
    try:
        text = io.BytesIO(data.decode("utf-8", "replace").encode())
        value = next(ijson.items(text, "", use_float=True))
        return _clean_deep(value)
    except (ijson.JSONError, ValueError, StopIteration, OverflowError) as error:
        sentence = f"Not readable as JSON: {error}."
        return None, (Diagnostic(code="bad_json", message=sentence, severity="error"),)


def _clean_deep(value: Any) -> tuple[Any, tuple[Diagnostic, ...]]:
    try:
        return clean_json(value)
    except RecursionError:
        sentence = "Not readable as JSON: too deeply nested to be cleaned."
        return None, (Diagnostic(code="bad_json", message=sentence, severity="error"),)


_STRUCTURE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]', re.DOTALL)


def read_prefix(data: bytes) -> Any:
    """The value of a JSON text that ends too early: everything up to the last whole item.

    None when not even its first bracket can be read.
    """
    open_brackets, cuts = _cuts(data)
    for cut, depth in reversed(cuts):
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
