"""What an operation did, as values: the store writes them, watchers show them, and they can be undone.

An update or a move carries the whole new message and what it replaced.
"""

from __future__ import annotations

import msgspec

from triptych.model.conversations import Conversation
from triptych.model.envelope import Envelope
from triptych.model.ids import MessageId
from triptych.model.messages import Message

__all__ = [
    "Change",
    "ConversationUpdated",
    "EnvelopeAttached",
    "MessageAdded",
    "MessageMoved",
    "MessageRemoved",
    "MessageUpdated",
]


class _Change(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="change"
):
    pass


class MessageAdded(_Change, frozen=True, kw_only=True, tag="messageAdded"):
    """A new message; it stands last among its siblings unless ``position`` says otherwise."""

    message: Message
    position: int | None = None


class MessageUpdated(_Change, frozen=True, kw_only=True, tag="messageUpdated"):
    """The same message with another content, status or selected branch."""

    message: Message
    before: Message


class MessageMoved(_Change, frozen=True, kw_only=True, tag="messageMoved"):
    """The message, and all below it, has another parent; ``position`` is its place among the new siblings."""

    message: Message
    old_parent_id: MessageId | None
    position: int


class MessageRemoved(_Change, frozen=True, kw_only=True, tag="messageRemoved"):
    """The message is gone from the tree."""

    message: Message


class ConversationUpdated(_Change, frozen=True, kw_only=True, tag="conversationUpdated"):
    """The head, the active root, the title or another fact of the conversation changed."""

    conversation: Conversation
    before: Conversation


class EnvelopeAttached(_Change, frozen=True, kw_only=True, tag="envelopeAttached"):
    """A revision of a turn's envelope was fixed."""

    envelope: Envelope


Change = (
    MessageAdded | MessageUpdated | MessageMoved | MessageRemoved | ConversationUpdated | EnvelopeAttached
)
