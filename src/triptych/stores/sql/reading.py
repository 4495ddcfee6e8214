"""Values out of the tables. Runs inside the caller's transaction; damage is a diagnostic."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, and_, bindparam, func, or_, select

from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.envelope import Envelope
from triptych.model.ids import ConversationId, MessageId, ProjectId, UserId
from triptych.model.messages import Message
from triptych.ports.conversations import StoredConversation
from triptych.repository.changes import Change
from triptych.stores.arrangement import arranged
from triptych.stores.sql import schema
from triptych.stores.sql.rows import decode_changes, decode_value, read_conversation, read_message

__all__ = [
    "count_all",
    "list_conversations",
    "load_conversation",
    "newest_change",
    "read_feed",
    "streaming_messages",
]

_conversations = schema.conversations.c
_FEED_PAGE = 100


def _of(table: Any, *order: Any) -> Select[Any]:
    return select(table).where(table.c.conversation_id == bindparam("conversation")).order_by(*order)


_CONVERSATION = select(schema.conversations).where(_conversations.id == bindparam("conversation"))
_MESSAGES = _of(schema.messages, schema.messages.c.sequence)
_MEDIA = _of(schema.media, schema.media.c.message_id, schema.media.c.place)
_ENVELOPES = _of(schema.envelopes, schema.envelopes.c.message_id, schema.envelopes.c.revision)
_NEWEST = select(_conversations.newest_change).where(_conversations.id == bindparam("conversation"))
_FEED = _of(schema.changes, schema.changes.c.number).where(schema.changes.c.number > bindparam("after"))


def load_conversation(connection: Connection, conversation_id: ConversationId) -> StoredConversation | None:
    """All of a conversation, messages in the order of arrival and siblings in their own."""
    key = {"conversation": conversation_id}
    row = connection.execute(_CONVERSATION, key).mappings().first()
    if row is None:
        return None
    conversation, found = read_conversation(row)
    messages, noted = _messages(connection, key)
    envelopes, missed = _envelopes(connection, key)
    return StoredConversation(
        conversation=conversation,
        messages=messages,
        envelopes=envelopes,
        diagnostics=(*found, *noted, *missed),
    )


def _messages(
    connection: Connection, key: dict[str, Any]
) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    rows = connection.execute(_MESSAGES, key).mappings().all()
    media = _media(connection, key)
    found: list[Diagnostic] = []
    messages: list[Message] = []
    places: dict[MessageId | None, list[tuple[int, MessageId]]] = defaultdict(list)
    for row in rows:
        message, problems = read_message(row, media.get(row["id"], ()))
        messages.append(message)
        found.extend(problems)
        places[message.parent_id].append((row["position"], message.id))
    siblings = {parent: [one for _, one in sorted(order)] for parent, order in places.items()}
    return arranged(messages, siblings), tuple(found)


def _media(connection: Connection, key: dict[str, Any]) -> dict[str, list[RowMapping]]:
    found: dict[str, list[RowMapping]] = defaultdict(list)
    for row in connection.execute(_MEDIA, key).mappings():
        found[row["message_id"]].append(row)
    return found


def _envelopes(
    connection: Connection, key: dict[str, Any]
) -> tuple[tuple[Envelope, ...], tuple[Diagnostic, ...]]:
    found: list[Envelope] = []
    missed: list[Diagnostic] = []
    for row in connection.execute(_ENVELOPES, key):
        envelope = decode_value(Envelope, row.record)
        if envelope is not None:
            found.append(envelope)
            continue
        sentence = "What the model was given for this turn could not be read."
        missed.append(Diagnostic(code="envelope_unreadable", message=sentence, where=row.message_id))
    return tuple(found), tuple(missed)


def list_conversations(
    connection: Connection,
    project_id: ProjectId,
    user_id: UserId,
    limit: int,
    before: tuple[int, ConversationId | None] | None,
) -> list[Conversation]:
    """One project's conversations, newest change first."""
    statement = (
        select(schema.conversations)
        .where(_conversations.user_id == user_id, _conversations.project_id == project_id)
        .order_by(_conversations.updated_at.desc(), _conversations.id.desc())
        .limit(limit)
    )
    if before is not None:
        statement = statement.where(_older(*before))
    return [read_conversation(row)[0] for row in connection.execute(statement).mappings()]


def _older(updated_at: int, conversation_id: ConversationId | None) -> Any:
    older = _conversations.updated_at < updated_at
    if conversation_id is None:
        return older
    return or_(older, and_(_conversations.updated_at == updated_at, _conversations.id < conversation_id))


def count_all(connection: Connection, user_id: UserId) -> dict[ProjectId, tuple[int, int]]:
    """Conversations and messages of each project."""
    projects = schema.projects.c
    statement = (
        select(
            projects.id,
            func.count(_conversations.id.distinct()),
            func.count(schema.messages.c.id),
        )
        .select_from(schema.projects)
        .outerjoin(
            schema.conversations,
            and_(_conversations.user_id == projects.user_id, _conversations.project_id == projects.id),
        )
        .outerjoin(schema.messages, schema.messages.c.conversation_id == _conversations.id)
        .where(projects.user_id == user_id)
        .group_by(projects.id)
    )
    return {ProjectId(row[0]): (row[1], row[2]) for row in connection.execute(statement)}


def streaming_messages(connection: Connection) -> dict[ConversationId, list[Message]]:
    """Replies that still say that they are being written."""
    columns = schema.messages.c
    statement = (
        select(schema.messages)
        .where(columns.state == "streaming")
        .order_by(columns.conversation_id, columns.sequence)
    )
    found: dict[ConversationId, list[Message]] = defaultdict(list)
    for row in connection.execute(statement).mappings().all():
        conversation = ConversationId(row["conversation_id"])
        media = _media(connection, {"conversation": conversation})
        found[conversation].append(read_message(row, media.get(row["id"], ()))[0])
    return found


def newest_change(connection: Connection, conversation_id: ConversationId) -> int:
    """The number of the newest change set."""
    return connection.execute(_NEWEST, {"conversation": conversation_id}).scalar() or 0


def read_feed(
    connection: Connection, conversation_id: ConversationId, after: int
) -> list[tuple[int, tuple[Change, ...] | None]]:
    """A page of change sets above a number; None for one that cannot be read."""
    key = {"conversation": conversation_id, "after": after}
    rows = connection.execute(_FEED.limit(_FEED_PAGE), key)
    return [(row.number, decode_changes(row.record)) for row in rows]
