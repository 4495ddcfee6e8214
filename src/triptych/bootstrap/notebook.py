"""Conversations kept as Markdown: the notebook's pure functions behind ``chat.autosave``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from triptych.chat.autosave import Autosave
from triptych.chat.session import Chat
from triptych.errors import UsageError
from triptych.formats.conversation import native_conversation
from triptych.formats.notebook.applying import apply_edits
from triptych.formats.notebook.edits import read_edits
from triptych.formats.notebook.names import candidate_paths
from triptych.formats.notebook.render import render_page
from triptych.model.conversations import Conversation
from triptych.model.ids import ConversationId
from triptych.ports.clock import Clock
from triptych.ports.conversations import StoredConversation
from triptych.repository import Repository
from triptych.stores.notebook_files import NotebookFiles

__all__ = ["open_autosave"]


def open_autosave(chat: Chat, clock: Clock, folder: Path, recovery: Path) -> Autosave:
    """The writer of the folder. A hand edit comes back as messages of the live conversation."""

    async def load(conversation_id: ConversationId) -> StoredConversation | None:
        try:
            return _stored(await chat.open(conversation_id))
        except UsageError:
            return None

    async def merge(text: str, stored: StoredConversation) -> StoredConversation:
        edits = read_edits(text, native_conversation(stored.conversation, stored.messages))
        if edits.empty:
            return stored
        conversation_id = stored.conversation.id
        await chat.change(conversation_id, lambda repository: apply_edits(repository, edits, clock.now()))
        return _stored(await chat.open(conversation_id))

    folder.mkdir(parents=True, exist_ok=True)
    return Autosave(NotebookFiles(folder, recovery), load=load, render=_rendered, paths=_paths, merge=merge)


def _stored(repository: Repository) -> StoredConversation:
    return StoredConversation(conversation=repository.conversation, messages=tuple(repository.messages))


def _rendered(stored: StoredConversation, previous: str | None) -> str:
    return render_page(native_conversation(stored.conversation, stored.messages), previous=previous)


def _paths(conversation: Conversation) -> Iterable[str]:
    return candidate_paths(conversation)
