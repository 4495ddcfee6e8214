"""The first tables: users, projects, conversations, messages, blobs, envelopes, runs, sources, changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

__all__ = ["branch_labels", "depends_on", "down_revision", "revision", "upgrade"]

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make every table."""
    _blobs()
    _stale_blobs()
    _users()
    _projects()
    _conversations()
    _blob_uses()
    _changes()
    _messages()
    _runs()
    _sources()
    _envelopes()
    _media()


def _blobs() -> None:
    op.create_table(
        "blobs",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("put_at", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_blobs"),
    )


def _stale_blobs() -> None:
    op.create_table(
        "stale_blobs",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_stale_blobs"),
    )


def _users() -> None:
    op.create_table(
        "users", sa.Column("id", sa.Text(), nullable=False), sa.PrimaryKeyConstraint("id", name="pk_users")
    )


def _projects() -> None:
    op.create_table(
        "projects",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_projects_users", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_projects"),
    )


def _conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("newest_change", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("next_sequence", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id", "project_id"],
            ["projects.user_id", "projects.id"],
            name="fk_conversations_projects",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_conversations"),
    )
    op.create_index(
        "ix_conversations_user_id_project_id_updated_at_id",
        "conversations",
        ["user_id", "project_id", "updated_at", "id"],
    )


def _blob_uses() -> None:
    op.create_table(
        "blob_uses",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name="fk_blob_uses_conversations", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation_id", "digest", name="pk_blob_uses"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_blob_uses_digest", "blob_uses", ["digest"])


def _changes() -> None:
    op.create_table(
        "changes",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name="fk_changes_conversations", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation_id", "number", name="pk_changes"),
    )


def _messages() -> None:
    op.create_table(
        "messages",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("favorite", sa.Boolean(), nullable=False),
        sa.Column("active_child_id", sa.Text(), nullable=True),
        sa.Column("thread_id", sa.Text(), nullable=True),
        sa.Column("group_id", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("target_id", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("provider", sa.Text(), nullable=True),
        sa.Column("envelope_id", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("trace_id", sa.Text(), nullable=True),
        sa.Column("observation_id", sa.Text(), nullable=True),
        sa.Column("quota_id", sa.Text(), nullable=True),
        sa.Column("client_id", sa.Text(), nullable=True),
        sa.Column("parts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("status", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("origin", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("usage", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("performance", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("metadata", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("extra", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id", "parent_id"],
            ["messages.conversation_id", "messages.id"],
            name="fk_messages_messages",
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name="fk_messages_conversations", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation_id", "id", name="pk_messages"),
    )
    op.create_index(
        "ix_messages_conversation_id_parent_id_position",
        "messages",
        ["conversation_id", "parent_id", "position"],
    )
    op.create_index(
        "ix_messages_streaming",
        "messages",
        ["conversation_id"],
        sqlite_where=sa.text("state = 'streaming'"),
        postgresql_where=sa.text("state = 'streaming'"),
    )


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name="fk_runs_conversations", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_conversation_id_started_at_id", "runs", ["conversation_id", "started_at", "id"])


def _sources() -> None:
    op.create_table(
        "sources",
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name="fk_sources_conversations", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("format", "source_id", name="pk_sources"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_sources_conversation_id", "sources", ["conversation_id"])


def _envelopes() -> None:
    op.create_table(
        "envelopes",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id", "message_id"],
            ["messages.conversation_id", "messages.id"],
            name="fk_envelopes_messages",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("conversation_id", "message_id", "revision", name="pk_envelopes"),
        sqlite_with_rowid=False,
    )


def _media() -> None:
    op.create_table(
        "media",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("family", sa.Text(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("media_type", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id", "message_id"],
            ["messages.conversation_id", "messages.id"],
            name="fk_media_messages",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("conversation_id", "message_id", "place", name="pk_media"),
        sqlite_with_rowid=False,
    )
