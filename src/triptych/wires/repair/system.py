"""Pass ``system-place``: system text stands where the profile allows it.

``field`` and ``first``: the leading system texts are one, at the head; ``none``: there is no such place. A system
text in mid-conversation folds into the next user turn (never into the first system text, which would move the
whole prompt); where no user turn follows before the next reply, it becomes a marked turn of its own.
"""

from __future__ import annotations

import msgspec

from triptych.model.messages import AssistantMessage, Message, SystemMessage, UserMessage
from triptych.model.parts import TextPart
from triptych.wires.repair.scope import Scope, user_turn

__all__ = ["MARK", "place_system"]

MARK = "[System message]"
"""The line above a system text that travels in a user turn."""


def place_system(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with every system text where it may stand."""
    if scope.profile.system == "anywhere":
        return [message for message in messages if message.parts or not isinstance(message, SystemMessage)]
    leading = 0
    if not scope.seen.system_done:
        while leading < len(messages) and isinstance(messages[leading], SystemMessage):
            leading += 1
        scope.seen.system_done = leading < len(messages)
    head: list[Message] = []
    start = 0
    if leading and scope.profile.system != "none":
        head = _one_system(messages[:leading], scope)
        start = leading
    if not any(isinstance(message, SystemMessage) for message in messages[start:]):
        return [*head, *messages[start:]] if head or start else messages
    return [*head, *_folded(messages[start:], scope)]


def _one_system(leading: list[Message], scope: Scope) -> list[Message]:
    filled = [message for message in leading if isinstance(message, SystemMessage) and message.parts]
    if len(filled) <= 1:
        return list(filled)
    parts = tuple(part for message in filled for part in message.parts)
    scope.note(
        "system-place", f"{len(filled)} system messages at the head are sent as one.", filled[0], after=parts
    )
    return [msgspec.structs.replace(filled[0], parts=parts)]


def _folded(messages: list[Message], scope: Scope) -> list[Message]:
    placed: list[Message] = []
    waiting: list[TextPart] = []
    anchor: Message | None = None
    for message in messages:
        if isinstance(message, SystemMessage):
            if message.parts:
                waiting.extend(_marked(message))
                anchor = anchor or message
                scope.note(
                    "system-place",
                    "A system text that may not stand here was put into the next user turn.",
                    message,
                    before=message.parts,
                )
            continue
        if waiting and isinstance(message, UserMessage):
            placed.append(msgspec.structs.replace(message, parts=(*waiting, *message.parts)))
            waiting, anchor = [], None
            continue
        if waiting and anchor is not None and isinstance(message, AssistantMessage):
            placed.append(user_turn(anchor.id, "system", waiting))
            waiting, anchor = [], None
        placed.append(message)
    if waiting and anchor is not None:
        placed.append(user_turn(anchor.id, "system", waiting))
    return placed


def _marked(message: SystemMessage) -> list[TextPart]:
    return [
        msgspec.structs.replace(part, text=f"{MARK}\n{part.text}")
        for part in message.parts
        if isinstance(part, TextPart)
    ]
