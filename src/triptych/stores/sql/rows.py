"""Between values and table rows. Message rows are those of ``views.record``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from sqlalchemy import RowMapping

from triptych.errors import DataError
from triptych.model.codec import decode_conversation, encode_conversation
from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.envelope import Envelope
from triptych.model.ids import BlobDigest, ConversationId, ProjectId, UserId
from triptych.model.messages import Message
from triptych.repository.changes import Change
from triptych.views.record import MediaRecord, Record, from_record, to_record

__all__ = [
    "conversation_row",
    "decode_changes",
    "decode_value",
    "encode_text",
    "envelope_digests",
    "envelope_row",
    "message_rows",
    "read_conversation",
    "read_message",
]

T = TypeVar("T")

_ENCODER = msgspec.json.Encoder()
_CHANGES = msgspec.json.Decoder(tuple[Change, ...])
_MESSAGE_FIELDS = tuple(
    name for name in Record.__struct_fields__ if name not in {"project_id", "user_id", "media"}
)
_MEDIA_FIELDS = MediaRecord.__struct_fields__


def encode_text(value: Any) -> str:
    """A value as JSON text."""
    return _ENCODER.encode(value).decode()


def decode_value(kind: type[T], text: str) -> T | None:
    """A value of our own from JSON text; None when a newer or damaged one does not fit."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def decode_changes(text: str) -> tuple[Change, ...] | None:
    """A change set from JSON text; None when it does not fit."""
    try:
        return _CHANGES.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def conversation_row(conversation: Conversation) -> dict[str, Any]:
    """The columns of a conversation that its value decides."""
    return {
        "user_id": conversation.user_id,
        "project_id": conversation.project_id,
        "title": conversation.title.replace("\0", ""),
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "record": encode_conversation(conversation).decode(),
    }


def read_conversation(row: RowMapping) -> tuple[Conversation, tuple[Diagnostic, ...]]:
    """The conversation of a row; what its columns say when the value cannot be read."""
    try:
        return decode_conversation(row["record"].encode()), ()
    except DataError as problem:
        bare = Conversation(
            id=ConversationId(row["id"]),
            project_id=ProjectId(row["project_id"]),
            user_id=UserId(row["user_id"]),
            title=row["title"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )
        found = Diagnostic(
            code="conversation_unreadable",
            message="Facts about the conversation could not be read; its title and times are what is left.",
            severity="error",
            where=bare.id,
            detail={"problem": str(problem)},
        )
        return bare, (found,)


def message_rows(
    message: Message, conversation_id: ConversationId
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The row of a message, without its order, and its media rows."""
    record = to_record(message, conversation_id=conversation_id, project_id=ProjectId(""), user_id=UserId(""))
    row = {name: getattr(record, name) for name in _MESSAGE_FIELDS}
    media = [
        {"conversation_id": conversation_id} | {name: getattr(one, name) for name in _MEDIA_FIELDS}
        for one in record.media
    ]
    return row, media


def read_message(row: RowMapping, media: Iterable[RowMapping]) -> tuple[Message, tuple[Diagnostic, ...]]:
    """The message of a row and its media rows."""
    fields = {name: row[name] for name in _MESSAGE_FIELDS}
    lifted = tuple(MediaRecord(**{name: one[name] for name in _MEDIA_FIELDS}) for one in media)
    return from_record(Record(**fields, project_id=ProjectId(""), user_id=UserId(""), media=lifted))


def envelope_row(envelope: Envelope, conversation_id: ConversationId) -> dict[str, Any]:
    """The row of an envelope's revision."""
    return {
        "conversation_id": conversation_id,
        "message_id": envelope.message_id,
        "revision": envelope.revision,
        "id": envelope.id,
        "fingerprint": envelope.fingerprint,
        "created_at": envelope.created_at,
        "record": encode_text(envelope),
    }


def envelope_digests(envelope: Envelope) -> Iterator[BlobDigest]:
    """Every blob that an envelope names."""
    for layer in envelope.layers:
        yield layer.digest
        for segment in layer.segments:
            if segment.digest is not None:
                yield segment.digest
            if segment.rendered is not None:
                yield segment.rendered
