"""What a model was given, or would be: the layers of a turn, their cost, and what a cache reuses of it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from triptych.chat.inspection import Inspection
from triptych.model.foreign import clean_text
from triptych.model.ids import ConversationId, MessageId
from triptych.server.operations import Operation
from triptych.server.service import Service, repository_of, require_message
from triptych.server.shapes import InspectionQuery, SendRequest

__all__ = ["INSPECTION"]


async def inspect_turn(service: Service, conversation_id: str, query: InspectionQuery) -> Inspection:
    """What a past turn gave to the model: the newest one, or that of a message."""
    await repository_of(service, conversation_id)
    name: MessageId | None = None
    if query.message_id is not None:
        name = await require_message(service, conversation_id, query.message_id)
    return await service.chat.inspect(ConversationId(conversation_id), name)


async def preview_turn(service: Service, conversation_id: str, body: SendRequest) -> Inspection:
    """What a turn would give to the model; nothing is sent or stored."""
    await repository_of(service, conversation_id)
    return await service.chat.preview(
        ConversationId(conversation_id),
        clean_text(body.text),
        body.references,
        directives=[clean_text(one) for one in body.directives],
        dated=body.dated,
    )


_REFUSES: Final = (HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE)

INSPECTION: Final[tuple[Operation[Service], ...]] = (
    Operation(
        method="GET",
        path="/conversations/{conversation_id}/inspection",
        run=inspect_turn,
        query=InspectionQuery,
        answer=Inspection,
        refuses=_REFUSES,
    ),
    Operation(
        method="POST",
        path="/conversations/{conversation_id}/preview",
        run=preview_turn,
        body=SendRequest,
        answer=Inspection,
        refuses=_REFUSES,
    ),
)
