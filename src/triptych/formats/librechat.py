"""LibreChat exports: one conversation a file, flat (``messages``) or nested (``messagesTree`` with ``children``).

Roots name a sentinel as their parent. The program shows the last sibling and does not export a choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triptych.formats.assemble import Origin, assemble, settle
from triptych.formats.conversation import ImportedConversation, Path
from triptych.formats.librechat_parts import message_parts
from triptych.formats.making import as_dict, as_list, as_text, id_of, make_message, source_note, time_of
from triptych.formats.problems import problem
from triptych.formats.shapes import ANY, odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import LIBRECHAT
from triptych.formats.streaming import Entry, stream_entries
from triptych.formats.tree import claim_id
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, Role
from triptych.model.status import COMPLETE, Incomplete, Status

__all__ = ["matches", "read"]

_SENTINEL = "00000000-0000-0000-0000-000000000000"
_LISTS = ("messagesTree", "messages")


def matches(sample: Sample) -> bool:
    """An object with a conversation id and messages."""
    return any(
        "conversationId" in entry and any(isinstance(entry.get(key), list) for key in _LISTS)
        for entry in (sample.object, *sample.objects)
    )


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The conversation of the file, or every one of a list."""
    for entry in stream_entries(file):
        yield _conversation(entry, file) if isinstance(entry, Entry) else entry


def _conversation(entry: Entry, file: SourceFile) -> ImportedConversation | Diagnostic:
    value, found = entry.value, list(entry.found)
    name = as_text(value.get("conversationId"))
    key = next((key for key in _LISTS if isinstance(value.get(key), list)), "messages")
    found.extend(odd_fields(value.get(key), [(LIBRECHAT, ANY)], key))
    messages = settle(list(_messages(as_list(value.get(key)), key, found)), found)
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", name or file.name)
    options = as_dict(value.get("options"))
    model = as_text(options.get("model"))
    provider = as_text(value.get("endpoint")) or "librechat"
    origin = Origin(
        format="librechat",
        id=name or None,
        version="recursive" if key == "messagesTree" else "flat",
        name=file.name,
        document=entry.data,
        title=as_text(value.get("title")),
        model=f"{provider}:{model}" if model else None,
    )
    return assemble(origin, messages, found, fallback="lastChild")


def _messages(records: list[Any], key: str, found: list[Diagnostic]) -> Iterator[Message]:
    """The messages in the order of the document; nested ones follow their parent."""
    taken: dict[str, Any] = {}
    pending: list[tuple[Any, Path, str | None]] = [
        (record, (key, index), None) for index, record in reversed(list(enumerate(records)))
    ]
    while pending:
        record, path, holder = pending.pop()
        if not isinstance(record, dict):
            found.append(problem("W_RECORD_SKIPPED", "/".join(map(str, path))))
            continue
        made = id_of(record, "messageId", "message-" + "-".join(map(str, path[1::2])), found)
        bare = {field: item for field, item in record.items() if field != "children"}
        name = claim_id(taken, made, bare, found)
        inner = as_list(record.get("children"))
        if name is not None:
            yield _message(name, _parent(record, holder), record, path, found)
        below = name or made
        pending += [
            (child, (*path, "children", index), below) for index, child in reversed(list(enumerate(inner)))
        ]


def _parent(record: dict[str, Any], holder: str | None) -> str | None:
    """The message around it, else the one it names."""
    if holder is not None:
        return holder
    parent = record.get("parentMessageId")
    return parent if isinstance(parent, str) and parent not in (_SENTINEL, "") else None


def _message(
    name: str, parent: str | None, record: dict[str, Any], path: Path, found: list[Diagnostic]
) -> Message:
    return make_message(
        _role(record, name, found),
        name,
        message_parts(record, name, found),
        parent_id=parent,
        created_at=time_of(record.get("createdAt"), "iso", name, found),
        updated_at=time_of(record.get("updatedAt"), "iso", name, found),
        metadata=source_note(path),
        model=as_text(record.get("model")) or None,
        provider=as_text(record.get("endpoint")) or None,
        status=_status(record),
    )


def _role(record: dict[str, Any], name: str, found: list[Diagnostic]) -> Role:
    said = record.get("isCreatedByUser")
    if isinstance(said, bool):
        return "user" if said else "assistant"
    found.append(problem("W_MISSING_FIELD", name, fields=["isCreatedByUser"]))
    return "user" if as_text(record.get("sender")).lower() == "user" else "assistant"


def _status(record: dict[str, Any]) -> Status:
    if record.get("error") is True:
        return Incomplete(reason="error")
    if record.get("unfinished") is True:
        return Incomplete(reason="stopped")
    return Incomplete(reason="length") if record.get("finish_reason") == "length" else COMPLETE
