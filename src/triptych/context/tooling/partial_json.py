"""JSON that ends too early, or has something behind its end: what of it can be read.

Literals cut short (``tru``) count, strings are closed, open lists and objects too; a member without a value is
left out, and so is all that follows a place that no JSON could have. A loop with a stack: depth has no limit.

Not here: mending what is inside a string (``arguments``).
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from typing import Any

from triptych.context.rowwork import trim

__all__ = ["NOTHING", "read_partial"]

NOTHING: Any = object()
"""What ``read_partial`` gives when not even the beginning is JSON."""

_LITERALS: dict[str, Any] = {
    "null": None,
    "true": True,
    "false": False,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
    "NaN": math.nan,
}
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_EXACT = 2**53
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER_END = re.compile(r"[^,\]}]*")


class _Stop(Exception):  # noqa: N818 # control flow: reading ends here
    pass


def read_partial(text: str) -> Any:
    """The value that the text begins with, completed; ``NOTHING`` when there is none."""
    reader = _Reader(trim(text))
    with contextlib.suppress(_Stop):
        reader.read()
    return reader.value()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.root: Any = NOTHING
        self.open: list[Any] = []
        self.keys: list[str | None] = []

    def value(self) -> Any:
        return self.root

    def read(self) -> None:
        self._value()
        while self.open:
            container = self.open[-1]
            self._space()
            if self._at("]" if isinstance(container, list) else "}"):
                self.place += 1
                self._close()
            elif isinstance(container, list):
                self._value()
            else:
                self._member()

    def _member(self) -> None:
        if self.place >= len(self.text):
            raise _Stop
        self.keys[-1] = self._string()
        self._space()
        self.place += 1
        self._value()

    def _value(self) -> None:
        self._space()
        if self.place >= len(self.text):
            raise _Stop
        opening = self.text[self.place]
        if opening in "{[":
            self.place += 1
            container: Any = {} if opening == "{" else []
            self._put(container)
            self.open.append(container)
            self.keys.append(None)
        else:
            self._put(self._string() if opening == '"' else self._literal_or_number())
            self._comma()

    def _close(self) -> None:
        self.open.pop()
        self.keys.pop()
        if self.open:
            self._comma()

    def _comma(self) -> None:
        self._space()
        if self.open and self._at(","):
            self.place += 1

    def _put(self, value: Any) -> None:
        if not self.open:
            self.root = value
        elif isinstance(self.open[-1], list):
            self.open[-1].append(value)
        else:
            self.open[-1][self.keys[-1]] = value

    def _string(self) -> str:
        start = self.place
        end = start + 1
        while end < len(self.text) and self.text[end] != '"':
            end += 2 if self.text[end] == "\\" else 1
        if end < len(self.text):
            self.place = end + 1
            return _decoded(self.text[start : end + 1])
        self.place = len(self.text)
        return _closed(self.text[start:])

    def _literal_or_number(self) -> Any:
        rest = self.text[self.place : self.place + 9]
        for word, value in _LITERALS.items():
            whole = rest.startswith(word)
            cut = len(self.text) - self.place < len(word) and word.startswith(rest) and rest != "-"
            if whole or cut:
                self.place += len(word)
                return value
        return self._number()

    def _number(self) -> Any:
        end = _end(_NUMBER_END, self.text, self.place)
        written = self.text[self.place : end].strip()
        found = _NUMBER.match(written)
        exponent = written.rfind("e")
        if found is None or (
            found.end() != len(written) and not _NUMBER.fullmatch(written[: max(exponent, 0)])
        ):
            raise _Stop
        self.place = end
        return _whole(json.loads(written if found.end() == len(written) else written[:exponent]))

    def _space(self) -> None:
        self.place = _end(_SPACE, self.text, self.place)

    def _at(self, character: str) -> bool:
        return self.text[self.place : self.place + 1] == character


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


def _whole(number: float) -> float:
    """A whole number without its point (``1e5`` is 100000): JSON has one kind of numbers."""
    exact = isinstance(number, float) and number.is_integer() and abs(number) < _EXACT
    return int(number) if exact else number


def _decoded(written: str) -> str:
    try:
        value = json.loads(written)
    except ValueError:
        raise _Stop from None
    if not isinstance(value, str):
        raise _Stop
    return value


def _closed(written: str) -> str:
    """A string without its end, closed: without a lone backslash, or before a cut escape."""
    backslashes = len(written) - len(written.rstrip("\\"))
    whole = written[: len(written) - backslashes % 2]
    try:
        return _decoded(whole + '"')
    except _Stop:
        last = whole.rfind("\\")
        if last < 0:
            raise
        return _decoded(whole[:last] + '"')
