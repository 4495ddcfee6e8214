"""LobeHub (LobeChat) in its three files: a topic, a dump of the tables, and the old export of sessions.

Rows are grouped by topic, or by session where they have none. A parent that was deleted is replaced by the row
before in time, and rows without any parents are a line in time, as the program shows them. Rows of a side thread
stay a branch and are never the shown one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from triptych.formats.assemble import Origin, assemble, settle
from triptych.formats.conversation import ImportedConversation, Path
from triptych.formats.folding import Folded, fold
from triptych.formats.lobehub_parts import make_row
from triptych.formats.making import as_dict, as_list, as_text, id_of, time_of
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import LOBEHUB
from triptych.formats.streaming import read_document
from triptych.formats.tree import claim_id
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import Message, SystemMessage

__all__ = ["matches", "read"]

_SYSTEM = "system-role"


def matches(sample: Sample) -> bool:
    """One of the three files, by its own keys."""
    value = sample.object
    return (
        ("exportType" in value and "state" in value)
        or ("schemaHash" in value and "data" in value)
        or (value.get("version") == "2.0" and "messages" in value)
    )


class _Tables(msgspec.Struct, frozen=True, kw_only=True):
    """The tables that matter, by name, and where the rows of the messages stand."""

    version: str
    base: Path
    messages: list[Any]
    topics: dict[str, dict[str, Any]]
    sessions: dict[str, dict[str, Any]]
    plugins: dict[str, dict[str, Any]]


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every topic of the file; rows without one by session."""
    value, data, found = read_document(file)
    tables = _tables(as_dict(value))
    groups = _groups(tables, found)
    yield from found
    for key, rows in groups.items():
        yield _conversation(key, rows, tables, as_dict(value), (file.name, data))
    for key, topic in tables.topics.items():
        if key not in groups:
            yield problem("W_CONVERSATION_SKIPPED", key, title=topic.get("title"))
    if not groups and not tables.topics:
        yield problem("W_CONVERSATION_SKIPPED", file.name)


def _tables(value: dict[str, Any]) -> _Tables:
    if "exportType" in value:
        return _tables_in(as_dict(value.get("state")), "sessions", ("state", "messages"))
    if "schemaHash" in value:
        return _tables_in(as_dict(value.get("data")), "tables", ("data", "messages"))
    return _tables_in({"messages": value.get("messages")}, "topic", ("messages",))


def _tables_in(holder: dict[str, Any], version: str, base: Path) -> _Tables:
    return _Tables(
        version=version,
        base=base,
        messages=as_list(holder.get("messages")),
        topics=_by_id(holder.get("topics")),
        sessions=_by_id(holder.get("sessions")),
        plugins=_by_id(holder.get("messagePlugins")),
    )


def _by_id(rows: Any) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in as_list(rows) if isinstance(row, dict) and as_text(row.get("id"))}


Rows = list[tuple[int, str, dict[str, Any]]]
"""Number in the table, id, row."""


def _groups(tables: _Tables, found: list[Diagnostic]) -> dict[str | None, Rows]:
    """The rows of each conversation, by topic id, session id, or None (a single topic's file)."""
    groups: dict[str | None, Rows] = {}
    taken: dict[str, Any] = {}
    for index, row in enumerate(tables.messages):
        if not isinstance(row, dict):
            found.append(problem("W_RECORD_SKIPPED", f"messages[{index}]"))
            continue
        name = claim_id(taken, id_of(row, "id", f"message-{index}", found), row, found)
        if name is None:
            continue
        key = as_text(row.get("topicId")) or as_text(row.get("sessionId")) or None
        groups.setdefault(None if tables.version == "topic" else key, []).append((index, name, row))
    return groups


def _conversation(
    key: str | None, rows: Rows, tables: _Tables, value: dict[str, Any], source: tuple[str, bytes]
) -> ImportedConversation:
    found: list[Diagnostic] = []
    for index, _, row in rows:
        found.extend(odd_fields(row, LOBEHUB, *tables.base, index))
    messages = [
        make_row(name, row, (*tables.base, index), tables.plugins.get(name, {}), found)
        for index, name, row in rows
    ]
    messages = settle(_with_parents(messages, found), found)
    threads = {message.thread_id for message in messages if message.thread_id}
    if threads:
        found.append(problem("W_THREAD_BRANCH", key, threads=sorted(threads)))
    wanted = {name: as_dict(row.get("metadata")).get("activeBranchIndex") for _, name, row in rows}
    folded = fold(messages)
    aside: set[str] = {message.id for message in messages if message.thread_id}
    messages = [_with_choice(message, wanted.get(message.id), folded, aside) for message in messages]
    topic = tables.topics.get(key or "", {})
    session = tables.sessions.get(as_text(topic.get("sessionId")) or key or "", {})
    origin = Origin(
        format="lobehub",
        id=key,
        version=tables.version,
        name=source[0],
        document=source[1],
        title=as_text(topic.get("title")) or as_text(value.get("title")) or _session_title(session),
        created_at=time_of(topic.get("createdAt"), "any", key or "", found),
        updated_at=time_of(topic.get("updatedAt"), "any", key or "", found),
        favorite=topic.get("favorite") in (True, 1),
        metadata={"project": session["id"]} if session else None,
    )
    return assemble(origin, messages, found, pointer=_leaf(folded, wanted, aside))


def _session_title(session: dict[str, Any]) -> str:
    return as_text(session.get("title")) or as_text(as_dict(session.get("meta")).get("title"))


def _with_parents(messages: list[Message], found: list[Diagnostic]) -> list[Message]:
    """Parents for rows that have none or a deleted one: the row before in time."""
    known = {message.id for message in messages}
    in_time = sorted(messages, key=lambda message: message.created_at)
    before = {one.id: before.id for before, one in itertools.pairwise(in_time) if not one.thread_id}
    if not any(message.parent_id for message in messages):
        return [msgspec.structs.replace(message, parent_id=before.get(message.id)) for message in in_time]
    system = next((one.id for one in messages if isinstance(one, SystemMessage) and one.id == _SYSTEM), None)
    mended: list[Message] = []
    for message in messages:
        parent: str | None = message.parent_id
        if parent is None and message.id != system:
            parent = system
        elif parent is not None and parent not in known:
            found.append(problem("W_PARENT_MISSING", message.id, parent=parent))
            parent = before.get(message.id)
        mended.append(
            message if parent == message.parent_id else msgspec.structs.replace(message, parent_id=parent)
        )
    return mended


def _with_choice(message: Message, wanted: Any, folded: Folded, aside: set[str]) -> Message:
    """The message with its chosen child, where the file says one that exists."""
    children = [child for child in folded.children.get(message.id, []) if child not in aside]
    if not _names_one(wanted, children):
        return message
    return msgspec.structs.replace(message, active_child_id=MessageId(children[wanted]))


def _names_one(wanted: Any, children: list[str]) -> bool:
    return isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(children)


def _leaf(folded: Folded, wanted: Mapping[str, Any], aside: set[str]) -> str | None:
    """The shown leaf: the named child, else one with descendants, else the first; side threads never."""
    place: str | None = None
    while children := [child for child in folded.children.get(place, []) if child not in aside]:
        index = wanted.get(place) if place is not None else None
        if _names_one(index, children):
            place = children[index]  # pyright: ignore[reportArgumentType, reportCallIssue]
        else:
            place = next((child for child in children if folded.children.get(child)), children[0])
    return place
