"""Conversations and projects as things: made, listed, forgotten, settled after a crash."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, insert, select

from triptych.errors import StoreError, UsageError
from triptych.model.conversations import DEFAULT_PROJECT, Conversation, Project
from triptych.model.ids import ConversationId, ProjectId, UserId
from triptych.model.messages import AssistantMessage, Message
from triptych.model.status import Incomplete
from triptych.repository.changes import MessageUpdated
from triptych.stores.sql import schema
from triptych.stores.sql.blobs import release_blobs
from triptych.stores.sql.reading import streaming_messages
from triptych.stores.sql.rows import conversation_row, decode_value, encode_text
from triptych.stores.sql.upsert import add_missing, put
from triptych.stores.sql.writing import commit_changes

__all__ = [
    "create_conversation",
    "delete_conversation",
    "delete_project",
    "list_projects",
    "put_project",
    "settle_interrupted",
]

_INTERRUPTED = Incomplete(reason="interrupted")


def create_conversation(connection: Connection, conversation: Conversation) -> None:
    """Add the row of an empty conversation."""
    _ensure_user(connection, conversation.user_id)
    project = conversation.project_id
    if not _has_project(connection, project, conversation.user_id):
        raise UsageError(f"There is no project {project!r}; make it first.")
    if connection.execute(
        select(schema.conversations.c.id).where(schema.conversations.c.id == conversation.id)
    ).first():
        raise UsageError(f"There is a conversation {conversation.id!r} already.")
    connection.execute(
        insert(schema.conversations), {"id": conversation.id, **conversation_row(conversation)}
    )


def delete_conversation(connection: Connection, conversation_id: ConversationId) -> None:
    """Remove a conversation; what hangs on it follows, bodies that only it used a little later."""
    uses = schema.blob_uses.c
    used = (
        connection.execute(select(uses.digest).where(uses.conversation_id == conversation_id)).scalars().all()
    )
    connection.execute(delete(schema.conversations).where(schema.conversations.c.id == conversation_id))
    release_blobs(connection, used)


def list_projects(connection: Connection, user_id: UserId) -> list[Project]:
    """A user's projects, oldest first; user and default project are made when missing."""
    _ensure_user(connection, user_id)
    columns = schema.projects.c
    rows = connection.execute(
        select(schema.projects)
        .where(columns.user_id == user_id)
        .order_by(columns.created_at, columns.id != DEFAULT_PROJECT, columns.id)
    )
    return [
        decode_value(Project, row.record) or Project(id=row.id, user_id=user_id, created_at=row.created_at)
        for row in rows
    ]


def put_project(connection: Connection, project: Project) -> None:
    """Add a project or replace it."""
    _ensure_user(connection, project.user_id)
    put(connection, schema.projects, _project_row(project))


def delete_project(connection: Connection, project_id: ProjectId, user_id: UserId) -> None:
    """Remove a project with its conversations."""
    if project_id == DEFAULT_PROJECT:
        raise UsageError("The default project cannot be deleted; delete its conversations instead.")
    columns = schema.conversations.c
    inside = select(columns.id).where(columns.project_id == project_id, columns.user_id == user_id)
    for row in connection.execute(inside).all():
        delete_conversation(connection, ConversationId(row.id))
    connection.execute(
        delete(schema.projects).where(
            schema.projects.c.id == project_id, schema.projects.c.user_id == user_id
        )
    )


def settle_interrupted(connection: Connection, now: int) -> list[ConversationId]:
    """Mark replies that were being written when the program died; one change set a conversation."""
    settled: list[ConversationId] = []
    for conversation_id, messages in streaming_messages(connection).items():
        changes = [MessageUpdated(message=_settled(one, now), before=one) for one in messages]
        commit_changes(connection, conversation_id, changes)
        settled.append(conversation_id)
    return settled


def _settled(message: Message, now: int) -> Message:
    if not isinstance(message, AssistantMessage):
        raise StoreError(f"The message {message.id!r} is no reply, yet says that it is being written.")
    return msgspec.structs.replace(message, status=_INTERRUPTED, updated_at=now)


def _ensure_user(connection: Connection, user_id: UserId) -> None:
    add_missing(connection, schema.users, [{"id": user_id}])
    default = Project(id=DEFAULT_PROJECT, user_id=user_id)
    add_missing(connection, schema.projects, [_project_row(default)])


def _project_row(project: Project) -> dict[str, object]:
    return {
        "user_id": project.user_id,
        "id": project.id,
        "created_at": project.created_at,
        "record": encode_text(project),
    }


def _has_project(connection: Connection, project_id: ProjectId, user_id: UserId) -> bool:
    columns = schema.projects.c
    found = connection.execute(select(columns.id).where(columns.id == project_id, columns.user_id == user_id))
    return found.first() is not None
