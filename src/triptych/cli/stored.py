"""What ``list``, ``show``, ``rename`` and ``delete`` do with the store."""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.bootstrap.clock import SystemClock
from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_store
from triptych.cli.options import known_project
from triptych.errors import UsageError
from triptych.model.conversations import DEFAULT_USER, Conversation, Project
from triptych.model.ids import ConversationId, ProjectId
from triptych.ports.store import Store
from triptych.repository import Repository
from triptych.views.display import to_row

__all__ = [
    "change_project",
    "conversations_of",
    "delete_stored",
    "delete_stored_project",
    "loaded",
    "rename_stored",
    "stored_conversations",
    "stored_projects",
    "stored_rows",
]

_PAGE = 500


async def loaded(store: Store, conversation_id: str, *, what: str = "conversation") -> Repository:
    """A stored conversation; a usage error when there is no such thing (``what`` it might have been)."""
    stored = await store.load(ConversationId(conversation_id))
    if stored is None:
        raise UsageError(f"There is no {what} {conversation_id!r}; triptych list shows the conversations.")
    return Repository.load(stored.conversation, stored.messages, stored.envelopes)[0]


async def stored_conversations(settings: Settings, project_id: str, words: str = "") -> list[dict[str, Any]]:
    """The conversations of a project, or those of it that have the words in them, as JSON values."""
    async with open_store(settings) as store:
        found = await conversations_of(store, project_id, words)
        return [msgspec.to_builtins(one) | {"title": one.title, "updatedAt": one.updated_at} for one in found]


async def conversations_of(store: Store, project_id: str, words: str = "") -> list[Conversation]:
    """Every conversation of a project, newest change first, however many there are; a usage error without one.

    With words, those in whose title or messages they stand.
    """
    known_project(project_id, [project.id for project in await store.projects(DEFAULT_USER)])
    found: list[Conversation] = []
    before: int | None = None
    before_id: ConversationId | None = None
    while page := await store.conversations(
        ProjectId(project_id), DEFAULT_USER, limit=_PAGE, before=before, before_id=before_id, words=words
    ):
        found += page
        before, before_id = page[-1].updated_at, page[-1].id
    return found


async def stored_rows(settings: Settings, conversation_id: str) -> dict[str, Any]:
    """The conversation, all its rows, and those of the active path."""
    async with open_store(settings) as store:
        repository = await loaded(store, conversation_id)
    path = [to_row(message) for message in repository.path()]
    return {
        "conversation": msgspec.to_builtins(repository.conversation)
        | {"title": repository.conversation.title},
        "messages": [to_row(message) for message in repository.messages],
        "path": path,
    }


async def rename_stored(settings: Settings, conversation_id: str, title: str) -> None:
    """Another title."""
    if not title.strip():
        raise UsageError("The title is empty; write another one.")
    async with open_store(settings) as store:
        repository = await loaded(store, conversation_id)
        changes = repository.describe(title=title, updated_at=SystemClock().now())
        await store.commit(repository.conversation.id, changes)


async def delete_stored(settings: Settings, conversation_id: str) -> None:
    """Gone for good."""
    async with open_store(settings) as store:
        repository = await loaded(store, conversation_id)
        await store.delete(repository.conversation.id)


async def stored_projects(settings: Settings) -> list[Project]:
    """All projects."""
    async with open_store(settings) as store:
        return await store.projects(DEFAULT_USER)


async def change_project(settings: Settings, project_id: str, facts: dict[str, Any]) -> None:
    """Change facts of a project, or make it."""
    if not project_id.strip():
        raise UsageError("The id of a project is empty; write a word.")
    now = SystemClock().now()
    async with open_store(settings) as store:
        known = {project.id: project for project in await store.projects(DEFAULT_USER)}
        project = known.get(ProjectId(project_id)) or Project(
            id=ProjectId(project_id), name=project_id, created_at=now
        )
        await store.put_project(msgspec.structs.replace(project, updated_at=now, **facts))


async def delete_stored_project(settings: Settings, project_id: str) -> None:
    """Gone with its conversations."""
    async with open_store(settings) as store:
        if project_id not in {project.id for project in await store.projects(DEFAULT_USER)}:
            raise UsageError(f"There is no project {project_id!r}.")
        await store.delete_project(ProjectId(project_id))
