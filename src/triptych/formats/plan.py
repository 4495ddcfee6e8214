"""What storing an imported conversation would change, as a value: the same export twice changes nothing.

Messages that are stored already are never rewritten: new ones are added below them; one that has only grown (a
reply that was still being written) is completed; one that differs in both places stays as it is stored, and the
difference is reported.

Not here: storing (the caller's ``save``), and which project it goes to.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from triptych.formats.conversation import ImportedConversation
from triptych.formats.problems import note
from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import Message
from triptych.ports.conversations import StoredConversation

__all__ = ["ImportPlan", "plan_import"]


class ImportPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The changes that bring a store up to an import.

    Attributes:
        action: ``create`` (not stored yet), ``extend`` (something is new), ``nothing``.
        conversation: as it should be stored: everything that a person may have changed stays.
        added: messages to be added, each after its parent.
        grown: messages to be replaced: their stored parts are a beginning of the new ones.
        document: the bytes to be kept as a blob; empty when nothing changes.
        diagnostics: messages that differ in both places.
    """

    action: Literal["create", "extend", "nothing"]
    conversation: Conversation
    added: tuple[Message, ...] = ()
    grown: tuple[Message, ...] = ()
    document: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()


def plan_import(imported: ImportedConversation, stored: StoredConversation | None) -> ImportPlan:
    """Compare an import with what is stored under its id."""
    if stored is None:
        return ImportPlan(
            action="create",
            conversation=imported.conversation,
            added=_parents_first(imported.messages),
            document=imported.document,
        )
    known = {message.id: message for message in stored.messages}
    added = [message for message in imported.messages if message.id not in known]
    met = [message for message in imported.messages if message.id in known]
    grown = [message for message in met if _has_grown(known[message.id], message)]
    completed = {message.id for message in grown}
    differing = [one for one in met if one.id not in completed and one.parts != known[one.id].parts]
    changed = bool(added or grown)
    return ImportPlan(
        action="extend" if changed else "nothing",
        conversation=_extended(imported, stored) if changed else stored.conversation,
        added=_parents_first(added),
        grown=tuple(grown),
        document=imported.document if changed else b"",
        diagnostics=tuple(
            note("differs_from_stored", "The stored message was kept; the file has another text.", one.id)
            for one in differing
        ),
    )


def _has_grown(old: Message, new: Message) -> bool:
    """Whether the stored message is a beginning of the new one."""
    return (
        type(old) is type(new)
        and len(old.parts) < len(new.parts)
        and new.parts[: len(old.parts)] == old.parts
    )


def _extended(imported: ImportedConversation, stored: StoredConversation) -> Conversation:
    """The stored conversation with the newer time and source; the head moves on only if it stood on that path."""
    fresh, kept = imported.conversation, stored.conversation
    head = kept.head_id
    if head is None or head in _path(imported.messages, fresh.head_id):
        head = fresh.head_id
    return msgspec.structs.replace(
        kept,
        head_id=head,
        updated_at=max(kept.updated_at, fresh.updated_at),
        metadata={**(kept.metadata or {}), **(fresh.metadata or {})},
    )


def _path(messages: tuple[Message, ...], head: MessageId | None) -> set[MessageId]:
    parents = {message.id: message.parent_id for message in messages}
    path: set[MessageId] = set()
    place = head
    while place is not None and place not in path:
        path.add(place)
        place = parents.get(place)
    return path


def _parents_first(messages: tuple[Message, ...] | list[Message]) -> tuple[Message, ...]:
    """The messages so that each comes after its parent; otherwise in their own order."""
    waiting: dict[MessageId | None, list[Message]] = {}
    names = {message.id for message in messages}
    for message in messages:
        above = message.parent_id if message.parent_id in names else None
        waiting.setdefault(above, []).append(message)
    ordered: list[Message] = []
    pending = waiting.get(None, [])[::-1]
    while pending:
        message = pending.pop()
        ordered.append(message)
        pending += waiting.get(message.id, [])[::-1]
    return tuple(ordered)
