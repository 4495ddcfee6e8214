"""Pass ``roles``: empty turns, who speaks first, and turns that have to alternate.

Structural turns are fixed, marked and reported; they say nothing that a person could have said. Neighbours are
merged only inside one side of an exchange, so what was sent once stays as it was.

Not here: the end of the request (``ending``).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from triptych.model.parts import TextPart, ToolCallPart
from triptych.model.profile import Profile
from triptych.wires.repair.scope import Scope, assistant_turn, is_structural, user_turn

__all__ = ["EMPTY_MESSAGE", "EMPTY_REPLY", "RECEIVED", "START", "arrange_roles", "is_free"]

START = "[The conversation begins with the assistant.]"
_ROLES: dict[type, Literal["user", "assistant", "tool"]] = {
    UserMessage: "user",
    AssistantMessage: "assistant",
    ToolMessage: "tool",
}
EMPTY_REPLY = "[The reply was empty.]"
EMPTY_MESSAGE = "[The message was empty.]"
RECEIVED = "[Results received.]"


def arrange_roles(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with no empty turn, a first turn that may be first, and neighbours merged or kept apart."""
    placed: list[Message] = []
    last_index = len(messages) - 1
    free = is_free(scope.profile)
    for index, message in enumerate(messages):
        if free and message.parts and scope.seen.last is not None and type(message) is not SystemMessage:
            placed.append(message)
            scope.seen.last = _ROLES[type(message)]
            continue
        following = messages[index + 1] if index < last_index else None
        turn = message if message.parts else _filled(message, following, scope)
        if turn is not None:
            _place(turn, placed, scope)
    return placed


def is_free(profile: Profile) -> bool:
    """Whether turns with content may follow each other in any order."""
    kept = profile.user_after_results and profile.text_beside_results and profile.text_beside_calls
    return kept and not profile.alternation


def _filled(message: Message, following: Message | None, scope: Scope) -> Message | None:
    """A visible placeholder for an empty turn that has to stand, or None when it may go."""
    last = scope.seen.last
    if isinstance(message, AssistantMessage):
        stands = last in {"user", "tool"} and following is not None and not _is_assistant(following)
        text = EMPTY_REPLY
    elif isinstance(message, UserMessage):
        stands = last in {None, "assistant"} and (following is None or _is_assistant(following))
        text = EMPTY_MESSAGE
    else:
        stands, text = False, ""
    if not isinstance(message, SystemMessage):
        scope.note(
            "empty-turn",
            "An empty turn was given a visible placeholder." if stands else "An empty turn was left out.",
            message,
            after=text if stands else None,
        )
    if not stands:
        return None
    metadata = {**(message.metadata or {}), "structural": "empty"}
    changed: Any = msgspec.structs.replace(message, parts=(TextPart(text=text),), metadata=metadata)
    return changed


def _is_assistant(message: Message) -> bool:
    return isinstance(message, AssistantMessage)


def _place(message: Message, placed: list[Message], scope: Scope) -> None:
    seen, profile = scope.seen, scope.profile
    if isinstance(message, SystemMessage):
        placed.append(message)
        return
    role = _ROLES[type(message)]
    if role != "user" and seen.last is None and profile.first_user:
        _structural(user_turn(message.id, "start", (TextPart(text=START),)), message, placed, scope)
    if role == "user" and seen.last == "tool" and _kept_apart(scope):
        _structural(assistant_turn(message.id, "received", RECEIVED), message, placed, scope)
        seen.last = "assistant"
    if role == "assistant" and not profile.text_beside_calls:
        _place_apart(message, placed, scope)
    elif (
        role == seen.last
        and role != "tool"
        and profile.alternation
        and placed
        and type(placed[-1]) is type(message)
    ):
        placed[-1] = _merged(placed[-1], message, scope)
    else:
        placed.append(message)
    seen.last = role


def _kept_apart(scope: Scope) -> bool:
    """Whether a user turn may not follow results: strict templates count only turns outside tool units."""
    profile = scope.profile
    return not profile.user_after_results or not profile.text_beside_results


def _structural(turn: Message, anchor: Message, placed: list[Message], scope: Scope) -> None:
    placed.append(turn)
    scope.note(
        "structural-turn",
        "A fixed, marked turn was added to keep the roles in order.",
        anchor,
        after=turn,
        severity="warning",
    )


def _merged(first: Message, second: Message, scope: Scope) -> Message:
    parts: Any = (*first.parts, *second.parts)
    metadata = first.metadata
    if is_structural(first) and not is_structural(second):
        metadata = {
            key: value for key, value in (first.metadata or {}).items() if key != "structural"
        } or None
    merged: Any = msgspec.structs.replace(first, parts=parts, metadata=metadata)
    scope.note(
        "merged", "Two neighbouring turns of one role are sent as one.", second, before=second, after=merged
    )
    return merged


def _place_apart(message: Message, placed: list[Message], scope: Scope) -> None:
    """Text and calls in turns of their own, for servers that take only one of them in a turn."""
    calls: Any = tuple(part for part in message.parts if isinstance(part, ToolCallPart))
    rest: Any = tuple(part for part in message.parts if not isinstance(part, ToolCallPart))
    if not calls or not rest:
        placed.append(message)
        return
    placed.append(msgspec.structs.replace(message, parts=rest))
    placed.append(msgspec.structs.replace(message, parts=calls))
    scope.note("text-beside-calls", "Text and calls of one reply are sent as two turns.", message)
