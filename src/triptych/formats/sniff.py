"""Which format a file has, by its content alone: its head is read and shown to each reader in turn.

Not here: what each format looks like; that is ``matches`` in its reader.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from triptych.formats.jsontext import parse_json, read_prefix
from triptych.formats.registry import FORMATS, Format, load_reader
from triptych.formats.source import SourceFile
from triptych.formats.sqlite import table_names

__all__ = ["Sample", "sniff", "take_sample"]

Kind = Literal["json", "lines", "text", "sqlite", "binary", "empty"]

_WHOLE = 4 << 20
_HEAD = 1 << 18
_MOST_LINES = 50


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a file without reading all of it.

    Attributes:
        name: the file's name.
        kind: JSON, lines of JSON, any other text, an SQLite database, other bytes, or nothing.
        value: the JSON value; of a large file only what its head holds.
        lines: the JSON values of the first lines, for lines of JSON; None for a bad line.
        text: the head of a text.
        tables: the names of a database's tables.
    """

    name: str
    kind: Kind
    value: Any = None
    lines: tuple[Any, ...] = ()
    text: str = ""
    tables: frozenset[str] = frozenset()

    @property
    def first(self) -> dict[str, Any]:
        """The first object of a JSON list, or of the lines."""
        items = self.value if isinstance(self.value, list) else self.lines
        return next((item for item in items if isinstance(item, dict)), {})

    @property
    def object(self) -> dict[str, Any]:
        """The JSON value when it is an object."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The objects of a JSON list, or of the lines."""
        items = self.value if isinstance(self.value, list) else self.lines
        return [item for item in items if isinstance(item, dict)]


def sniff(file: SourceFile) -> Format | None:
    """The format of a file, or None when no reader knows it."""
    sample = take_sample(file)
    if sample.kind in ("empty", "binary"):
        return None
    return next(
        (known for known in FORMATS if known.reader and load_reader(known).matches(sample)),
        None,
    )


def take_sample(file: SourceFile) -> Sample:
    """Look at the head of a file."""
    wanted = _WHOLE if file.size <= _WHOLE else _HEAD
    head = file.head(wanted + 1)
    whole = len(head) <= wanted
    if head.startswith(b"SQLite format 3\x00"):
        return Sample(name=file.name, kind="sqlite", tables=table_names(file.read()))
    stripped = head.lstrip()
    if not stripped:
        return Sample(name=file.name, kind="empty")
    text = head.decode("utf-8", "replace")
    if stripped[:1] not in (b"{", b"["):
        kind: Kind = "binary" if b"\x00" in head[:4096] else "text"
        lines = _line_values(head)
        if _are_lines(lines):
            return Sample(name=file.name, kind="lines", lines=lines, text=text)
        return Sample(name=file.name, kind=kind, text=text)
    return _json_sample(file.name, head, text, whole=whole)


def _json_sample(name: str, head: bytes, text: str, *, whole: bool) -> Sample:
    if whole:
        value, found = parse_json(head)
        if not any(one.severity == "error" for one in found):
            lines = (value,) if isinstance(value, dict) and b"\n" not in head.strip() else ()
            return Sample(name=name, kind="json", value=value, lines=lines, text=text)
    lines = _line_values(head)
    if _are_lines(lines):
        return Sample(name=name, kind="lines", lines=lines, text=text)
    return Sample(name=name, kind="json", value=read_prefix(head), text=text)


def _line_values(head: bytes) -> tuple[Any, ...]:
    """The first lines as values: the whole ones, and the last one as far as it goes."""
    lines = [line for line in head.split(b"\n", _MOST_LINES)[:_MOST_LINES] if line.strip()]
    return tuple(_line_value(line) for line in lines)


def _are_lines(lines: tuple[Any, ...]) -> bool:
    """Whether these are lines of JSON: at least one in three is an object (a large pretty JSON has hardly any)."""
    good = sum(isinstance(line, dict) for line in lines)
    return good > 0 and good * 3 >= len(lines)


def _line_value(line: bytes) -> Any:
    value, found = parse_json(line)
    return None if any(one.severity == "error" for one in found) else value
