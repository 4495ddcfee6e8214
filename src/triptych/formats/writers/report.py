"""The loss report: the result is read again, and what does not come back is named.

Messages are found again by id, or by their place on the shown path where a format has no ids. Tool results are
compared as parts of the reply that called for them, wherever a format puts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from triptych.formats.conversation import ImportedConversation
from triptych.formats.loss_report import FIELDS, lost, unique
from triptych.formats.paths import active_path
from triptych.formats.read import read
from triptych.formats.tree import nearest_kept, repair_parents
from triptych.formats.written import Loss
from triptych.model.ids import MessageId
from triptych.model.messages import Message, ToolMessage, message_text, role_of
from triptych.model.parts import ToolCallPart
from triptych.model.status import READY

__all__ = ["Matching", "reread_losses"]

Matching = Literal["id", "order"]
_ENCODER = msgspec.json.Encoder(order="deterministic")
_AHEAD = 8
_CONVERSATION = ("title", "model", "favorite", "extra")


class _Turn(msgspec.Struct, frozen=True):
    """A message with the results of its calls."""

    message: Message
    results: tuple[Message, ...] = ()


Pair = tuple[_Turn, _Turn | None]


def reread_losses(
    imported: ImportedConversation,
    data: bytes,
    reader: str,
    matching: Matching,
    held: frozenset[MessageId] = frozenset(),
) -> tuple[Loss, ...]:
    """What a conversation loses in these bytes. ``held`` are messages whose old records stand there untouched."""
    found, _ = read(data, name=imported.source.name or "", format_name=reader)
    if not found:
        return (lost(imported, None, "messages", "The format cannot hold this conversation."),)
    again = found[0]
    pairs = _by_id(imported, again) if matching == "id" else _by_order(imported, again)
    losses = [
        *_conversation_losses(imported, again),
        *(_tree_losses(imported, again, pairs) if matching == "id" else ()),
        *(
            loss
            for old, new in pairs
            if old.message.id not in held
            for loss in _turn_losses(imported, old, new)
        ),
    ]
    return unique(losses)


def _conversation_losses(imported: ImportedConversation, again: ImportedConversation) -> Iterator[Loss]:
    for name in _CONVERSATION:
        value = getattr(imported.conversation, name)
        if value and getattr(again.conversation, name) != value:
            yield lost(imported, None, name, f"The conversation's {name} has no place in this format.")


def _tree_losses(
    imported: ImportedConversation, again: ImportedConversation, pairs: Sequence[Pair]
) -> Iterator[Loss]:
    """Messages that come back below another one, and a shown path that is not the same."""
    kept = {old.message.id for old, new in pairs if new is not None}
    before, after = _parents(imported, kept), _parents(again, kept)
    by_id = {message.id: message for message in imported.messages}
    for name in kept:
        if before[name] != after.get(name):
            yield lost(imported, by_id[name], "parent_id", "It comes back below another message.")
    shown = [message.id for message in active_path(imported) if message.id in kept]
    then = [message.id for message in active_path(again) if message.id in kept]
    if shown != then:
        yield lost(imported, None, "head_id", "Another branch is shown when the file is read again.")


def _parents(imported: ImportedConversation, kept: set[MessageId]) -> dict[str, str | None]:
    """For each message the nearest one above that both sides have."""
    raw: dict[str, str | None] = {message.id: message.parent_id for message in imported.messages}
    return nearest_kept(repair_parents(raw, []), kept)


def _turns(messages: Sequence[Message]) -> list[_Turn]:
    """The messages that are no tool messages, each with the results that follow from it."""
    owner: dict[str, str] = {}
    results: dict[str, list[Message]] = {}
    by_id = {message.id: message for message in messages}
    for message in messages:
        if isinstance(message, ToolMessage):
            results.setdefault(_owner(message, by_id, owner), []).append(message)
    return [
        _Turn(message, tuple(results.get(message.id, ())))
        for message in messages
        if not isinstance(message, ToolMessage) or owner.get(message.id) == message.id
    ]


def _owner(message: Message, by_id: dict[MessageId, Message], owner: dict[str, str]) -> str:
    """The nearest message above that is no tool message; itself when there is none."""
    place, seen = message, set[str]()
    while isinstance(place, ToolMessage) and place.id not in seen:
        seen.add(place.id)
        above = by_id.get(place.parent_id) if place.parent_id else None
        if above is None:
            break
        place = above
    owner[message.id] = message.id if isinstance(place, ToolMessage) else place.id
    return owner[message.id]


def _by_id(imported: ImportedConversation, again: ImportedConversation) -> list[Pair]:
    there = {turn.message.id: turn for turn in _turns(again.messages)}
    return [(turn, there.get(turn.message.id)) for turn in _turns(imported.messages)]


def _by_order(imported: ImportedConversation, again: ImportedConversation) -> list[Pair]:
    path = [message for message in active_path(imported) if not message.hidden]
    shown = {message.id for message in path}
    there = _turns(active_path(again))
    here = _turns(path)
    aside = [_Turn(message) for message in imported.messages if message.id not in shown]
    return [*_aligned(here, there), *((one, None) for one in aside)]


def _aligned(here: Sequence[_Turn], there: Sequence[_Turn]) -> list[Pair]:
    """Two lines of turns side by side: each with the next that says the same, else with the one in its place."""
    pairs: list[Pair] = []
    place = 0
    for turn in here:
        ahead = range(place, min(place + _AHEAD, len(there)))
        same = next((at for at in ahead if _said(there[at]) == _said(turn)), None)
        if same is None and place < len(there) and role_of(there[place].message) == role_of(turn.message):
            same = place
        pairs.append((turn, None if same is None else there[same]))
        place = place if same is None else same + 1
    return pairs


def _said(turn: _Turn) -> tuple[str, str]:
    return role_of(turn.message), message_text(turn.message)


def _turn_losses(imported: ImportedConversation, old: _Turn, new: _Turn | None) -> Iterator[Loss]:
    if new is None and old.message.hidden:
        yield lost(imported, old.message, "message", "It is hidden, and the other program would show it.")
        return
    if new is None or role_of(new.message) != role_of(old.message):
        yield lost(imported, old.message, "message", "The format has no place for this message.")
        return
    yield from _part_losses(imported, old, new)
    yield from _field_losses(imported, old.message, new.message)
    there = {message.id: message for message in new.results}
    for result in old.results:
        yield from _field_losses(imported, result, there.get(result.id, new.message))


def _part_losses(imported: ImportedConversation, old: _Turn, new: _Turn) -> Iterator[Loss]:
    before, after = _parts(old), _parts(new)
    if before == after:
        return
    missing = Counter(before) - Counter(after)
    for kind in dict.fromkeys(kind for kind, _ in missing):
        kept = any(other == kind for other, _ in after)
        why = "It comes back changed." if kept else "The format has no place for it."
        yield lost(imported, old.message, kind, why)
    if not missing:
        yield lost(imported, old.message, "parts", "The parts come back in another order or number.")


def _parts(turn: _Turn) -> list[tuple[str, bytes]]:
    listed = [part for message in (turn.message, *turn.results) for part in message.parts]
    return [(str(part.__struct_config__.tag), _ENCODER.encode(_plain(part))) for part in listed]


def _plain(part: Any) -> Any:
    """Whether a call was answered is told by its result."""
    return msgspec.structs.replace(part, state=READY) if isinstance(part, ToolCallPart) else part


def _field_losses(imported: ImportedConversation, old: Message, new: Message) -> Iterator[Loss]:
    for name in _set_fields(old):
        if getattr(new, name, None) != getattr(old, name):
            yield lost(imported, old, name, f"Its {name.replace('_', ' ')} has no place in this format.")


def _set_fields(message: Message) -> Iterable[str]:
    for field in msgspec.structs.fields(type(message)):
        value = getattr(message, field.name)
        if field.name in FIELDS and value is not None and value != field.default:
            yield field.name
    if set(message.metadata or {}) - {"source"}:
        yield "metadata"
