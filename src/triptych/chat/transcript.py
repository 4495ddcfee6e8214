"""Another conversation as text, for a model to read."""

from __future__ import annotations

from triptych.model.ids import ConversationId, MessageId, ProjectId
from triptych.model.messages import Message, ToolMessage, message_text, role_of
from triptych.ports.conversations import ConversationStore
from triptych.repository import Repository

__all__ = ["read_transcript"]


async def read_transcript(
    store: ConversationStore,
    project_id: ProjectId,
    conversation_id: ConversationId,
    message_id: MessageId | None,
) -> tuple[str, str] | None:
    """Title and text of the active path, or of one message; None when it is not in this project."""
    stored = await store.load(conversation_id)
    if stored is None or stored.conversation.project_id != project_id:
        return None
    repository, _ = Repository.load(stored.conversation, stored.messages)
    if message_id is not None and message_id not in repository:
        return None
    messages = repository.path() if message_id is None else [repository.get(message_id)]
    return stored.conversation.title, "\n\n".join(_said(one) for one in messages if not one.hidden)


def _said(message: Message) -> str:
    return (
        message_text(message)
        if isinstance(message, ToolMessage)
        else f"{role_of(message)}: {message_text(message)}"
    )
