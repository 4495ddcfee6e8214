"""What every operation is given: the use cases, the live conversations, and a few facts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from triptych.chat.session import Chat
from triptych.errors import UsageError
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import ConversationId, MessageId
from triptych.ports.vault import Vault
from triptych.repository import Repository
from triptych.server.live import LiveConversations
from triptych.server.problems import NotFoundError
from triptych.server.shapes import Imported, ModelInfo

__all__ = ["Importer", "Service", "repository_of", "require_message", "vault_of"]


Importer = Callable[[Path, str], Awaitable[Imported]]


@dataclass(frozen=True, kw_only=True)
class Service:
    """The context of the operations.

    Attributes:
        chat: the use cases.
        models: those that can be chosen, the one in use first.
        vault_name: what to call the folder of notes; None when there is none.
        importer: reads and stores a file for a project; None where that is not possible.
        diagnostics: what the page should say from the start (a fallback model, a store that was repaired …).
    """

    chat: Chat
    live: LiveConversations
    version: str
    models: tuple[ModelInfo, ...]
    vault_name: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    importer: Importer | None = None


async def repository_of(service: Service, conversation_id: str) -> Repository:
    """The conversation's repository; ``NotFoundError`` when there is no such conversation."""
    try:
        return await service.chat.open(ConversationId(conversation_id))
    except UsageError as error:
        raise NotFoundError(str(error)) from None


async def require_message(service: Service, conversation_id: str, message_id: str) -> MessageId:
    """The id of a message that is there; ``NotFoundError`` otherwise."""
    repository = await repository_of(service, conversation_id)
    if message_id not in repository:
        raise NotFoundError("There is no such message in this conversation.")
    return MessageId(message_id)


def vault_of(service: Service) -> Vault:
    """The folder of notes; ``NotFoundError`` when there is none."""
    if service.chat.vault is None:
        raise NotFoundError("There is no folder of notes; start the server with --vault DIR.")
    return service.chat.vault
