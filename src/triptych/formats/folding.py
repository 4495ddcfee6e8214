"""The tree with tool messages folded into the message that called them: what is a branch, and what is shown.

A tool message belongs to the message whose call it answers, or else to its nearest ancestor that is no tool
message; what follows on tool messages follows on that ancestor. So results never make a branch, whichever way a
program hangs them up. Results above which nothing else stands are nodes themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from triptych.formats.tree import nearest_kept
from triptych.model.messages import AssistantMessage, Message, ToolMessage
from triptych.model.parts import ToolCallPart, ToolResultPart

__all__ = ["Folded", "descend", "fold", "path_to"]


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    """The folded tree, by message id.

    Attributes:
        parents: of each node (a message that is no folded tool message), the node it continues.
        children: of each node, and of None (the roots), the nodes that continue it, in the order of the file.
        results: of each node, the tool messages folded into it, in the order of the file.
        owners: of each folded tool message, the node that it hangs below.
    """

    parents: dict[str, str | None]
    children: dict[str | None, list[str]]
    results: dict[str, list[str]]
    owners: dict[str, str]


def fold(messages: Sequence[Message]) -> Folded:
    """Fold the tool messages of a repaired tree."""
    raw: dict[str, str | None] = {message.id: message.parent_id for message in messages}
    tools = {message.id for message in messages if isinstance(message, ToolMessage)}
    nodes = raw.keys() - tools
    nearest = nearest_kept(raw, nodes) if tools else raw
    first = {name for name in tools if nearest[name] is None}
    if first:
        nearest = nearest_kept(raw, nodes | first)
    parents: dict[str, str | None] = {}
    children: dict[str | None, list[str]] = {}
    owners: dict[str, str] = {}
    for name in raw:
        owner = nearest[name]
        if name in tools and name not in first and owner is not None:
            owners[name] = owner
        else:
            parents[name] = owner
            children.setdefault(owner, []).append(name)
    return Folded(parents=parents, children=children, results=_results(messages, owners), owners=owners)


def _results(messages: Sequence[Message], owners: dict[str, str]) -> dict[str, list[str]]:
    """The tool messages of each node. One that came late, after other words, goes to the one message that called."""
    callers: dict[str, str | None] = {}
    results: dict[str, list[str]] = {}
    for message in messages if owners else ():
        if isinstance(message, AssistantMessage):
            for part in message.parts:
                if isinstance(part, ToolCallPart):
                    callers[part.call_id] = None if part.call_id in callers else message.id
        elif message.id in owners:
            answered = _answered(message)
            caller = callers.get(answered) if answered else None
            results.setdefault(caller or owners[message.id], []).append(message.id)
    return results


def _answered(message: Message) -> str:
    """The call that the first result of a tool message answers."""
    return next((part.call_id for part in message.parts if isinstance(part, ToolResultPart)), "")


def descend(folded: Folded, start: str) -> str:
    """From a message on along the last children to a leaf."""
    place = folded.owners.get(start, start)
    while below := folded.children.get(place):
        place = below[-1]
    return place


def path_to(folded: Folded, head: str) -> list[str]:
    """The nodes from the root to a message."""
    path: list[str] = []
    place: str | None = folded.owners.get(head, head)
    while place is not None:
        path.append(place)
        place = folded.parents.get(place)
    return path[::-1]
