"""The tables of the store.

A message is the flat row of ``views.record``; other values are JSON in ``record``, beside the columns that can be
asked for. Message times are real timestamps in UTC, all others epoch milliseconds.

A message is named by its conversation and its id, so that the same import may come into two conversations.
``sequence`` is the order of arrival in the conversation, ``position`` the order among siblings; an appended
message has equal ones, so a position is always below the next sequence.

Not here: how a table came to be what it is (``migrations``).
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

__all__ = [
    "METADATA",
    "blob_uses",
    "blobs",
    "changes",
    "conversations",
    "envelopes",
    "media",
    "messages",
    "projects",
    "runs",
    "sources",
    "stale_blobs",
    "users",
]

ORDERED = JSON(none_as_null=True)
"""JSON text, keys in the order in which they were written (never ``jsonb``, which sorts them)."""

MOMENT = DateTime(timezone=True)

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _cascade(columns: list[str], targets: list[str]) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(columns, targets, ondelete="CASCADE")


users = Table("users", METADATA, Column("id", Text, primary_key=True))

projects = Table(
    "projects",
    METADATA,
    Column("user_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("created_at", BigInteger, nullable=False),
    Column("record", Text, nullable=False),
    _cascade(["user_id"], ["users.id"]),
)

conversations = Table(
    "conversations",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("project_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("newest_change", BigInteger, nullable=False, server_default=text("0")),
    Column("next_sequence", BigInteger, nullable=False, server_default=text("0")),
    Column("record", Text, nullable=False),
    _cascade(["user_id", "project_id"], ["projects.user_id", "projects.id"]),
    Index(None, "user_id", "project_id", "updated_at", "id"),
)

messages = Table(
    "messages",
    METADATA,
    Column("conversation_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("parent_id", Text),
    Column("position", BigInteger, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("role", Text, nullable=False),
    Column("state", Text),
    Column("created_at", MOMENT, nullable=False),
    Column("updated_at", MOMENT, nullable=False),
    Column("hidden", Boolean, nullable=False),
    Column("favorite", Boolean, nullable=False),
    Column("active_child_id", Text),
    Column("thread_id", Text),
    Column("group_id", Text),
    Column("agent_id", Text),
    Column("target_id", Text),
    Column("model", Text),
    Column("provider", Text),
    Column("envelope_id", Text),
    Column("run_id", Text),
    Column("trace_id", Text),
    Column("observation_id", Text),
    Column("quota_id", Text),
    Column("client_id", Text),
    Column("parts", ORDERED, nullable=False),
    Column("status", ORDERED),
    Column("origin", ORDERED),
    Column("usage", ORDERED),
    Column("performance", ORDERED),
    Column("metadata", ORDERED),
    Column("extra", ORDERED),
    _cascade(["conversation_id"], ["conversations.id"]),
    ForeignKeyConstraint(
        ["conversation_id", "parent_id"],
        ["messages.conversation_id", "messages.id"],
        deferrable=True,
        initially="DEFERRED",
    ),
    Index(None, "conversation_id", "parent_id", "position"),
    Index(
        "ix_messages_streaming",
        "conversation_id",
        sqlite_where=text("state = 'streaming'"),
        postgresql_where=text("state = 'streaming'"),
    ),
)

media = Table(
    "media",
    METADATA,
    Column("conversation_id", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("type", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("family", Text),
    Column("size", BigInteger),
    Column("media_type", Text),
    _cascade(["conversation_id", "message_id"], ["messages.conversation_id", "messages.id"]),
)

blobs = Table(
    "blobs",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("put_at", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

stale_blobs = Table("stale_blobs", METADATA, Column("digest", Text, primary_key=True))

blob_uses = Table(
    "blob_uses",
    METADATA,
    Column("conversation_id", Text, primary_key=True),
    Column("digest", Text, primary_key=True),
    _cascade(["conversation_id"], ["conversations.id"]),
    Index(None, "digest"),
    sqlite_with_rowid=False,
)

envelopes = Table(
    "envelopes",
    METADATA,
    Column("conversation_id", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("id", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("record", Text, nullable=False),
    _cascade(["conversation_id", "message_id"], ["messages.conversation_id", "messages.id"]),
    sqlite_with_rowid=False,
)

runs = Table(
    "runs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("conversation_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("record", Text, nullable=False),
    _cascade(["conversation_id"], ["conversations.id"]),
    Index(None, "conversation_id", "started_at", "id"),
)

sources = Table(
    "sources",
    METADATA,
    Column("format", Text, primary_key=True),
    Column("source_id", Text, primary_key=True),
    Column("conversation_id", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("record", Text, nullable=False),
    _cascade(["conversation_id"], ["conversations.id"]),
    Index(None, "conversation_id"),
    sqlite_with_rowid=False,
)

changes = Table(
    "changes",
    METADATA,
    Column("conversation_id", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("record", Text, nullable=False),
    _cascade(["conversation_id"], ["conversations.id"]),
    sqlite_with_rowid=False,
)
