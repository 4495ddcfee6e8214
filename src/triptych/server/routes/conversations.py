"""Conversations: list, start, read, rename, delete, follow."""

from __future__ import annotations

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from triptych.model.conversations import Conversation
from triptych.model.foreign import clean_text
from triptych.model.ids import ConversationId, ProjectId
from triptych.server.flow_rows import FlowRows
from triptych.server.live import view_of
from triptych.server.operations import Operation
from triptych.server.service import Service, repository_of
from triptych.server.shapes import (
    ConversationChange,
    ConversationList,
    ConversationQuery,
    ConversationView,
    EventQuery,
    NewConversation,
)
from triptych.server.sse import EVENT_STREAM, Event, event_stream

__all__ = ["CONVERSATIONS"]


async def list_conversations(service: Service, query: ConversationQuery) -> ConversationList:
    """The conversations of a project, newest change first."""
    found = await service.chat.conversations(
        ProjectId(query.project_id),
        limit=query.limit,
        before=query.before,
        words=clean_text(query.words).strip(),
    )
    return ConversationList(conversations=found)


async def create_conversation(service: Service, body: NewConversation) -> Conversation:
    """Start a conversation."""
    title = clean_text(body.title)
    return await service.chat.create(ProjectId(body.project_id), title=title, model=body.model)


async def read_conversation(service: Service, conversation_id: str) -> ConversationView:
    """A conversation with the rows of its active path."""
    repository = await repository_of(service, conversation_id)
    name = repository.conversation.id
    return view_of(
        repository,
        FlowRows(repository),
        running=await service.chat.running(name),
        diagnostics=await service.chat.diagnostics(name),
    )


async def change_conversation(
    service: Service, conversation_id: str, body: ConversationChange
) -> Conversation:
    """Rename a conversation, or have it answered by another model."""
    repository = await repository_of(service, conversation_id)
    name = repository.conversation.id
    if body.title is not None:
        await service.chat.rename(name, clean_text(body.title))
    if body.model is not None:
        await service.chat.choose_model(name, body.model)
    return (await repository_of(service, conversation_id)).conversation


async def delete_conversation(service: Service, conversation_id: str) -> None:
    """Delete a conversation with all its messages."""
    await repository_of(service, conversation_id)
    await service.chat.delete(ConversationId(conversation_id))


async def follow_conversation(
    service: Service, request: Request, conversation_id: str, query: EventQuery
) -> Response:
    """A stream of events: ``snapshot`` (a ConversationView), then ``patch`` after ``patch``."""
    await repository_of(service, conversation_id)
    last = request.headers.get("last-event-id") or query.after
    events: AsyncIterator[Event | None] = service.live.events(ConversationId(conversation_id), last)
    return event_stream(events)


CONVERSATIONS: Final[tuple[Operation[Service], ...]] = (
    Operation(
        method="GET",
        path="/conversations",
        run=list_conversations,
        query=ConversationQuery,
        answer=ConversationList,
    ),
    Operation(
        method="POST",
        path="/conversations",
        run=create_conversation,
        body=NewConversation,
        answer=Conversation,
        status=HTTPStatus.CREATED,
        refuses=(HTTPStatus.CONFLICT,),
    ),
    Operation(
        method="GET", path="/conversations/{conversation_id}", run=read_conversation, answer=ConversationView
    ),
    Operation(
        method="PATCH",
        path="/conversations/{conversation_id}",
        run=change_conversation,
        body=ConversationChange,
        answer=Conversation,
        refuses=(HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE),
    ),
    Operation(
        method="DELETE",
        path="/conversations/{conversation_id}",
        run=delete_conversation,
        status=HTTPStatus.NO_CONTENT,
    ),
    Operation(
        method="GET",
        path="/conversations/{conversation_id}/events",
        run=follow_conversation,
        query=EventQuery,
        media=EVENT_STREAM,
        raw=True,
    ),
)
