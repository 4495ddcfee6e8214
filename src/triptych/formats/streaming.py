"""The JSON objects of a file, one at a time, whatever stands around them: a list, a list under a key, one object.

Each comes with the exact bytes it was read from. What cannot be read gives a diagnostic and the next one follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from triptych.formats.elements import Element, scan_elements
from triptych.formats.jsontext import parse_json, read_prefix
from triptych.formats.problems import problem
from triptych.formats.source import SourceFile
from triptych.model.diagnostics import Diagnostic

__all__ = ["Entry", "Line", "read_document", "stream_entries", "stream_lines"]

_SEAM = re.compile(rb"\}\s*\{")
_MOST_COPIES = 4


class Entry(msgspec.Struct, frozen=True):
    """One object: its value, its bytes, its number in the file, and what had to be repaired to read it."""

    value: dict[str, Any]
    data: bytes
    index: int
    found: tuple[Diagnostic, ...] = ()


def stream_entries(file: SourceFile, keys: frozenset[str] = frozenset()) -> Iterator[Entry | Diagnostic]:
    """The objects of a JSON list, of the list under one of ``keys``, or the object that is the whole file."""
    first = file.head(64).lstrip()[:1]
    empty = True
    with file.open() as stream:
        for element in scan_elements(stream, keys):
            empty = False
            yield _entry(element, file.name)
    if empty and first == b"{":
        yield _entry(Element(data=file.read().strip(), index=0, whole=False), file.name)


def _entry(element: Element, name: str) -> Entry | Diagnostic:
    value, found = parse_json(element.data)
    if any(one.severity == "error" for one in found) and not element.whole:
        value = read_prefix(element.data)
        found = (problem("W_TRUNCATED_TAIL", f"{name}[{element.index}]"),)
    if not isinstance(value, dict):
        return problem("W_RECORD_SKIPPED", f"{name}[{element.index}]", size=len(element.data))
    return Entry(value, element.data, element.index, found)


def read_document(file: SourceFile) -> tuple[Any, bytes, list[Diagnostic]]:
    """The whole file as one JSON value, its bytes, and what was wrong. A file cut off is read as far as it goes."""
    data = file.read()
    value, found = parse_json(data)
    if any(one.severity == "error" for one in found):
        return read_prefix(data), data, [problem("W_TRUNCATED_TAIL", file.name)]
    return value, data, list(found)


class Line(msgspec.Struct, frozen=True):
    """One line of a JSONL file: its number from 0, its bytes, and its value (None and a problem for a bad one)."""

    index: int
    data: bytes
    value: Any


def stream_lines(lines: Iterator[bytes], found: list[Diagnostic]) -> Iterator[Line]:
    """The lines that hold something, as JSON values; bad ones are noted, the last one as a cut-off tail.

    Two values on one line come as two lines with the same number; of a record that was broken off and written again
    on the same line, the whole one.
    """
    pending: Line | None = None
    for index, data in enumerate(lines):
        if not data.strip():
            continue
        if pending is not None:
            found.append(problem("W_BAD_LINE", f"line {pending.index + 1}", size=len(pending.data)))
            pending = None
        value, problems = parse_json(data)
        if not any(one.severity == "error" for one in problems):
            found.extend(problems)
            yield Line(index, data, value)
            continue
        several = _several(data) or _again(data)
        if several:
            found.append(problem("W_BAD_LINE", f"line {index + 1}", values=len(several)))
            for one in several:
                yield Line(index, data, one)
        else:
            pending = Line(index, data, None)
    if pending is not None:
        found.append(problem("W_TRUNCATED_TAIL", f"line {pending.index + 1}", size=len(pending.data)))


def _several(data: bytes) -> list[Any]:
    """The values of a line that holds more than one JSON text, one after the other; else nothing."""
    stripped = data.strip()
    if stripped[:1] != b"{" or not _SEAM.search(stripped):
        return []
    listed, found = parse_json(b"[" + _SEAM.sub(b"},{", stripped) + b"]")
    return listed if not any(one.severity == "error" for one in found) else []


def _again(data: bytes) -> list[Any]:
    """The whole record of a line that begins with the first part of a record and goes on with all of it."""
    stripped = data.strip()
    opening = stripped[: stripped.find(b":") + 1]
    if not opening.startswith(b'{"'):
        return []
    start = stripped.find(opening, 1)
    for _ in range(_MOST_COPIES):
        if start < 0:
            break
        value, found = parse_json(stripped[start:])
        if not any(one.severity == "error" for one in found):
            return [value]
        start = stripped.find(opening, start + 1)
    return []
