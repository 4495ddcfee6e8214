"""One conversation in memory: the single truth that every view is computed from.

A *path* is the messages from a root to the head, users and assistants; each assistant brings its tool results,
which hang below it and never move the head. A *branch* is one of two or more siblings that are steps of a path;
at each such fork the parent says which one is active. Every operation returns the changes it made, in order, and
either makes all of them or raises ``UsageError`` and makes none.

Ids and times are handed in. Not here: storing (``ports.conversations``) and showing (``views``, ``flow``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from triptych.errors import UsageError
from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.envelope import Envelope
from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.status import COMPLETE
from triptych.repository.changes import (
    Change,
    ConversationUpdated,
    EnvelopeAttached,
    MessageAdded,
    MessageUpdated,
)
from triptych.repository.load import sound_messages
from triptych.repository.tree import Tree, is_branch

__all__ = ["Changes", "Repository"]

Changes = tuple[Change, ...]


class Repository:
    """The messages of one conversation, their order, the head and the envelopes."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._tree = Tree()
        self._envelopes: dict[MessageId, list[Envelope]] = {}

    @classmethod
    def load(
        cls,
        conversation: Conversation,
        messages: Iterable[Message],
        envelopes: Iterable[Envelope] = (),
    ) -> tuple[Repository, tuple[Diagnostic, ...]]:
        """A repository from stored or imported messages, whatever their state.

        Missing parents become roots, cycles are cut, second uses of an id are renamed; each with a diagnostic.
        Siblings keep the order in which they are given. A head that is not there is replaced by the newest tip.
        """
        repository = cls(conversation)
        sound, found = sound_messages(messages)
        for message in sound:
            repository._tree.add(message)
        for envelope in envelopes:
            repository._envelopes.setdefault(envelope.message_id, []).append(envelope)
        return repository, (*found, *repository._settle_head())

    # -- reading -------------------------------------------------------------------------------------------

    @property
    def conversation(self) -> Conversation:
        """The facts about the conversation, the head among them."""
        return self._conversation

    @property
    def head_id(self) -> MessageId | None:
        """The tip of the active path; None before the first message."""
        return self._conversation.head_id

    @property
    def messages(self) -> Sequence[Message]:
        """Every message, in the order of arrival, siblings in their own order: what ``load`` takes back."""
        return self._tree.in_order()

    def __len__(self) -> int:
        return len(self._tree.messages)

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._tree.messages

    def get(self, message_id: MessageId) -> Message:
        """One message; ``UsageError`` when it is not here."""
        return self._tree.get(message_id)

    def children(self, message_id: MessageId | None) -> tuple[MessageId, ...]:
        """All children, tool results included, in order; of None: the roots."""
        return tuple(self._tree.children.get(message_id, ()))

    def path(self, tip: MessageId | None = None) -> list[Message]:
        """Root to tip (the head, unless another tip is named), without tool results."""
        found = list(self._tree.ancestors(tip if tip is not None else self.head_id))
        found.reverse()
        return found

    def results(self, message_id: MessageId) -> list[ToolMessage]:
        """The tool results below an assistant message, in order of arrival."""
        below = (self._tree.messages[child] for child in self._tree.children.get(message_id, ()))
        return [message for message in below if isinstance(message, ToolMessage)]

    def branches(self, message_id: MessageId) -> tuple[MessageId, ...]:
        """The message and its siblings that are steps of a path, in order: what the arrows 2/3 go through."""
        message = self.get(message_id)
        return tuple(self._tree.branches(message.parent_id))

    def question_of(self, message_id: MessageId) -> MessageId | None:
        """The message that a reply answers: the first above it that is no assistant's and no result."""
        above = self._tree.ancestors(message_id)
        return next((m.id for m in above if not isinstance(m, AssistantMessage | ToolMessage)), None)

    def active_child(self, message_id: MessageId | None) -> MessageId | None:
        """The branch that goes on from here: the chosen one, else the newest; None at a tip."""
        branches = self._tree.branches(message_id)
        chosen = self._chosen(message_id)
        return chosen if chosen in branches else (branches[-1] if branches else None)

    def envelopes(self, message_id: MessageId) -> tuple[Envelope, ...]:
        """The revisions of a turn's envelope, oldest first."""
        return tuple(self._envelopes.get(message_id, ()))

    # -- writing -------------------------------------------------------------------------------------------

    def append(self, message: Message) -> Changes:
        """Add a message under the parent that it names, and make it the head.

        A tool result goes under an assistant and leaves the head where it is; so do the members of a fan-out
        and messages of a side thread.
        """
        if isinstance(message, ToolMessage) and not isinstance(self._parent_of(message), AssistantMessage):
            raise UsageError("A tool result belongs under the assistant message that called the tool.")
        added = self._tree.add(message)
        return (added, *self._go(message.id)) if is_branch(message) else (added,)

    def append_many(self, messages: Iterable[Message]) -> Changes:
        """Add messages in order; all of them or, after an error, none."""
        done: list[Change] = []
        try:
            for message in messages:
                done.extend(self.append(message))
        except UsageError:
            self._undo(done)
            raise
        return tuple(done)

    def update(self, message: Message) -> Changes:
        """Replace a message by another value of the same id, parent and role."""
        before = self.get(message.id)
        if type(before) is not type(message):
            raise UsageError("A message cannot change its role.")
        return () if before == message else (self._tree.replace(message),)

    def edit(self, message_id: MessageId, parts: tuple[Any, ...], *, new_id: MessageId, now: int) -> Changes:
        """Say it otherwise: a sibling with the new parts becomes the head, the old branch stays.

        The same parts change nothing. An edited reply counts as complete.
        """
        old = self.get(message_id)
        if isinstance(old, ToolMessage):
            raise UsageError("A tool result is a record of what happened and cannot be edited.")
        if old.parts == parts:
            return ()
        fresh = msgspec.structs.replace(
            old, id=new_id, parts=parts, created_at=now, updated_at=now, active_child_id=None
        )
        if isinstance(fresh, AssistantMessage):
            fresh = msgspec.structs.replace(fresh, status=COMPLETE, usage=None, performance=None)
        return self.append(fresh)

    def regenerate(self, message_id: MessageId) -> Changes:
        """Go back to where a reply started, so that the next reply becomes its sibling.

        Named on a user message, that message becomes the head; on an assistant's, the message before the first
        assistant step of that turn.
        """
        question = self.question_of(message_id)
        return self._point(None) if question is None else self._go(question)

    def remove(self, message_id: MessageId, *, splice: bool = False) -> Changes:
        """Take out a message with all below it; or (``splice``) alone, its children taking its place."""
        message = self.get(message_id)
        return self._splice(message) if splice else self._prune(message)

    def move(
        self, message_id: MessageId, parent_id: MessageId | None, position: int | None = None
    ) -> Changes:
        """Hang a message and all below it under another parent; the change names the old one."""
        old_parent_id = self.get(message_id).parent_id
        moved = self._tree.move(message_id, parent_id, position)
        left = self._forget(old_parent_id, message_id) if old_parent_id != parent_id else ()
        head = self.head_id
        return (moved, *left, *(self._go(head) if head is not None else ()))

    def truncate_after(self, message_id: MessageId) -> Changes:
        """Remove everything that follows a message, in all branches; its own tool results stay."""
        later = [child for child in self.children(message_id) if not isinstance(self.get(child), ToolMessage)]
        done: list[Change] = []
        for child in later:
            done.extend(self._uproot(child))
        if self.head_id is not None and self.head_id not in self._tree.messages:
            done.extend(self._go(message_id))
        return tuple(done)

    def clear(self) -> Changes:
        """Remove every message."""
        done: list[Change] = []
        for root in self.children(None):
            done.extend(self._uproot(root))
        return (*done, *self._point(None))

    def switch(self, message_id: MessageId) -> Changes:
        """Make the branch of this message the active one; the head goes to the tip that it last had."""
        if not is_branch(self.get(message_id)):
            raise UsageError("Only a step of a path can be made active.")
        return self._go(self._tip(message_id))

    def fork(
        self, message_id: MessageId, conversation: Conversation, new_id: Callable[[], str]
    ) -> Repository:
        """A conversation of its own that starts as a copy of the path to this message, with new ids."""
        copy = Repository(msgspec.structs.replace(conversation, head_id=None, active_root_id=None))
        parent: MessageId | None = None
        for message in self.path(message_id):
            fresh = self._copied(message, parent, new_id)
            copy.append(fresh)
            for result in self.results(message.id):
                copy.append(self._copied(result, fresh.id, new_id))
            parent = fresh.id
        return copy

    def attach_envelope(self, envelope: Envelope) -> Changes:
        """Fix the next revision of a user turn's envelope. A revision, once there, never changes."""
        if not isinstance(self.get(envelope.message_id), UserMessage):
            raise UsageError("An envelope belongs to a user message.")
        known = self._envelopes.setdefault(envelope.message_id, [])
        if envelope in known:
            return ()
        if envelope.revision != len(known) + 1:
            raise UsageError(f"The next revision of this envelope is {len(known) + 1}.")
        known.append(envelope)
        return (EnvelopeAttached(envelope=envelope),)

    def describe(self, **facts: Any) -> Changes:
        """Change facts of the conversation (title, model, favorite …); not its id, head or active root."""
        if not {"id", "head_id", "active_root_id"}.isdisjoint(facts):
            raise UsageError("The head is moved by append, switch and regenerate.")
        return self._conversed(msgspec.structs.replace(self._conversation, **facts))

    # -- inside --------------------------------------------------------------------------------------------

    def _undo(self, changes: list[Change]) -> None:
        """Take back the changes of appends."""
        for change in reversed(changes):
            match change:
                case MessageAdded(message=message):
                    self._tree.remove(message.id)
                case MessageUpdated(before=message):
                    self._tree.replace(message)
                case ConversationUpdated(before=conversation):
                    self._conversation = conversation
                case _:
                    pass

    def _parent_of(self, message: Message) -> Message | None:
        return None if message.parent_id is None else self.get(message.parent_id)

    def _chosen(self, parent_id: MessageId | None) -> MessageId | None:
        if parent_id is None:
            return self._conversation.active_root_id
        return self._tree.messages[parent_id].active_child_id

    def _tip(self, message_id: MessageId) -> MessageId:
        current = message_id
        while (child := self.active_child(current)) is not None:
            current = child
        return current

    def _go(self, head_id: MessageId) -> Changes:
        """Point the head at a message and choose its branch at every fork above it.

        Above the old head every fork names this path already, so an append costs the same at any depth.
        """
        settled = self.head_id
        done: list[Change] = list(self._point(head_id))
        child = self.get(head_id)
        while True:
            done.extend(self._choose(child.parent_id, child.id))
            if child.parent_id is None or child.parent_id == settled:
                return tuple(done)
            child = self._tree.messages[child.parent_id]

    def _choose(self, parent_id: MessageId | None, child_id: MessageId) -> Changes:
        chosen = self._chosen(parent_id)
        if chosen == child_id or (chosen is None and len(self._tree.branches(parent_id)) < 2):
            return ()
        if parent_id is None:
            return self._conversed(msgspec.structs.replace(self._conversation, active_root_id=child_id))
        parent = self._tree.messages[parent_id]
        return (self._tree.replace(msgspec.structs.replace(parent, active_child_id=child_id)),)

    def _point(self, head_id: MessageId | None) -> Changes:
        return self._conversed(msgspec.structs.replace(self._conversation, head_id=head_id))

    def _conversed(self, conversation: Conversation) -> Changes:
        before = self._conversation
        if conversation == before:
            return ()
        self._conversation = conversation
        return (ConversationUpdated(conversation=conversation, before=before),)

    def _uproot(self, message_id: MessageId) -> Changes:
        doomed = self._tree.subtree(message_id)
        parent_id = self.get(message_id).parent_id
        done = [self._tree.remove(one) for one in reversed(doomed)]
        for one in doomed:
            self._envelopes.pop(one, None)
        return (*done, *self._forget(parent_id, message_id))

    def _forget(self, parent_id: MessageId | None, child_id: MessageId) -> Changes:
        """No fork may name a child that has gone."""
        if self._chosen(parent_id) != child_id:
            return ()
        if parent_id is None:
            return self._conversed(msgspec.structs.replace(self._conversation, active_root_id=None))
        parent = self._tree.messages[parent_id]
        return (self._tree.replace(msgspec.structs.replace(parent, active_child_id=None)),)

    def _prune(self, message: Message) -> Changes:
        neighbour = self._neighbour(message)
        done = self._uproot(message.id)
        if self.head_id in self._tree.messages or self.head_id is None:
            return done
        if neighbour is not None:
            return (*done, *self._go(self._tip(neighbour)))
        return (*done, *(self._go(message.parent_id) if message.parent_id else self._point(None)))

    def _neighbour(self, message: Message) -> MessageId | None:
        """The branch to show when this one goes: the one before it, else the one after it."""
        siblings = self._tree.branches(message.parent_id)
        if message.id not in siblings or len(siblings) < 2:
            return None
        place = siblings.index(message.id)
        return siblings[place - 1] if place else siblings[1]

    def _splice(self, message: Message) -> Changes:
        place = self._tree.children[message.parent_id].index(message.id)
        done: list[Change] = []
        for offset, child in enumerate(self.children(message.id)):
            if isinstance(self._tree.messages[child], ToolMessage):
                done.extend(self._uproot(child))
            else:
                done.append(self._tree.move(child, message.parent_id, place + 1 + offset))
        if self.head_id == message.id:
            done.extend(self._point(self._after_splice(message)))
        done.append(self._tree.remove(message.id))
        self._envelopes.pop(message.id, None)
        done.extend(self._forget(message.parent_id, message.id))
        return (*done, *(self._go(self.head_id) if self.head_id else ()))

    def _after_splice(self, message: Message) -> MessageId | None:
        neighbour = self._neighbour(message)
        return self._tip(neighbour) if neighbour is not None else message.parent_id

    def _copied(self, message: Message, parent_id: MessageId | None, new_id: Callable[[], str]) -> Message:
        return msgspec.structs.replace(
            message, id=MessageId(new_id()), parent_id=parent_id, active_child_id=None
        )

    def _settle_head(self) -> tuple[Diagnostic, ...]:
        head = self.head_id
        if head in self._tree.messages or (head is None and not self._tree.branches(None)):
            return ()
        self._conversation = msgspec.structs.replace(self._conversation, head_id=None)
        newest = self.active_child(None)
        if newest is not None:
            self._go(self._tip(newest))
        if head is None:
            return ()
        return (
            Diagnostic(
                code="head_missing",
                message="The head was not among the messages; the newest tip took its place.",
                where=head,
            ),
        )
