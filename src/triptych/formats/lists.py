"""Conversations that are plain lists of messages: no ids, no parents, one line each.

They come as an array, as an object with ``messages``, as a list of such objects, or as JSONL of either. Each
message gets an id made from its record and the one before, so that the same file gives the same ids, a longer copy
of it adds only what is new, and an edited message becomes a branch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from triptych.formats.assemble import made_id
from triptych.formats.conversation import Path
from triptych.formats.making import make_message, source_note
from triptych.formats.problems import problem
from triptych.formats.sniff import take_sample
from triptych.formats.source import SourceFile, read_lines
from triptych.formats.streaming import Entry, Line, read_document, stream_entries, stream_lines
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, Role

__all__ = ["MessageList", "read_lists", "record_id", "split_results"]


class MessageList(msgspec.Struct, frozen=True, kw_only=True):
    """The records of one conversation.

    Attributes:
        records: as the file has them; anything whatever.
        base: where the list stands in the document.
        holder: the object around them, with what is said of the conversation as such.
        document: the bytes they were read from.
        lines: the document is lines of JSON, a record each.
        numbers: for lines, the number of each record's line.
        index: the number of the conversation in the file.
        found: what had to be repaired to read them.
    """

    records: list[Any]
    base: Path = ()
    holder: dict[str, Any] = {}  # msgspec copies it
    document: bytes = b""
    lines: bool = False
    numbers: tuple[int, ...] = ()
    index: int = 0
    found: tuple[Diagnostic, ...] = ()

    def path(self, index: int) -> Path:
        """Where record ``index`` stands in the document."""
        return (self.numbers[index],) if self.lines else (*self.base, index)


def read_lists(file: SourceFile, keys: Sequence[str] = ("messages",)) -> Iterator[MessageList | Diagnostic]:
    """The conversations of a file: of an array of messages, and of objects that hold one under one of ``keys``."""
    sample = take_sample(file)
    if sample.kind == "lines":
        yield from _from_lines(file, keys)
    elif isinstance(sample.value, list) and any(_is_holder(one, keys) for one in sample.objects):
        for entry in stream_entries(file):
            yield _from_holder(entry, keys, file) if isinstance(entry, Entry) else entry
    else:
        value, data, found = read_document(file)
        if isinstance(value, dict):
            yield _from_holder(Entry(value, data, 0, tuple(found)), keys, file)
        elif isinstance(value, list):
            yield MessageList(records=value, document=data, found=tuple(found))
        else:
            yield problem("W_CONVERSATION_SKIPPED", file.name, severity="error")


def _held(holder: dict[str, Any], keys: Sequence[str]) -> str | None:
    """The key under which an object holds messages."""
    return next((key for key in keys if isinstance(holder.get(key), list)), None)


def _is_holder(value: dict[str, Any], keys: Sequence[str]) -> bool:
    """Whether an object holds messages, and is none itself: a tool's result may have its ``output`` in a list."""
    return _held(value, keys[:1]) is not None or (_held(value, keys) is not None and not _is_record(value))


def _is_record(value: dict[str, Any]) -> bool:
    return "role" in value or "type" in value


def _from_holder(entry: Entry, keys: Sequence[str], file: SourceFile) -> MessageList | Diagnostic:
    key = _held(entry.value, keys)
    if key is None:
        named = any(one in entry.value for one in (*keys, "id"))
        code = "W_CONVERSATION_SKIPPED" if named else "W_UNKNOWN_RECORD"
        return problem(code, f"{file.name}[{entry.index}]")
    return MessageList(
        records=entry.value[key],
        base=(key,),
        holder=entry.value,
        document=entry.data,
        index=entry.index,
        found=entry.found,
    )


def _from_lines(file: SourceFile, keys: Sequence[str]) -> Iterator[MessageList | Diagnostic]:
    """Each line a conversation; lines that are messages themselves are one conversation together."""
    found: list[Diagnostic] = []
    loose: list[Line] = []
    for line in stream_lines(_with_ends(read_lines(file)), found):
        if not isinstance(line.value, dict):
            yield problem("W_UNKNOWN_RECORD", f"line {line.index + 1}")
        elif _is_holder(line.value, keys) or not _is_record(line.value):
            yield _from_holder(Entry(line.value, line.data, line.index), keys, file)
        else:
            loose.append(line)
        yield from found
        found.clear()
    yield from found
    if loose:
        yield MessageList(
            records=[line.value for line in loose],
            document=file.read(),
            lines=True,
            numbers=tuple(line.index for line in loose),
        )


def _with_ends(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines with their line feeds, so that a line that is a document goes back as it stood."""
    before: bytes | None = None
    for line in lines:
        if before is not None:
            yield before + b"\n"
        before = line
    if before is not None:
        yield before


def record_id(parent: str | None, record: Any) -> str:
    """An id made from the parent's id and the record."""
    return made_id(parent or "", json.dumps(record, ensure_ascii=True))


def split_results(
    role: Role, name: str, parts: Sequence[Any], parent: str | None, path: Path, **fields: Any
) -> list[Message]:
    """The message of one record; a user's record with tool results is a tool message, or one and a half.

    A record with results and other content becomes two messages: the results come first, as a tool message that
    is marked ``within`` the other one.
    """
    note = source_note(path)
    results = [part for part in parts if isinstance(part, words.ToolResultPart)]
    if role != "user" or not results:
        return [make_message(role, name, parts, parent_id=parent, metadata=note, **fields)]
    rest = [part for part in parts if not isinstance(part, words.ToolResultPart)]
    if not rest:
        return [make_message("tool", name, results, parent_id=parent, metadata=note, **fields)]
    half = f"{name}~results"
    marked = source_note(path, within=name)
    return [
        make_message("tool", half, results, parent_id=parent, metadata=marked, **fields),
        make_message("user", name, rest, parent_id=half, metadata=note, **fields),
    ]
