"""A change set as statements: written whole or not at all, numbered in the conversation's feed.

Consecutive additions go in as one statement. The conversation's row is locked first and written last, so that
change sets are numbered in the order in which they become visible. Runs inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from triptych.errors import StoreError
from triptych.model.conversations import Conversation
from triptych.model.envelope import Envelope
from triptych.model.ids import BlobDigest, ConversationId, MessageId
from triptych.model.messages import Message
from triptych.repository.changes import (
    Change,
    ConversationUpdated,
    EnvelopeAttached,
    MessageAdded,
    MessageMoved,
    MessageRemoved,
    MessageUpdated,
)
from triptych.stores.sql import schema
from triptych.stores.sql.rows import (
    conversation_row,
    encode_text,
    envelope_digests,
    envelope_row,
    message_rows,
)
from triptych.stores.sql.upsert import add_missing
from triptych.stores.waking import wake_key_of

__all__ = ["CHANNEL", "KEPT_CHANGES", "commit_changes"]

CHANNEL = "triptych_changes"
"""The PostgreSQL channel on which the name of a conversation says that it has a new change set."""

KEPT_CHANGES = 256
"""How many change sets the feed keeps at least; a follower that is further behind loads anew."""

_PRUNE_EVERY = 64

_messages = schema.messages.c
_LOCK = (
    select(schema.conversations.c.newest_change, schema.conversations.c.next_sequence)
    .where(schema.conversations.c.id == bindparam("conversation"))
    .with_for_update()
)
_ADVANCE = update(schema.conversations).where(schema.conversations.c.id == bindparam("conversation"))
_ADD = insert(schema.messages)
_ADD_MEDIA = insert(schema.media)
_ADD_CHANGE = insert(schema.changes)
_ADD_ENVELOPE = insert(schema.envelopes)
_THIS_MESSAGE = (_messages.conversation_id == bindparam("conversation")) & (
    _messages.id == bindparam("message")
)
_UPDATE = update(schema.messages).where(_THIS_MESSAGE)
_REMOVE = delete(schema.messages).where(_THIS_MESSAGE)
_DROP_MEDIA = delete(schema.media).where(
    schema.media.c.conversation_id == bindparam("conversation"),
    schema.media.c.message_id == bindparam("message"),
)
_SIBLINGS = (
    select(_messages.id)
    .where(
        _messages.conversation_id == bindparam("conversation"),
        _messages.parent_id.is_not_distinct_from(bindparam("parent")),
    )
    .order_by(_messages.position)
)
_NOTIFY = select(func.pg_notify(bindparam("channel"), bindparam("key")))
_PRUNE = delete(schema.changes).where(
    schema.changes.c.conversation_id == bindparam("conversation"),
    schema.changes.c.number <= bindparam("last"),
)


def commit_changes(connection: Connection, conversation_id: ConversationId, changes: Sequence[Change]) -> int:
    """Write a change set; its number."""
    return _Writer(connection, conversation_id).write(changes)


class _Writer:
    """The state of one change set while it is written: additions wait until something has to see them."""

    def __init__(self, connection: Connection, conversation_id: ConversationId) -> None:
        row = connection.execute(_LOCK, {"conversation": conversation_id}).first()
        if row is None:
            raise StoreError(f"There is no conversation {conversation_id!r} in the store; create it first.")
        self.connection = connection
        self.key = conversation_id
        self.number: int = row.newest_change + 1
        self.sequence: int = row.next_sequence
        self.added: dict[MessageId, dict[str, Any]] = {}
        self.media: dict[MessageId, list[dict[str, Any]]] = {}
        self.conversation: Conversation | None = None

    def write(self, changes: Sequence[Change]) -> int:
        for change in changes:
            self.apply(change)
        self.flush()
        facts = conversation_row(self.conversation) if self.conversation is not None else {}
        self.run(_ADVANCE.values(newest_change=self.number, next_sequence=self.sequence, **facts))
        row = {"conversation_id": self.key, "number": self.number, "record": encode_text(tuple(changes))}
        self.connection.execute(_ADD_CHANGE, row)
        if self.connection.dialect.name == "postgresql":
            self.connection.execute(_NOTIFY, {"channel": CHANNEL, "key": wake_key_of(self.key)})
        if self.number % _PRUNE_EVERY == 0:
            self.run(_PRUNE, last=self.number - KEPT_CHANGES)
        return self.number

    def run(self, statement: Any, **values: Any) -> Any:
        return self.connection.execute(statement, {"conversation": self.key, **values})

    def apply(self, change: Change) -> None:
        match change:
            case MessageAdded(message=message, position=position):
                self.add(message, position)
            case MessageUpdated(message=message):
                self.replace(message)
            case MessageMoved(message=message, position=position):
                self.replace(message)
                self.place(message, position)
            case MessageRemoved(message=message):
                self.flush()
                self.touched(self.run(_REMOVE, message=message.id), message)
            case ConversationUpdated(conversation=conversation):
                self.rename(conversation)
            case EnvelopeAttached(envelope=envelope):
                self.attach(envelope)

    def add(self, message: Message, position: int | None) -> None:
        if message.id in self.added:
            raise StoreError(f"The message {message.id!r} is added twice.")
        row, media = message_rows(message, self.key)
        self.added[message.id] = row | {"position": self.sequence, "sequence": self.sequence}
        self.sequence += 1
        if media:
            self.media[message.id] = media
        if position is not None:
            self.place(message, position)

    def replace(self, message: Message) -> None:
        row, media = message_rows(message, self.key)
        if message.id in self.added:
            self.added[message.id] |= row
        else:
            changed = {name: value for name, value in row.items() if name not in {"id", "conversation_id"}}
            self.touched(self.run(_UPDATE.values(**changed), message=message.id), message)
            self.run(_DROP_MEDIA, message=message.id)
        self.media.pop(message.id, None)
        if media:
            self.media[message.id] = media

    def touched(self, result: Any, message: Message) -> None:
        if result.rowcount != 1:
            raise StoreError(f"There is no message {message.id!r} in the stored conversation.")

    def place(self, message: Message, position: int) -> None:
        """Give a message its place among the siblings; last needs no counting of the others."""
        self.flush()
        order = [one.id for one in self.run(_SIBLINGS, parent=message.parent_id)]
        order.remove(message.id)
        if position >= len(order):
            self.run(_UPDATE.values(position=self.sequence), message=message.id)
            self.sequence += 1
            return
        order.insert(position, message.id)
        moved = [
            {"conversation": self.key, "message": one, "place": place} for place, one in enumerate(order)
        ]
        self.connection.execute(_UPDATE.values(position=bindparam("place")), moved)

    def rename(self, conversation: Conversation) -> None:
        if conversation.id != self.key:
            raise StoreError("The id of a conversation cannot change.")
        self.conversation = conversation

    def attach(self, envelope: Envelope) -> None:
        self.flush()
        self.connection.execute(_ADD_ENVELOPE, envelope_row(envelope, self.key))
        self.use(envelope_digests(envelope))

    def flush(self) -> None:
        if self.added:
            self.connection.execute(_ADD, list(self.added.values()))
            self.added = {}
        if self.media:
            rows = [row for rows in self.media.values() for row in rows]
            self.connection.execute(_ADD_MEDIA, rows)
            self.use(BlobDigest(row["address"]) for row in rows if row["kind"] == "blob")
            self.media = {}

    def use(self, digests: Iterable[BlobDigest]) -> None:
        rows = [{"conversation_id": self.key, "digest": digest} for digest in dict.fromkeys(digests)]
        if rows:
            add_missing(self.connection, schema.blob_uses, rows)
