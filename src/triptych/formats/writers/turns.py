"""The tree as programs hold it that keep a tool's answer inside the message that called for it.

Not here: trees with results as messages of their own (LobeHub), and lines (``line``).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from triptych.formats.conversation import ImportedConversation
from triptych.formats.folding import fold, path_to
from triptych.formats.tree import nearest_kept, repair_parents
from triptych.formats.writers.frame import Changes
from triptych.model.messages import Message, Role, ToolMessage, role_of
from triptych.model.parts import ToolCallPart, ToolResultPart

__all__ = ["Turn", "head_turn", "touched", "turns_of"]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A message with the answers of its tools.

    Attributes:
        parent: the id of the turn that it continues.
        parts: its parts, each result right after its call.
        results: the tool messages that were put into it.
    """

    message: Message
    parent: str | None
    parts: tuple[Any, ...]
    results: tuple[Message, ...] = ()


def turns_of(imported: ImportedConversation, roles: Collection[Role]) -> list[Turn]:
    """The turns of these roles, in order; what hung below another role hangs below the next turn above."""
    by_id: dict[str, Message] = {message.id: message for message in imported.messages}
    folded = fold(_without_circles(imported))
    kept = {name for name in folded.parents if role_of(by_id[name]) in roles}
    parents = nearest_kept(folded.parents, kept)
    turns: list[Turn] = []
    for name in folded.parents:
        if name in kept:
            results = tuple(by_id[one] for one in folded.results.get(name, ()))
            turns.append(
                Turn(
                    message=by_id[name],
                    parent=parents[name],
                    parts=_joined(by_id[name], results),
                    results=results,
                )
            )
    return turns


def _without_circles(imported: ImportedConversation) -> list[Message]:
    parents = repair_parents({message.id: message.parent_id for message in imported.messages}, [])
    return [
        message
        if message.parent_id == parents[message.id]
        else msgspec.structs.replace(message, parent_id=parents[message.id])
        for message in imported.messages
    ]


def _joined(message: Message, results: tuple[Message, ...]) -> tuple[Any, ...]:
    answers = [part for one in results for part in one.parts]
    joined: list[Any] = []
    for part in message.parts:
        joined.append(part)
        if isinstance(part, ToolCallPart):
            own = [one for one in answers if isinstance(one, ToolResultPart) and one.call_id == part.call_id]
            joined += own[:1]
            answers = [one for one in answers if not own or one is not own[0]]
    return (*joined, *answers)


def head_turn(imported: ImportedConversation, turns: Collection[Turn]) -> str | None:
    """The id of the turn that the head is in, or of the nearest one above it."""
    names = {turn.message.id for turn in turns}
    head = imported.conversation.head_id
    known = {message.id for message in imported.messages}
    if head is None or head not in known:
        return None
    folded = fold(_without_circles(imported))
    line = path_to(folded, folded.owners.get(head, head))
    return next((name for name in reversed(line) if name in names), None)


def touched(turns: Collection[Turn], changes: Changes) -> tuple[list[Turn], list[Turn]]:
    """The turns to add, and those whose old record has to be made anew: changed, or with a result since."""
    fresh = {message.id for message in changes.fresh}
    added = [turn for turn in turns if turn.message.id in fresh]
    renewed = [
        turn
        for turn in turns
        if turn.message.id not in fresh
        and (
            turn.message.id in changes.changed
            or any(
                one.id in fresh or one.id in changes.changed
                for one in turn.results
                if isinstance(one, ToolMessage)
            )
        )
    ]
    return added, renewed
