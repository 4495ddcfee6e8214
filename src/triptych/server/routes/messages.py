"""Messages: send, stop, edit, regenerate, switch branch, mark, remove, warm; and the pictures in them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from triptych.chat.session import Turn
from triptych.model.foreign import clean_text
from triptych.model.ids import BlobDigest, ConversationId
from triptych.server.operations import Operation
from triptych.server.problems import NotFoundError
from triptych.server.service import Service, repository_of, require_message
from triptych.server.shapes import (
    EditRequest,
    FavoriteRequest,
    RemoveQuery,
    SendRequest,
    Stopped,
    TurnStarted,
    WarmRequest,
)

__all__ = ["MESSAGES"]


async def send_message(service: Service, conversation_id: str, body: SendRequest) -> TurnStarted:
    """Say something; the reply arrives as events."""
    await repository_of(service, conversation_id)
    await service.live.follow(ConversationId(conversation_id))
    turn = await service.chat.send(
        ConversationId(conversation_id),
        clean_text(body.text),
        body.references,
        directives=[clean_text(one) for one in body.directives],
        dated=body.dated,
    )
    return _started(conversation_id, turn)


async def stop_reply(service: Service, conversation_id: str) -> Stopped:
    """Stop the reply that is being written; what there is of it stays."""
    await repository_of(service, conversation_id)
    return Stopped(stopped=await service.chat.stop(ConversationId(conversation_id)))


async def edit_message(
    service: Service, conversation_id: str, message_id: str, body: EditRequest
) -> TurnStarted:
    """Say it otherwise: a new branch beside the old one, with a reply of its own if asked; the same changes nothing."""
    name = await require_message(service, conversation_id, message_id)
    text = clean_text(body.text)
    await service.live.follow(ConversationId(conversation_id))
    conversation = ConversationId(conversation_id)
    turn = await service.chat.edit(conversation, name, text, body.references, answer=body.answer)
    return _started(conversation_id, turn)


async def regenerate_reply(service: Service, conversation_id: str, message_id: str) -> TurnStarted:
    """Have the reply written again, as a branch beside the old one."""
    name = await require_message(service, conversation_id, message_id)
    await service.live.follow(ConversationId(conversation_id))
    return _started(conversation_id, await service.chat.regenerate(ConversationId(conversation_id), name))


async def switch_branch(service: Service, conversation_id: str, message_id: str) -> None:
    """Make the branch of this message the active one."""
    name = await require_message(service, conversation_id, message_id)
    await service.chat.switch(ConversationId(conversation_id), name)


async def mark_message(
    service: Service, conversation_id: str, message_id: str, body: FavoriteRequest
) -> None:
    """Make a message a favourite, or take the mark away."""
    name = await require_message(service, conversation_id, message_id)
    await service.chat.favor(ConversationId(conversation_id), name, favorite=body.favorite)


async def read_blob(service: Service, conversation_id: str, digest: str) -> Response:
    """A stored picture that a message of this conversation shows: PNG, JPEG, GIF or WebP, by its own bytes."""
    await repository_of(service, conversation_id)
    found = await service.chat.picture(ConversationId(conversation_id), BlobDigest(digest))
    if found is None:
        raise NotFoundError("There is no such picture in this conversation.")
    data, media_type = found
    return Response(data, headers=_BLOB_HEADERS, media_type=media_type)


async def remove_message(service: Service, conversation_id: str, message_id: str, query: RemoveQuery) -> None:
    """Remove a message with all below it, or alone."""
    name = await require_message(service, conversation_id, message_id)
    await service.chat.remove(ConversationId(conversation_id), name, splice=query.splice)


async def warm_references(service: Service, conversation_id: str, body: WarmRequest) -> None:
    """Let the model read what is about to be attached, ahead of the question."""
    await repository_of(service, conversation_id)
    await service.chat.warm(ConversationId(conversation_id), body.references)


def _started(conversation_id: str, turn: Turn | None) -> TurnStarted:
    return TurnStarted(
        conversation_id=conversation_id,
        user_id=None if turn is None else turn.user_id,
        reply_id=None if turn is None else turn.reply_id,
    )


_BLOB_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "private, max-age=31536000, immutable",
}
_BASE: Final = "/conversations/{conversation_id}"
_ONE: Final = "/conversations/{conversation_id}/messages/{message_id}"
_REFUSES: Final = (HTTPStatus.CONFLICT, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE)

MESSAGES: Final[tuple[Operation[Service], ...]] = (
    Operation(
        method="POST",
        path=f"{_BASE}/messages",
        run=send_message,
        body=SendRequest,
        answer=TurnStarted,
        status=HTTPStatus.ACCEPTED,
        refuses=_REFUSES,
    ),
    Operation(method="POST", path=f"{_BASE}/stop", run=stop_reply, answer=Stopped),
    Operation(
        method="POST",
        path=f"{_BASE}/warm",
        run=warm_references,
        body=WarmRequest,
        status=HTTPStatus.NO_CONTENT,
        refuses=_REFUSES,
    ),
    Operation(
        method="POST",
        path=f"{_ONE}/edit",
        run=edit_message,
        body=EditRequest,
        answer=TurnStarted,
        status=HTTPStatus.ACCEPTED,
        refuses=_REFUSES,
    ),
    Operation(
        method="POST",
        path=f"{_ONE}/regenerate",
        run=regenerate_reply,
        answer=TurnStarted,
        status=HTTPStatus.ACCEPTED,
        refuses=_REFUSES,
    ),
    Operation(
        method="POST",
        path=f"{_ONE}/switch",
        run=switch_branch,
        status=HTTPStatus.NO_CONTENT,
        refuses=_REFUSES,
    ),
    Operation(
        method="PUT",
        path=f"{_ONE}/favorite",
        run=mark_message,
        body=FavoriteRequest,
        status=HTTPStatus.NO_CONTENT,
        refuses=_REFUSES,
    ),
    Operation(
        method="GET", path=f"{_BASE}/blobs/{{digest}}", run=read_blob, media="image/*", status=HTTPStatus.OK
    ),
    Operation(
        method="DELETE",
        path=_ONE,
        run=remove_message,
        query=RemoveQuery,
        status=HTTPStatus.NO_CONTENT,
        refuses=_REFUSES,
    ),
)
