"""Making any list of messages fit to be a tree, with a diagnostic for each thing that had to be mended."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import Message

__all__ = ["sound_messages"]


def sound_messages(messages: Iterable[Message]) -> tuple[list[Message], tuple[Diagnostic, ...]]:
    """The same messages, parents before children, siblings in the order given.

    An equal second copy is dropped; a different one gets ``~2``, ``~3`` … behind its id. A parent that is not
    there, and the first message of a cycle in the order given, become roots.
    """
    found: list[Diagnostic] = []
    unique = _unique(messages, found)
    linked = _linked(unique, found)
    return _parents_first(linked), tuple(found)


def _unique(messages: Iterable[Message], found: list[Diagnostic]) -> dict[MessageId, Message]:
    unique: dict[MessageId, Message] = {}
    for message in messages:
        other = unique.get(message.id)
        if other is None:
            unique[message.id] = message
        elif other == message:
            found.append(
                _note("duplicate_message", "A second, equal copy of a message was dropped.", message.id)
            )
        else:
            renamed = msgspec.structs.replace(message, id=_free_id(message.id, unique))
            unique[renamed.id] = renamed
            found.append(
                _note(
                    "duplicate_id",
                    f"Another message had the same id; this one is {renamed.id!r}.",
                    message.id,
                )
            )
    return unique


def _free_id(taken: MessageId, unique: dict[MessageId, Message]) -> MessageId:
    number = 2
    while f"{taken}~{number}" in unique:
        number += 1
    return MessageId(f"{taken}~{number}")


def _linked(unique: dict[MessageId, Message], found: list[Diagnostic]) -> dict[MessageId, Message]:
    """Every message has a parent that is there, or none, and following parents ends."""
    settled: set[MessageId] = set()
    linked = dict(unique)
    for message in unique.values():
        if message.parent_id is not None and message.parent_id not in unique:
            linked[message.id] = msgspec.structs.replace(message, parent_id=None)
            found.append(_note("parent_missing", "Its parent is missing; it became a root.", message.id))
    for start in unique:
        walked: dict[MessageId, None] = {}
        current: MessageId | None = start
        while current is not None and current not in settled and current not in walked:
            walked[current] = None
            current = linked[current].parent_id
        if current is not None and current in walked:
            cut = _first_of_cycle(current, linked, unique)
            linked[cut] = msgspec.structs.replace(linked[cut], parent_id=None)
            found.append(_note("cycle", "Its parents form a ring; it became a root.", cut))
        settled.update(walked)
    return linked


def _first_of_cycle(
    inside: MessageId, linked: dict[MessageId, Message], order: dict[MessageId, Message]
) -> MessageId:
    ring: set[MessageId] = set()
    current: MessageId | None = inside
    while current is not None and current not in ring:
        ring.add(current)
        current = linked[current].parent_id
    return next(one for one in order if one in ring)


def _parents_first(linked: dict[MessageId, Message]) -> list[Message]:
    """Order of arrival, but for a message that arrived before its parent."""
    placed: dict[MessageId, Message] = {}
    waiting: dict[MessageId, list[Message]] = {}
    for message in linked.values():
        if message.parent_id is None or message.parent_id in placed:
            _place(message, placed, waiting)
        else:
            waiting.setdefault(message.parent_id, []).append(message)
    return list(placed.values())


def _place(
    message: Message, placed: dict[MessageId, Message], waiting: dict[MessageId, list[Message]]
) -> None:
    ready = [message]
    while ready:
        current = ready.pop()
        placed[current.id] = current
        ready.extend(reversed(waiting.pop(current.id, ())))


def _note(code: str, message: str, where: MessageId) -> Diagnostic:
    return Diagnostic(code=code, message=message, where=where)
