"""What every reader yields and every writer takes: a conversation, its tree, and the bytes it came from.

The source is kept whole and once. ``document`` is the exact bytes of the smallest piece of the file that holds
the conversation (one element of an export's list, all lines of a JSONL file, the whole text of a note).
Each message says under ``metadata["source"]`` at which ``paths`` of that document its records stand, so a writer
puts untouched records back as they were, and nothing that no part could hold is lost. A store keeps the document
as a blob under the digest that ``conversation.metadata["source"]["document"]`` names.

A path is a list of keys and indexes: into the JSON value of the document, or, for documents of lines, first the
number of the line (from 0, counted at line feeds).

Not here: reading (a module a format), choosing the format (``sniff``) and the table of formats (``registry``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.foreign import read_json
from triptych.model.ids import BlobDigest
from triptych.model.messages import Message

__all__ = [
    "ImportedConversation",
    "Path",
    "Source",
    "native_conversation",
    "raw_records",
    "record_paths",
    "value_at",
]

Path = tuple[str | int, ...]
"""Keys and indexes from the root of a document to a record; the empty path is the document itself."""


class Source(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """Where a conversation came from.

    Attributes:
        format: a name of ``registry``; the empty text for a conversation born here.
        id: the conversation's id as the source spells it, or None when it has none.
        document: the digest of the document's bytes.
        version: the variant of the format, as its reader tells them apart.
        name: the file it was read from, without folders.
        lines: the document is lines of JSON, not one JSON value.
    """

    format: str
    id: str | None = None
    document: BlobDigest | None = None
    version: str | None = None
    name: str | None = None
    lines: bool = False


class ImportedConversation(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation with its whole tree.

    Attributes:
        messages: all of them, in the order of the source; the tree is in ``parent_id``, and among siblings the
            order is the order here.
        document: the exact bytes that it was read from; empty for a conversation born here.
        diagnostics: what is odd, repaired or missing, with message ids in ``where``.
    """

    conversation: Conversation
    messages: tuple[Message, ...]
    source: Source
    document: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()


def native_conversation(conversation: Conversation, messages: Iterable[Message]) -> ImportedConversation:
    """A conversation born here, as writers take it."""
    return ImportedConversation(conversation=conversation, messages=tuple(messages), source=Source(format=""))


def record_paths(message: Message) -> tuple[Path, ...]:
    """Where the records of a message stand in its document; none for a message born here."""
    source = (message.metadata or {}).get("source")
    paths = source.get("paths") if isinstance(source, dict) else None
    return tuple(tuple(path) for path in paths) if isinstance(paths, list) else ()


def raw_records(imported: ImportedConversation, message: Message) -> tuple[Any, ...]:
    """The source records of one message, as JSON values (parses the document: not for loops over many)."""
    if not imported.source.lines:
        document = read_json(imported.document)[0]
        return tuple(value_at(document, path) for path in record_paths(message))
    lines = imported.document.split(b"\n")
    return tuple(
        value_at(read_json(lines[path[0]])[0], path[1:])
        for path in record_paths(message)
        if path and isinstance(path[0], int) and path[0] < len(lines)
    )


def value_at(value: Any, path: Path) -> Any:
    """The value at a path, or None where there is none."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value
