"""OpenAssistant: JSONL of message trees (``prompt`` with nested ``replies``), or of flat messages.

The best ranked reply (0) is shown; deleted messages are hidden. Labels and ranks stay in the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from triptych.formats.assemble import Origin, assemble, settle
from triptych.formats.conversation import ImportedConversation, Path
from triptych.formats.folding import fold
from triptych.formats.making import (
    as_list,
    as_text,
    id_of,
    make_message,
    role_from,
    source_note,
    text_parts,
    time_of,
)
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile, read_lines
from triptych.formats.spoken import OASST
from triptych.formats.streaming import Entry, Line, stream_entries, stream_lines
from triptych.formats.tree import claim_id
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import Message

__all__ = ["matches", "read"]

_UNRANKED = 1 << 30


def matches(sample: Sample) -> bool:
    """Trees with an id and a prompt, or flat messages of a tree."""
    return any(
        "message_tree_id" in row and ("prompt" in row or "message_id" in row)
        for row in (sample.object, *sample.objects)
    )


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every tree of the file; flat messages are gathered by their tree first."""
    found: list[Diagnostic] = []
    flat: dict[str, list[Line]] = {}
    for line in _rows(file, found):
        row = line.value
        where = f"line {line.index + 1}"
        if not isinstance(row, dict):
            yield problem("W_RECORD_SKIPPED", where)
        elif "message_id" in row:
            flat.setdefault(as_text(row.get("message_tree_id")), []).append(line)
        elif "prompt" in row or "message_tree_id" in row:
            yield _tree(line, where, file)
        else:
            yield problem("W_UNKNOWN_RECORD", where)
    yield from found
    for name, lines in flat.items():
        yield _flat(name, lines, file)


def _rows(file: SourceFile, found: list[Diagnostic]) -> Iterator[Line]:
    """The rows of a JSONL file, or of a JSON list."""
    if file.head(64).lstrip()[:1] != b"[":
        yield from stream_lines(read_lines(file), found)
        return
    for entry in stream_entries(file):
        if isinstance(entry, Entry):
            found.extend(entry.found)
            yield Line(entry.index, entry.data, entry.value)
        else:
            found.append(entry)


def _tree(line: Line, where: str, file: SourceFile) -> ImportedConversation | Diagnostic:
    name = as_text(line.value.get("message_tree_id"))
    prompt = line.value.get("prompt")
    if not isinstance(prompt, dict):
        return problem("W_CONVERSATION_SKIPPED", name or where)
    found = list(odd_fields(prompt, OASST, "prompt"))
    origin = Origin(
        format="oasst", id=name or None, version="trees", name=file.name, document=line.data.strip()
    )
    return _finished(origin, list(_nested(prompt)), found)


def _nested(prompt: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Path, str | None]]:
    """The messages of a tree in the order of the document, with their place and the message around them."""
    pending: list[tuple[Any, Path, str | None]] = [(prompt, ("prompt",), None)]
    while pending:
        record, path, holder = pending.pop()
        if not isinstance(record, dict):
            continue
        yield record, path, holder
        replies = list(enumerate(as_list(record.get("replies"))))
        inner = as_text(record.get("message_id")) or "/".join(map(str, path))
        pending += [(reply, (*path, "replies", index), inner) for index, reply in reversed(replies)]


def _flat(name: str, lines: list[Line], file: SourceFile) -> ImportedConversation:
    rows: list[tuple[dict[str, Any], Path, str | None]] = [
        (line.value, (number,), None) for number, line in enumerate(lines)
    ]
    document = b"\n".join(line.data for line in lines)
    origin = Origin(
        format="oasst", id=name or None, version="messages", name=file.name, document=document, lines=True
    )
    return _finished(origin, rows, [])


def _finished(
    origin: Origin, rows: list[tuple[dict[str, Any], Path, str | None]], found: list[Diagnostic]
) -> ImportedConversation:
    taken: dict[str, Any] = {}
    ranks: dict[str, int] = {}
    messages: list[Message] = []
    for record, path, holder in rows:
        made = id_of(record, "message_id", "/".join(map(str, path)), found)
        bare = {key: value for key, value in record.items() if key != "replies"}
        name = claim_id(taken, made, bare, found)
        if name is None:
            continue
        rank = record.get("rank")
        hidden = record.get("deleted") is True
        ranks[name] = (rank if isinstance(rank, int) else _UNRANKED) + (_UNRANKED if hidden else 0)
        messages.append(
            _message(name, holder or as_text(record.get("parent_id")) or None, record, path, found)
        )
    messages = settle(messages, found)
    best = _best(messages, ranks)
    messages = [
        msgspec.structs.replace(message, active_child_id=MessageId(best[message.id]))
        if message.id in best
        else message
        for message in messages
    ]
    return assemble(origin, messages, found, pointer=_leaf(best))


def _best(messages: list[Message], ranks: dict[str, int]) -> dict[str | None, str]:
    """Of each message (and of None, the roots) the best ranked child."""
    children = fold(messages).children
    return {parent: min(listed, key=lambda child: ranks[child]) for parent, listed in children.items()}


def _leaf(best: dict[str | None, str]) -> str | None:
    place = best.get(None)
    while place in best:
        place = best[place]
    return place


def _message(
    name: str, parent: str | None, record: dict[str, Any], path: Path, found: list[Diagnostic]
) -> Message:
    model = as_text(record.get("model_name"))
    return make_message(
        role_from(record.get("role"), name, found),
        name,
        text_parts(record.get("text")),
        parent_id=parent,
        created_at=time_of(record.get("created_date"), "iso", name, found),
        hidden=record.get("deleted") is True,
        metadata=source_note(path),
        model=model or None,
    )
