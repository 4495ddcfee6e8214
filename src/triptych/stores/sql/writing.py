"""A change set as statements: written whole or not at all, numbered in the conversation's feed.

Consecutive additions go in as one statement. The conversation's row is written first, which locks it, so that
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

__all__ = ["CHANNEL", "KEPT_CHANGES", "LARGEST_CHANGE", "commit_changes"]

CHANNEL = "triptych_changes"
"""The PostgreSQL channel on which the name of a conversation says that it has a new change set."""

KEPT_CHANGES = 256
"""How many change sets the feed keeps at least; a follower that is further behind loads anew."""

LARGEST_CHANGE = 1_000_000
"""Characters above which the feed keeps only the number of a change set, such as a whole import."""

_PRUNE_EVERY = 64

_messages = schema.messages.c
_conversations = schema.conversations.c
_ADVANCE = (
    update(schema.conversations)
    .where(_conversations.id == bindparam("conversation"))
    .values(
        newest_change=_conversations.newest_change + 1,
        next_sequence=_conversations.next_sequence + bindparam("many"),
    )
    .returning(_conversations.newest_change, _conversations.next_sequence)
)
_FACTS = ("title", "updated_at", "record")
_ADVANCE_WITH_FACTS = _ADVANCE.values({name: bindparam(f"new_{name}") for name in _FACTS})
_KEYS = ("user_id", "project_id", "created_at")
_REHOME = update(schema.conversations).where(_conversations.id == bindparam("conversation"))
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
    return _Writer(connection, conversation_id, changes).write()


class _Writer:
    """The state of one change set while it is written: additions wait until something has to see them."""

    def __init__(
        self, connection: Connection, conversation_id: ConversationId, changes: Sequence[Change]
    ) -> None:
        self.connection = connection
        self.key = conversation_id
        self.changes = changes
        self.number, self.sequence = self.advance()
        self.added: dict[MessageId, dict[str, Any]] = {}
        self.media: dict[MessageId, list[dict[str, Any]]] = {}

    def advance(self) -> tuple[int, int]:
        """Take the next number of the feed and enough of the sequence; the facts go along."""
        placed = sum(isinstance(change, MessageAdded | MessageMoved) for change in self.changes)
        many = 2 * placed  # one for the arrival, one for a place behind all siblings
        updates = [change for change in self.changes if isinstance(change, ConversationUpdated)]
        if updates:
            row = self.describe(updates[0].before, updates[-1].conversation, many)
        else:
            row = self.run(_ADVANCE, many=many).first()
        if row is None:
            raise StoreError(f"There is no conversation {self.key!r} in the store; create it first.")
        return row.newest_change, row.next_sequence - many

    def describe(self, before: Conversation, after: Conversation, many: int) -> Any:
        """Advance together with the facts; keys that others point at are only written when they change."""
        if after.id != self.key:
            raise StoreError("The id of a conversation cannot change.")
        row = conversation_row(after)
        if any(getattr(before, name) != getattr(after, name) for name in _KEYS):
            self.run(_REHOME, **{name: row[name] for name in _KEYS})
        return self.run(
            _ADVANCE_WITH_FACTS, many=many, **{f"new_{name}": row[name] for name in _FACTS}
        ).first()

    def write(self) -> int:
        for change in self.changes:
            self.apply(change)
        self.flush()
        record = encode_text(tuple(self.changes))
        kept = record if len(record) <= LARGEST_CHANGE else ""
        self.connection.execute(
            _ADD_CHANGE, {"conversation_id": self.key, "number": self.number, "record": kept}
        )
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
            case ConversationUpdated():
                pass
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
            self.touched(self.run(_UPDATE, message=message.id, **changed), message)
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
            self.run(_UPDATE, message=message.id, position=self.sequence)
            self.sequence += 1
            return
        order.insert(position, message.id)
        moved = [
            {"conversation": self.key, "message": one, "place": place} for place, one in enumerate(order)
        ]
        self.connection.execute(_UPDATE.values(position=bindparam("place")), moved)

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
