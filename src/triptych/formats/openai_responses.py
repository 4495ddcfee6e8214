"""Lists of OpenAI Responses items: a request's ``input``, a response's ``output``, sessions of the Agents SDK.

Rows of the Agents SDK's database (``message_data`` as JSON text) may carry branches, which copy the prefix they
share: equal beginnings are read once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triptych.formats.assemble import Origin, assemble
from triptych.formats.conversation import ImportedConversation
from triptych.formats.jsontext import parse_json
from triptych.formats.lists import MessageList, read_lists
from triptych.formats.making import as_list, as_text, make_message, source_note, text_parts
from triptych.formats.problems import problem
from triptych.formats.responses_items import ITEM_TYPES, ItemTurns
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import OPENAI_RESPONSES
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message

__all__ = ["matches", "read"]

_KEYS = ("input", "items", "output", "messages", "history")
_PARTS = frozenset({"input_text", "output_text", "input_image", "input_file"})
_ROW = "message_data"


def matches(sample: Sample) -> bool:
    """Items of a type that only this wire has, or message content of its own types."""
    rows = sample.objects or [
        item for key in _KEYS for item in as_list(sample.object.get(key)) if isinstance(item, dict)
    ]
    held = [item for row in rows for key in _KEYS for item in as_list(row.get(key)) if isinstance(item, dict)]
    return any(_is_item(row) or isinstance(row.get(_ROW), str) for row in (*rows, *held))


def _is_item(row: dict[str, Any]) -> bool:
    if as_text(row.get("type")) in ITEM_TYPES and "payload" not in row:
        return True
    content = as_list(row.get("content")) if "role" in row else []
    return any(isinstance(part, dict) and as_text(part.get("type")) in _PARTS for part in content)


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file."""
    for item in read_lists(file, _KEYS):
        yield from _conversations(item, file) if isinstance(item, MessageList) else [item]


def _conversations(listed: MessageList, file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    found = list(listed.found)
    turns = _Branches(found)
    turns.instruct(listed)
    for index, record in enumerate(listed.records):
        path = listed.path(index)
        item = _opened(record)
        if item is None:
            found.append(problem("W_RECORD_SKIPPED", f"items[{index}]"))
        elif item.get("type") == "item_reference":
            turns.refer(item)
        else:
            found.extend(odd_fields(item, OPENAI_RESPONSES, *path))
            turns.take(item, record, path)
    if listed.base == ("input",):
        for index, item in enumerate(as_list(listed.holder.get("output"))):
            if isinstance(item, dict):
                turns.take(item, item, ("output", index))
    if not turns.messages():
        yield problem("W_CONVERSATION_SKIPPED", f"{file.name}[{listed.index}]")
        return
    model = as_text(listed.holder.get("model"))
    origin = Origin(
        format="openai_responses",
        id=turns.session or as_text(listed.holder.get("id")) or None,
        name=file.name,
        document=listed.document,
        lines=listed.lines,
        model=f"openai:{model}" if model else None,
    )
    yield assemble(origin, turns.messages(), found, fallback="last")


def _opened(record: Any) -> dict[str, Any] | None:
    """The item of a record: itself, or the JSON text that a database row holds."""
    if not isinstance(record, dict):
        return None
    if not isinstance(record.get(_ROW), str):
        return record
    value, _ = parse_json(record[_ROW].encode("utf-8", "replace"))
    return value if isinstance(value, dict) else None


class _Branches:
    """The items of one list, with rows of several branches kept apart where they differ."""

    def __init__(self, found: list[Diagnostic]) -> None:
        self.found = found
        self.session = ""
        self._branches: dict[str, ItemTurns] = {}
        self._seen: set[str] = set()

    def instruct(self, listed: MessageList) -> None:
        """Instructions that stand outside the list."""
        text = listed.holder.get("instructions")
        if isinstance(text, str) and text:
            turns = self._turns({})
            turns.messages.append(
                make_message(
                    "system", "instructions", text_parts(text), metadata=source_note(("instructions",))
                )
            )

    def take(self, item: dict[str, Any], record: dict[str, Any], path: Any) -> None:
        """Add an item to its branch."""
        self._seen.update(filter(None, (as_text(item.get("id")),)))
        self.session = self.session or as_text(record.get("session_id"))
        self._turns(record).take(item, path)

    def refer(self, item: dict[str, Any]) -> None:
        """A reference to an item that stands elsewhere; nothing to show when it is here."""
        name = as_text(item.get("id"))
        if name not in self._seen:
            self.found.append(problem("W_UNRESOLVED_REFERENCE", name))

    def _turns(self, record: dict[str, Any]) -> ItemTurns:
        branch = as_text(record.get("branch_id"))
        return self._branches.setdefault(branch, ItemTurns(self.found))

    def messages(self) -> list[Message]:
        """All messages; ids are made from content and parents, so equal beginnings are the same messages."""
        unique = {message.id: message for turns in self._branches.values() for message in turns.messages}
        return list(unique.values())
