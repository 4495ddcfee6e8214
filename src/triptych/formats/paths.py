"""The line of messages that a linear format can hold: the active path, each reply followed by its tool results.

Walks with visited sets, never recursively: foreign trees have cycles and thousands of levels. Not here: what a
path means to people (``flow``), and which branch is active (the reader decides; the head says so).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triptych.formats.conversation import ImportedConversation
from triptych.model.ids import MessageId
from triptych.model.messages import Message, ToolMessage

__all__ = ["active_path", "branch_ids", "children_of", "leaf_below", "visible_path"]


def children_of(messages: Iterable[Message]) -> dict[MessageId | None, list[Message]]:
    """The children of each message in the order given; those of None are roots, and of unknown parents too."""
    listed = list(messages)
    known = {message.id for message in listed}
    children: dict[MessageId | None, list[Message]] = {}
    for message in listed:
        parent = message.parent_id if message.parent_id in known and message.parent_id != message.id else None
        children.setdefault(parent, []).append(message)
    return children


def active_path(imported: ImportedConversation) -> list[Message]:
    """The messages from the root to the head; results of a reply's calls stand right after it."""
    by_id = {message.id: message for message in imported.messages}
    place = by_id.get(imported.conversation.head_id) if imported.conversation.head_id else None
    place = place or _last_said(imported.messages)
    line: list[Message] = []
    seen: set[MessageId] = set()
    while place is not None and place.id not in seen:
        seen.add(place.id)
        line.append(place)
        place = by_id.get(place.parent_id) if place.parent_id else None
    line.reverse()
    results: dict[MessageId, list[Message]] = {}
    for message in imported.messages:
        if not isinstance(message, ToolMessage) or message.id in seen:
            continue
        if message.parent_id is not None and message.parent_id in seen:
            results.setdefault(message.parent_id, []).append(message)
    return [one for message in line for one in (message, *results.get(message.id, ()))]


def _last_said(messages: Sequence[Message]) -> Message | None:
    said = (message for message in reversed(messages) if not isinstance(message, ToolMessage))
    return next(said, messages[-1] if messages else None)


def leaf_below(message: Message, children: dict[MessageId | None, list[Message]]) -> Message:
    """The end of the line that takes the last child that is no tool result at every step."""
    seen = {message.id}
    while True:
        below = [one for one in children.get(message.id, []) if one.id not in seen]
        said = [one for one in below if not isinstance(one, ToolMessage)] or below
        if not said:
            return message
        message = said[-1]
        seen.add(message.id)


def visible_path(imported: ImportedConversation) -> list[Message]:
    """The active path without hidden messages."""
    return [message for message in active_path(imported) if not message.hidden]


def branch_ids(imported: ImportedConversation, path: Iterable[Message]) -> list[MessageId]:
    """The messages that are on no active path, in order."""
    shown = {message.id for message in path}
    return [message.id for message in imported.messages if message.id not in shown]
