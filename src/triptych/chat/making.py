"""The messages that a turn makes: what a person said, the empty reply, and the reply with what it rests on. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from triptych.chat.cite import cite, passages
from triptych.chat.turn import Prepared
from triptych.model.envelope import Envelope
from triptych.model.ids import MessageId, RunId
from triptych.model.messages import AssistantMessage, Message, UserMessage, message_text
from triptych.model.parts import ImagePart, ReferencePart, TextPart
from triptych.model.references import ImageReference, Reference
from triptych.model.status import STREAMING, AwaitingApproval, Complete, Incomplete
from triptych.ports.clock import Clock
from triptych.repository import Change, Repository

__all__ = ["empty_reply", "titled", "user_message", "with_sources"]

_TITLE_LENGTH = 60


def user_message(
    clock: Clock,
    parent_id: MessageId | None,
    text: str,
    references: Sequence[Reference],
    *,
    pictures: Sequence[ImagePart] = (),
    directives: Sequence[str] = (),
) -> UserMessage:
    """What a person said, under the tip, with what was attached in front of the words."""
    now = clock.now()
    named = (one for one in references if not isinstance(one, ImageReference))
    attached = (*(ReferencePart(reference=one) for one in named), *pictures)
    return UserMessage(
        id=MessageId(clock.new_id()),
        parent_id=parent_id,
        parts=(*attached, TextPart(text=text)),
        metadata={"directives": list(directives)} if directives else None,
        created_at=now,
        updated_at=now,
    )


def titled(clock: Clock, repository: Repository, text: str) -> Sequence[Change]:
    """The time of the conversation, and at first its title: the beginning of the first question."""
    now = clock.now()
    if repository.conversation.title:
        return repository.describe(updated_at=now)
    line = " ".join(text.split())
    title = line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1].rstrip() + "…"
    return repository.describe(title=title, updated_at=now)


def empty_reply(
    clock: Clock, user: UserMessage, provider: str, model: str, envelope: Envelope
) -> AssistantMessage:
    """The reply as it is stored before its first word."""
    now = clock.now()
    return AssistantMessage(
        id=MessageId(clock.new_id()),
        parent_id=user.id,
        status=STREAMING,
        model=model,
        provider=provider,
        envelope_id=envelope.id,
        run_id=RunId(clock.new_id()),
        created_at=now,
        updated_at=now,
    )


def with_sources(reply: AssistantMessage, prepared: Prepared) -> AssistantMessage:
    """The reply with the sentence that it most likely rests on, and the passages that were found for it."""
    if not isinstance(reply.status, Complete | Incomplete | AwaitingApproval):
        return reply
    quoted = cite(message_text(reply), _last_words(prepared.messages), prepared.sources)
    found = passages(prepared.sources, beside=quoted)
    cited = found if quoted is None else (quoted, *found)
    return msgspec.structs.replace(reply, parts=(*reply.parts, *cited)) if cited else reply


def _last_words(messages: Sequence[Message]) -> str:
    last = messages[-1] if messages else None
    return message_text(last)[-400:] if isinstance(last, UserMessage) else ""
