"""The bare tree: messages by id, children in order. Every step appends the change that it makes.

Not here: what a person may do (``repository``). This file keeps one promise: links and order agree.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from triptych.errors import UsageError
from triptych.model.ids import MessageId
from triptych.model.messages import Message, ToolMessage
from triptych.model.origins import Council, Dispatch, Signal, Task, TaskCallback
from triptych.repository.changes import Change, MessageAdded, MessageMoved, MessageRemoved, MessageUpdated

__all__ = ["Tree", "is_branch"]


def is_branch(message: Message) -> bool:
    """Whether a message is a step of a path: no tool result, no side thread, no member of a fan-out."""
    if isinstance(message, ToolMessage) or message.thread_id is not None:
        return False
    return not isinstance(message.origin, Council | Dispatch | Signal | Task | TaskCallback)


class Tree:
    """A forest of messages whose siblings have an order."""

    def __init__(self) -> None:
        self.messages: dict[MessageId, Message] = {}
        self.children: dict[MessageId | None, list[MessageId]] = {}
        self._reordered = False

    def in_order(self) -> tuple[Message, ...]:
        """Every message in the order of arrival; where siblings were put in another order, they come in theirs.

        Read in this order, the same messages give the same tree.
        """
        if not self._reordered:
            return tuple(self.messages.values())
        order = list(self.messages)
        place_of = {message_id: place for place, message_id in enumerate(order)}
        for siblings in self.children.values():
            places = sorted(place_of[one] for one in siblings)
            for place, one in zip(places, siblings, strict=True):
                order[place] = one
        return tuple(self.messages[one] for one in order)

    def get(self, message_id: MessageId) -> Message:
        """The message, or a usage error."""
        message = self.messages.get(message_id)
        if message is None:
            raise UsageError(f"There is no message {message_id!r} in this conversation.")
        return message

    def branches(self, parent_id: MessageId | None) -> list[MessageId]:
        """The children that are steps of a path, in order."""
        return [child for child in self.children.get(parent_id, ()) if is_branch(self.messages[child])]

    def ancestors(self, message_id: MessageId | None) -> Iterator[Message]:
        """The message and all above it, upwards."""
        current = message_id
        while current is not None:
            message = self.get(current)
            yield message
            current = message.parent_id

    def subtree(self, message_id: MessageId) -> list[MessageId]:
        """The message and all below it, parents before children."""
        found = [message_id]
        for current in found:
            found.extend(self.children.get(current, ()))
        return found

    def add(self, message: Message, position: int | None = None) -> Change:
        """Put a new message under its parent."""
        if message.id in self.messages:
            raise UsageError(f"A message with the id {message.id!r} is already there.")
        if message.parent_id is not None:
            self.get(message.parent_id)
        self.messages[message.id] = message
        siblings = self.children.setdefault(message.parent_id, [])
        siblings.insert(len(siblings) if position is None else position, message.id)
        self._reordered = self._reordered or position is not None
        return MessageAdded(message=message, position=position)

    def replace(self, message: Message) -> Change:
        """Another value for the same id and parent."""
        before = self.get(message.id)
        if before.parent_id != message.parent_id:
            raise UsageError("An update cannot move a message; use move().")
        self.messages[message.id] = message
        return MessageUpdated(message=message, before=before)

    def move(self, message_id: MessageId, parent_id: MessageId | None, position: int | None) -> Change:
        """Hang a message and all below it elsewhere."""
        message = self.get(message_id)
        if parent_id is not None and any(one.id == message_id for one in self.ancestors(parent_id)):
            raise UsageError("A message cannot hang below itself.")
        self._unlink(message)
        moved = msgspec.structs.replace(message, parent_id=parent_id)
        siblings = self.children.setdefault(parent_id, [])
        place = len(siblings) if position is None else min(position, len(siblings))
        siblings.insert(place, message_id)
        self.messages[message_id] = moved
        self._reordered = True
        return MessageMoved(message=moved, old_parent_id=message.parent_id, position=place)

    def remove(self, message_id: MessageId) -> Change:
        """Take out a message that has no children."""
        message = self.get(message_id)
        if self.children.get(message_id):
            raise UsageError("A message with children cannot be taken out alone.")
        self._unlink(message)
        self.children.pop(message_id, None)
        del self.messages[message_id]
        return MessageRemoved(message=message)

    def _unlink(self, message: Message) -> None:
        self.children[message.parent_id].remove(message.id)
