"""A Copilot note as a conversation: one line of messages, each with the piece of the file that it came from.

Ids are made from content, each from the one before it: the same file read twice gives the same ids, a longer
file only new ones, and a changed message a branch. Nothing is dropped: text before the first header, unknown keys
and marks stay in the document.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import tzinfo
from typing import Any

import msgspec

from triptych.formats.conversation import ImportedConversation, Source
from triptych.formats.copilot_md import pieces as p
from triptych.formats.copilot_md.context import parse_context
from triptych.formats.copilot_md.marks import answer_parts
from triptych.formats.copilot_md.names import parse_name
from triptych.formats.copilot_md.times import UNKNOWN_TIME, parse_time, zone_between
from triptych.formats.front_matter import read_keys
from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.digest import digest_bytes, digest_text
from triptych.model.foreign import clean_text
from triptych.model.ids import ConversationId, MessageId
from triptych.model.messages import AssistantMessage, Message, UserMessage
from triptych.model.parts import ReferencePart, TextPart, UserPart

__all__ = [
    "FORMAT",
    "Reading",
    "decode_note",
    "milliseconds_of",
    "model_of_key",
    "parse_piece",
    "read_note",
    "zone_of",
]

FORMAT = "copilot_md"


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What does not stand in the file: its name, the reader's zone (None: this machine's), the vault's notes."""

    name: str = ""
    zone: tzinfo | None = None
    notes: Collection[str] = ()


def decode_note(data: bytes) -> str:
    """Bytes as text, so that encoding it again gives the bytes: what is no UTF-8 becomes lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def read_note(
    data: bytes, *, name: str = "", zone: tzinfo | None = None, notes: Collection[str] = ()
) -> ImportedConversation:
    """Any bytes as a conversation, which has no messages when the bytes hold no header."""
    note = p.cut(decode_note(data))
    keys, found = read_keys(note.front) if note.front else ({}, ())
    epoch = milliseconds_of(keys.get("epoch"))
    reading = Reading(name=name, zone=zone_of(note, epoch) or zone, notes=notes)
    source = Source(format=FORMAT, document=digest_bytes(data), version=_version(keys), name=name or None)
    conversation = _conversation(note, keys, reading, source)
    messages, problems = _messages(note, conversation.id, epoch, reading)
    conversation = msgspec.structs.replace(
        conversation,
        head_id=messages[-1].id if messages else None,
        created_at=epoch or (messages[0].created_at if messages else 0),
        updated_at=max((message.created_at for message in messages), default=epoch or 0),
    )
    return ImportedConversation(
        conversation=conversation,
        messages=tuple(messages),
        source=source,
        document=data,
        diagnostics=(*found, *_file_problems(note, keys), *problems),
    )


def _conversation(note: p.Pieces, keys: dict[str, Any], reading: Reading, source: Source) -> Conversation:
    first = note.pieces[0].raw.strip() if note.pieces else note.preamble
    named = parse_name(reading.name) if reading.name else None
    owner = keys.get("projectId") or (named.project if named else None)
    topic = keys.get("topic")
    shown = {key: value for key, value in keys.items() if key != "topic"}
    identity = f"{keys.get('epoch')}|{keys.get('sessionId')}|{first}"
    return Conversation(
        id=ConversationId(f"copilot-{_short(identity)}"),
        title=str(topic) if topic is not None else (named.title if named else ""),
        model=model_of_key(keys.get("modelKey")),
        metadata={"source": msgspec.to_builtins(source), "frontMatter": shown}
        | ({"project": str(owner)} if owner else {}),
    )


def _short(text: str) -> str:
    return digest_text(text).removeprefix("b2:")[:20]


def _version(keys: dict[str, Any]) -> str | None:
    return "agent" if keys.get("mode") == "agent" else None


def model_of_key(key: Any) -> str | None:
    """``name|provider`` as our ``provider:name``."""
    if not isinstance(key, str) or not key:
        return None
    name, bar, provider = key.rpartition("|")
    return f"{provider}:{name}" if bar else key


def milliseconds_of(value: Any) -> int | None:
    """A front matter epoch as a number; None when it is none."""
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value.strip()[:18])
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1 << 53
    return int(value) if usable else None


def zone_of(note: p.Pieces, epoch: int | None) -> tzinfo | None:
    """The writer's zone, told by the epoch and the first time line together; None when they do not tell."""
    stamp = p.lines_of(p.piece_body(note.pieces[0]))[2] if note.pieces else None
    return zone_between(stamp, epoch) if stamp and epoch else None


def _messages(
    note: p.Pieces, conversation: ConversationId, epoch: int | None, reading: Reading
) -> tuple[list[Message], list[Diagnostic]]:
    messages: list[Message] = []
    found: list[Diagnostic] = []
    parent: MessageId | None = None
    for index, piece in enumerate(note.pieces):
        made = MessageId(f"{conversation}-{_short(f'{parent}|{piece.sender}|{p.piece_body(piece)}')}")
        message, problems = parse_piece(piece, made, parent, index, reading)
        if index == 0 and epoch and message.created_at == epoch // 1000 * 1000:
            message = msgspec.structs.replace(message, created_at=epoch)
        messages.append(message)
        found += problems
        parent = made
    return messages, found


def parse_piece(
    piece: p.Piece, made: MessageId, parent: MessageId | None, index: int, reading: Reading
) -> tuple[Message, list[Diagnostic]]:
    """One piece as a message, and what was odd about it."""
    text, context, stamp = p.lines_of(p.piece_body(piece))
    found = _piece_problems(text, stamp, made)
    time = parse_time(stamp, reading.zone) if stamp and stamp != UNKNOWN_TIME else None
    if stamp and stamp != UNKNOWN_TIME and time is None:
        found.append(_problem("W_BAD_TIMESTAMP", "The time line holds no time.", made))
    common: dict[str, Any] = {
        "id": made,
        "parent_id": parent,
        "created_at": time or 0,
        "metadata": {"source": {"paths": [[index]]}},
    }
    clean = clean_text(text)
    if clean != text:
        found.append(_problem("bad_text", "Bytes that are no text were replaced.", made))
    references, problems = parse_context(context, reading.notes) if context is not None else ([], [])
    found += [msgspec.structs.replace(one, where=one.where or made) for one in problems]
    attached = tuple(ReferencePart(reference=one) for one in references)
    if piece.sender == "user":
        parts: tuple[UserPart, ...] = (*((TextPart(text=clean),) if clean else ()), *attached)
        return UserMessage(**common, parts=parts), found
    if attached:
        clean = clean_text(_with_context(p.piece_body(piece)))
    return AssistantMessage(**common, parts=answer_parts(clean.strip(p.SPACE))), found


def _with_context(body: str) -> str:
    """The text of an answer whose last line only looks like a context line: answers have none."""
    head, _, line = body.rpartition("\n")
    return head if line.startswith("[Timestamp: ") else body


def _piece_problems(text: str, stamp: str | None, made: MessageId) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    if not text:
        found.append(_problem("W_EMPTY_CONTENT", "The message has no text.", made))
    if stamp is None:
        found.append(_problem("W_MISSING_FIELD", "The message has no time line.", made))
    return found


def _file_problems(note: p.Pieces, keys: dict[str, Any]) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    if note.front is None or "epoch" not in keys:
        found.append(_problem("W_MISSING_FIELD", "The note has no front matter with an epoch.", None))
    if note.ambiguous:
        message = f"{note.ambiguous} lines look like headers and were read as text."
        found.append(_problem("W_SPLIT_AMBIGUOUS", message, None))
    if note.preamble.strip(p.SPACE) and note.pieces:
        found.append(
            _problem("W_RECORD_SKIPPED", "Text before the first message stays in the document.", None)
        )
    return found


def _problem(code: str, message: str, where: str | None) -> Diagnostic:
    return Diagnostic(code=code, message=message, where=where)
