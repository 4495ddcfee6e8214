"""Our Markdown as a conversation: exactly the one that was written, with what a hand has changed since.

A message keeps its id whatever happened to its words; ``edits`` says what a hand has changed. A message without a
record was written by hand: it follows the one before it, and its id is made from what it says.
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.formats.conversation import ImportedConversation, Source
from triptych.formats.front_matter import read_keys
from triptych.formats.notebook.scan import Section, Sheet, scan
from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.digest import digest_bytes, digest_text
from triptych.model.foreign import clean_json, clean_text, read_json
from triptych.model.ids import ConversationId, MessageId
from triptych.model.messages import Message
from triptych.model.tolerant import parse_message

__all__ = ["FORMAT", "Page", "decode_page", "hand_id", "parse_page", "read_page"]

FORMAT = "notebook"
VERSION = "1"


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A file, read.

    Attributes:
        sheet: the file in its parts.
        keys: the front matter, other people's keys too.
        conversation: the record as it was written, with the title that the front matter has now.
        written: the record as it was written.
        messages: in the order in which they were written; those of a hand after them.
        sections: the section of each message.
    """

    sheet: Sheet
    keys: dict[str, Any]
    conversation: Conversation
    written: Conversation
    messages: tuple[Message, ...]
    sections: tuple[Section, ...]
    diagnostics: tuple[Diagnostic, ...]


def decode_page(data: bytes) -> str:
    """Bytes as text; what is no UTF-8 becomes the replacement character."""
    return data.decode("utf-8", "replace")


def read_page(data: bytes, *, name: str = "") -> ImportedConversation:
    """Any bytes as a conversation; of a file that is not ours, what its headings tell."""
    page = parse_page(decode_page(data))
    return ImportedConversation(
        conversation=page.conversation,
        messages=page.messages,
        source=Source(
            format=FORMAT,
            id=page.conversation.id,
            document=digest_bytes(data),
            version=str(page.keys.get("triptych", "")) or None,
            name=name or None,
        ),
        document=data,
        diagnostics=page.diagnostics,
    )


def parse_page(text: str) -> Page:
    """The text of a file, read; total."""
    sheet = scan(clean_text(text))
    keys, found = read_keys(sheet.front) if sheet.front else ({}, ())
    problems = [*sheet.diagnostics, *found]
    listed = _messages(sheet, problems)
    messages = tuple(message for message, _ in listed)
    written = _record(keys, sheet, messages, problems)
    title = keys.get("title")
    shown = written if title is None else msgspec.structs.replace(written, title=clean_text(str(title)))
    return Page(
        sheet=sheet,
        keys=keys,
        conversation=shown,
        written=written,
        messages=messages,
        sections=tuple(section for _, section in listed),
        diagnostics=tuple(problems),
    )


def _record(
    keys: dict[str, Any], sheet: Sheet, messages: tuple[Message, ...], problems: list[Diagnostic]
) -> Conversation:
    record = keys.get("record")
    value, found = read_json(record) if isinstance(record, str) else (None, ())
    problems.extend(found)
    try:
        return msgspec.convert(value, Conversation)
    except (msgspec.ValidationError, RecursionError):
        problems.append(_problem("no_record", "The file has no record of its conversation; one was made."))
    named = keys.get("conversation")
    first = messages[0].id if messages else sheet.preamble
    made = str(named) if named else f"notebook-{_short(first)}"
    return Conversation(id=ConversationId(made), head_id=messages[-1].id if messages else None)


def _messages(sheet: Sheet, problems: list[Diagnostic]) -> list[tuple[Message, Section]]:
    """Every section as a message, in the order in which they were written."""
    listed: list[tuple[int, Message, Section]] = []
    before: MessageId | None = None
    for index, section in enumerate(sheet.sections):
        value, cleaned = clean_json(_value(section, before))
        message, found = parse_message(value, where=f"message {index}")
        problems.extend(one for one in (*cleaned, *found) if one.severity != "info")
        before = before if section.role == "tool" else message.id
        listed.append((_place(section, len(sheet.sections)), message, section))
    listed.sort(key=lambda item: item[0])
    return [(message, section) for _, message, section in listed]


def _place(section: Section, last: int) -> int:
    place = section.note.get("n")
    return place if isinstance(place, int) and not isinstance(place, bool) else (1 << 53) + last


def _value(section: Section, before: MessageId | None) -> dict[str, Any]:
    """The JSON of a message. Without a record it hangs below the message above it."""
    value = {"role": section.role} | section.record
    if section.parts or "parts" not in value:
        value["parts"] = list(section.parts)
    if "id" not in value:
        value["id"] = hand_id(before, section.role, section.parts)
        value.setdefault("parentId", before)
    return value


def hand_id(parent: str | None, role: str, parts: Any) -> MessageId:
    """The id of what a hand wrote: the same words in the same place have the same id."""
    return MessageId(f"hand-{_short(f'{parent}|{role}|{msgspec.json.encode(parts).decode()}')}")


def _short(text: str) -> str:
    return digest_text(text).removeprefix("b2:")[:20]


def _problem(code: str, message: str) -> Diagnostic:
    return Diagnostic(code=code, message=message)
