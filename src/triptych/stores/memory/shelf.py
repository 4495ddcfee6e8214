"""One conversation in memory: what ``commit`` does to it. Changes are applied to a copy, so a set is all or none."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from triptych.errors import StoreError
from triptych.model.conversations import Conversation
from triptych.model.envelope import Envelope
from triptych.model.ids import MessageId
from triptych.model.messages import Message
from triptych.ports.conversations import StoredConversation
from triptych.repository.changes import (
    Change,
    ConversationUpdated,
    EnvelopeAttached,
    MessageAdded,
    MessageMoved,
    MessageRemoved,
    MessageUpdated,
)
from triptych.stores.arrangement import arranged

__all__ = ["Shelf"]


class Shelf:
    """The stored state of one conversation and its change feed."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.messages: dict[MessageId, Message] = {}
        self.siblings: dict[MessageId | None, list[MessageId]] = {}
        self.envelopes: dict[MessageId, list[Envelope]] = {}
        self.feed: list[tuple[Change, ...]] = []

    def with_changes(self, changes: Sequence[Change]) -> Shelf:
        """The shelf after a change set; this one stays as it is."""
        after = copy(self)
        after.messages = dict(self.messages)
        after.siblings = {parent: list(order) for parent, order in self.siblings.items()}
        after.envelopes = {message: list(known) for message, known in self.envelopes.items()}
        for change in changes:
            after.apply(change)
        after.feed = [*self.feed, tuple(changes)]
        return after

    def stored(self) -> StoredConversation:
        """What a load gives."""
        return StoredConversation(
            conversation=self.conversation,
            messages=arranged(tuple(self.messages.values()), self.siblings),
            envelopes=tuple(one for message in sorted(self.envelopes) for one in self.envelopes[message]),
        )

    def apply(self, change: Change) -> None:
        """One change, in place."""
        match change:
            case MessageAdded(message=message, position=position):
                self._add(message, position)
            case MessageUpdated(message=message):
                self._known(message)
                self.messages[message.id] = message
            case MessageMoved(message=message, position=position):
                self.siblings[self._known(message).parent_id].remove(message.id)
                self.messages[message.id] = message
                self.siblings.setdefault(message.parent_id, []).insert(position, message.id)
            case MessageRemoved(message=message):
                self.siblings[self._known(message).parent_id].remove(message.id)
                del self.messages[message.id]
                self.envelopes.pop(message.id, None)
            case ConversationUpdated(conversation=conversation):
                self._describe(conversation)
            case EnvelopeAttached(envelope=envelope):
                self._attach(envelope)

    def _add(self, message: Message, position: int | None) -> None:
        if message.id in self.messages:
            raise StoreError("The change adds something that is in the store already.")
        if message.parent_id is not None and message.parent_id not in self.messages:
            raise StoreError("The change names something that is not in the store.")
        self.messages[message.id] = message
        order = self.siblings.setdefault(message.parent_id, [])
        order.insert(len(order) if position is None else position, message.id)

    def _known(self, message: Message) -> Message:
        known = self.messages.get(message.id)
        if known is None:
            raise StoreError(f"There is no message {message.id!r} in the stored conversation.")
        return known

    def _describe(self, conversation: Conversation) -> None:
        if conversation.id != self.conversation.id:
            raise StoreError("The id of a conversation cannot change.")
        self.conversation = conversation

    def _attach(self, envelope: Envelope) -> None:
        if envelope.message_id not in self.messages:
            raise StoreError("The change names something that is not in the store.")
        self.envelopes.setdefault(envelope.message_id, []).append(envelope)
