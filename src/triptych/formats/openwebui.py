"""Open WebUI exports: a list of chats, each a map of messages with links in both directions and a pointer.

Damaged records are common (a reply without id, role or parent; a pointer to a deleted message; a second root) and
are read with what they have: the role is guessed from the fields, the parent from who names it as a child.

Not here: the reasoning and tool calls inside texts and ``output`` (``openwebui_parts``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from triptych.formats.assemble import Origin, assemble, settle
from triptych.formats.conversation import ImportedConversation, Path
from triptych.formats.jsontext import parse_json
from triptych.formats.making import (
    ROLES,
    as_dict,
    as_list,
    as_text,
    make_message,
    role_from,
    source_note,
    time_of,
)
from triptych.formats.openai_content import read_usage
from triptych.formats.openwebui_parts import message_parts
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import OPENWEBUI
from triptych.formats.sqlite import read_tables
from triptych.formats.streaming import Entry, stream_entries
from triptych.formats.tree import check_children, order_siblings
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, Role
from triptych.model.status import COMPLETE, Incomplete

__all__ = ["matches", "read"]

_LISTS = frozenset({"chats", "data"})
_FIELDS = ("id", "role", "parentId", "childrenIds", "timestamp")
_REPLY_FIELDS = (
    "done",
    "output",
    "statusHistory",
    "followUps",
    "model",
    "modelName",
    "usage",
    "error",
    "sources",
)


def matches(sample: Sample) -> bool:
    """Chats with a history of messages, wrapped or bare, or the program's database."""
    if sample.kind == "sqlite":
        return {"chat", "user"} <= sample.tables
    return any(_history(entry) is not None for entry in (sample.object, *sample.objects))


def _history(entry: dict[str, Any]) -> dict[str, Any] | None:
    """The object that holds the messages: ``chat`` or, in old exports, the entry itself."""
    chat = entry.get("chat")
    if isinstance(chat, dict) and ("history" in chat or isinstance(chat.get("messages"), list)):
        return chat
    bare = as_dict(entry.get("history"))
    return entry if isinstance(bare.get("messages"), dict) else None


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every chat of the file, as it is reached."""
    if file.head(16).startswith(b"SQLite format 3"):
        yield from _database(file)
        return
    for entry in stream_entries(file, _LISTS):
        yield _conversation(entry, file) if isinstance(entry, Entry) else entry


def _database(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The chats of the program's database, each as the entry that its export would have."""
    for index, row in enumerate(read_tables(file.read(), ["chat"]).get("chat", [])):
        chat, found = parse_json(as_text(row.get("chat")).encode("utf-8", "replace"))
        value = {**row, "chat": chat}
        yield _conversation(Entry(value, json.dumps(value).encode(), index, found), file)


def _conversation(entry: Entry, file: SourceFile) -> ImportedConversation | Diagnostic:
    value, found = entry.value, list(entry.found)
    chat = _history(value)
    name = as_text(value.get("id")) or as_text(as_dict(chat).get("id"))
    where = name or f"{file.name}[{entry.index}]"
    if chat is None:
        return problem("W_CONVERSATION_SKIPPED", where)
    base: Path = ("chat",) if chat is not value else ()
    history = as_dict(chat.get("history"))
    records = history.get("messages")
    if isinstance(records, dict) and records:
        messages = _tree(records, (*base, "history", "messages"), found)
    else:
        messages = _line(as_list(chat.get("messages")), (*base, "messages"), found)
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", where)
    models = [model for model in as_list(chat.get("models")) if isinstance(model, str)]
    origin = Origin(
        format="openwebui",
        id=name or None,
        version="chat" if base else "legacy",
        name=file.name,
        document=entry.data,
        title=as_text(value.get("title")) or as_text(chat.get("title")),
        created_at=time_of(value.get("created_at", chat.get("timestamp")), "any", where, found),
        updated_at=time_of(value.get("updated_at"), "any", where, found),
        model=f"openwebui:{models[0]}" if models else None,
        favorite=value.get("pinned") is True,
        metadata=_hints(value),
    )
    pointer = history.get("currentId")
    return assemble(
        origin, messages, found, pointer=pointer if isinstance(pointer, str) and pointer else None
    )


def _hints(value: dict[str, Any]) -> dict[str, Any]:
    hints = {
        "project": value.get("folder_id"),
        "archived": value.get("archived") or None,
        "tags": as_list(as_dict(value.get("meta")).get("tags")) or None,
    }
    return {key: hint for key, hint in hints.items() if hint is not None}


def _tree(records: dict[str, Any], base: Path, found: list[Diagnostic]) -> list[Message]:
    known = {key: record for key, record in records.items() if isinstance(record, dict)}
    found.extend(problem("W_RECORD_SKIPPED", key) for key in records.keys() - known.keys())
    children = {key: as_list(record.get("childrenIds")) for key, record in known.items()}
    parents = _parents(known, children, found)
    messages = [_message(key, parents[key], record, (*base, key), found) for key, record in known.items()]
    roots = [key for key in known if parents[key] is None]
    if len(roots) > 1:
        found.append(problem("W_MULTI_ROOT", roots[1], roots=len(roots)))
    by_id: dict[str, Message] = {message.id: message for message in settle(messages, found)}
    return [by_id[key] for key in order_siblings(list(by_id), children)]


def _parents(
    records: dict[str, dict[str, Any]], children: dict[str, list[Any]], found: list[Diagnostic]
) -> dict[str, str | None]:
    """What the records say; where one says nothing, who names it as a child, else the record before it."""
    parents = {
        key: record["parentId"] if isinstance(record.get("parentId"), str) else None
        for key, record in records.items()
    }
    named = check_children(parents, children, found)
    previous: str | None = None
    for key, record in records.items():
        if "parentId" not in record and (key in named or previous is not None):
            parents[key] = named.get(key, previous)
            found.append(problem("W_PARENT_INFERRED", key, parent=parents[key]))
        previous = key
    return parents


def _line(records: list[Any], base: Path, found: list[Diagnostic]) -> list[Message]:
    """A chat that has only the linear copy."""
    messages: list[Message] = []
    for index, record in enumerate(records):
        if not isinstance(record, dict):
            found.append(problem("W_RECORD_SKIPPED", f"messages[{index}]"))
            continue
        parent = messages[-1].id if messages else None
        name = as_text(record.get("id")) or f"message-{index}"
        if any(message.id == name for message in messages):
            name = f"{name}~{index}"
        messages.append(_message(name, parent, record, (*base, index), found))
    return messages


def _message(
    name: str, parent: str | None, record: dict[str, Any], path: Path, found: list[Diagnostic]
) -> Message:
    found.extend(odd_fields(record, OPENWEBUI, *path))
    missing = [field for field in _FIELDS if field not in record]
    if missing and isinstance(path[-1], str):
        found.append(problem("W_MISSING_FIELD", name, fields=missing))
    role = _role(record, name, found)
    return make_message(
        role,
        name,
        message_parts(record, role, name, found),
        parent_id=parent,
        created_at=time_of(record.get("timestamp"), "s", name, found),
        metadata=source_note(path),
        model=as_text(record.get("model")) or None,
        provider="openwebui",
        usage=read_usage(record.get("usage")),
        status=Incomplete(reason="interrupted") if record.get("done") is False else COMPLETE,
    )


def _role(record: dict[str, Any], name: str, found: list[Diagnostic]) -> Role:
    """The role; without one, a record with any of a reply's fields is a reply."""
    said = record.get("role")
    if isinstance(said, str) and said:
        return role_from(said, name, found) if said not in ROLES else ROLES[said]
    if any(field in record for field in _REPLY_FIELDS):
        return "assistant"
    return "user" if "models" in record or "files" in record or "content" in record else "assistant"
