"""The record face: a message as the flat rows that a database keeps, and back.

Exactly what must be persisted: one row for the message with real timestamps, and one row for each piece of media,
so that bytes and addresses can have keys of their own. Nothing derived is stored: ``content``, ``tools`` and the
like of the other faces are computed from ``parts``.

Law: ``from_record(to_record(m, ...)) == m``. Not here: tables and SQL (``stores.sql``).
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from triptych.model.codec import message_to_json
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import ConversationId, MessageId, ProjectId, UserId
from triptych.model.messages import Message
from triptych.model.tolerant import parse_message

__all__ = ["MediaRecord", "Record", "from_record", "to_record"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_EARLIEST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
_LATEST = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH) // _MILLISECOND
_ADDRESS = {"url": "url", "blob": "digest", "inline": "data", "provider": "fileId"}
_MEDIA_TYPES = frozenset({"image", "audio", "video", "file"})


class MediaRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Where one piece of media is. ``place`` counts the media of the message from 0, in order.

    ``kind`` is ``url``, ``blob``, ``inline`` or ``provider``, and ``address`` the URL, digest, base64 text or file
    id; ``other`` is a foreign source that only looks like a place in these rows, as JSON text.
    """

    message_id: MessageId
    place: int
    type: str
    kind: str
    address: str
    family: str | None = None
    size: int | None = None
    media_type: str | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the messages table; JSON columns are plain values. Times are aware, in UTC."""

    id: MessageId
    conversation_id: ConversationId
    project_id: ProjectId
    user_id: UserId
    parent_id: MessageId | None
    role: str
    created_at: datetime
    updated_at: datetime
    active_child_id: MessageId | None = None
    thread_id: str | None = None
    group_id: str | None = None
    agent_id: str | None = None
    target_id: str | None = None
    hidden: bool = False
    favorite: bool = False
    state: str | None = None
    model: str | None = None
    provider: str | None = None
    envelope_id: str | None = None
    run_id: str | None = None
    trace_id: str | None = None
    observation_id: str | None = None
    quota_id: str | None = None
    client_id: str | None = None
    parts: list[Any] = msgspec.field(default_factory=list[Any])
    status: dict[str, Any] | None = None
    origin: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    performance: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    extra: dict[str, Any] | None = None
    media: tuple[MediaRecord, ...] = ()


_COLUMNS: tuple[tuple[str, str], ...] = (
    ("parent_id", "parentId"),
    ("active_child_id", "activeChildId"),
    ("thread_id", "threadId"),
    ("group_id", "groupId"),
    ("agent_id", "agentId"),
    ("target_id", "targetId"),
    ("hidden", "hidden"),
    ("favorite", "favorite"),
    ("model", "model"),
    ("provider", "provider"),
    ("envelope_id", "envelopeId"),
    ("run_id", "runId"),
    ("status", "status"),
    ("origin", "origin"),
    ("usage", "usage"),
    ("performance", "performance"),
    ("metadata", "metadata"),
)
_TRACE: tuple[tuple[str, str], ...] = (
    ("trace_id", "traceId"),
    ("observation_id", "observationId"),
    ("quota_id", "quotaId"),
    ("client_id", "clientId"),
)


def to_record(
    message: Message, *, conversation_id: ConversationId, project_id: ProjectId, user_id: UserId
) -> Record:
    """The rows of a message. The isolation keys are handed in: they travel with every write."""
    bare = message if message.extra is None else msgspec.structs.replace(message, extra=None)
    plain = message_to_json(bare)
    media: list[MediaRecord] = []
    parts = [_lifted(part, message.id, media) for part in plain.get("parts", [])]
    columns: dict[str, Any] = {column: plain[name] for column, name in _COLUMNS if name in plain}
    trace = plain.get("trace", {})
    return Record(
        id=message.id,
        conversation_id=conversation_id,
        project_id=project_id,
        user_id=user_id,
        role=plain["role"],
        created_at=_moment(message.created_at),
        updated_at=_moment(message.updated_at),
        parts=parts,
        state=(plain.get("status") or {}).get("state"),
        extra=message.extra,
        media=tuple(media),
        **dict[str, Any](
            {"parent_id": None} | columns | {column: trace.get(name) for column, name in _TRACE}
        ),
    )


def from_record(record: Record) -> tuple[Message, tuple[Diagnostic, ...]]:
    """The message of its rows; damage in a column is kept in ``extra`` and told."""
    plain: dict[str, Any] = {"id": record.id, "role": record.role}
    for column, name in _COLUMNS:
        value = getattr(record, column)
        if value is not None and value is not False:
            plain[name] = value
    trace = {name: value for column, name in _TRACE if (value := getattr(record, column)) is not None}
    if trace:
        plain["trace"] = trace
    plain["createdAt"] = _milliseconds(record.created_at)
    plain["updatedAt"] = _milliseconds(record.updated_at)
    lifted = {one.place: one for one in record.media}
    plain["parts"] = [_lowered(part, lifted) for part in record.parts]
    message, found = parse_message(plain)
    if record.extra is None:
        return message, found
    return msgspec.structs.replace(message, extra=(message.extra or {}) | record.extra), found


def _lifted(part: Any, message_id: MessageId, media: list[MediaRecord]) -> Any:
    """The part with each of its media replaced by a place in the media rows."""
    if not isinstance(part, dict):
        return part
    if part.get("type") == "toolResult" and isinstance(part.get("content"), list):
        return part | {"content": [_lifted(item, message_id, media) for item in part["content"]]}
    source = part.get("media")
    if part.get("type") not in _MEDIA_TYPES or not isinstance(source, dict):
        return part
    record = _media_record(part, source, message_id, len(media))
    if record is None:
        return part
    media.append(record)
    return part | {"media": {"kind": "row", "place": record.place}}


def _media_record(
    part: dict[str, Any], source: dict[str, Any], message_id: MessageId, place: int
) -> MediaRecord | None:
    kind = source.get("kind")
    kind = kind if isinstance(kind, str) else ""
    address = source.get(_ADDRESS.get(kind, ""))
    family, size, media_type = source.get("family"), source.get("size"), part.get("mediaType")
    if kind == "row":
        kind, address, family, size = "other", json.dumps(source), None, None
    if not isinstance(address, str) or not isinstance(family, str | None) or not isinstance(size, int | None):
        return None
    return MediaRecord(
        message_id=message_id,
        place=place,
        type=part["type"],
        kind=kind,
        address=address,
        family=family,
        size=size,
        media_type=media_type if isinstance(media_type, str) else None,
    )


def _lowered(part: Any, lifted: dict[int, MediaRecord]) -> Any:
    if not isinstance(part, dict):
        return part
    if part.get("type") == "toolResult" and isinstance(part.get("content"), list):
        return part | {"content": [_lowered(item, lifted) for item in part["content"]]}
    source = part.get("media")
    if not isinstance(source, dict) or source.get("kind") != "row":
        return part
    record = lifted.get(source.get("place", -1))
    return part if record is None else part | {"media": _source(record)}


def _source(record: MediaRecord) -> dict[str, Any]:
    if record.kind == "other":
        return json.loads(record.address)
    source: dict[str, Any] = {"kind": record.kind, _ADDRESS[record.kind]: record.address}
    if record.family is not None:
        source["family"] = record.family
    return source if record.size is None else source | {"size": record.size}


def _moment(milliseconds: int) -> datetime:
    return _EPOCH + max(_EARLIEST, min(milliseconds, _LATEST)) * _MILLISECOND


def _milliseconds(moment: datetime) -> int:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MILLISECOND
