"""Pass ``ending``: the last turn is one that may be last.

Of a last assistant turn, only the last text is trimmed at the right (langchain#35071). Where the profile has no
prefill, a marked turn follows it. This is the one pass that looks at the end of a request;
what it does is not part of the prefix that a later request shares.
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.model.messages import AssistantMessage, Message, SystemMessage
from triptych.model.parts import TextPart
from triptych.wires.repair.pairing import CONTINUE
from triptych.wires.repair.scope import Scope, user_turn

__all__ = ["close_request"]


def close_request(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with an end that the target accepts."""
    place = len(messages) - 1
    while place >= 0 and isinstance(messages[place], SystemMessage):
        place -= 1
    last = messages[place] if place >= 0 else None
    if not isinstance(last, AssistantMessage):
        return messages
    if place == len(messages) - 1:
        messages = [*messages[:-1], _trimmed(last, scope)]
    if scope.profile.prefill:
        return messages
    turn = user_turn(last.id, "continue", (TextPart(text=CONTINUE),))
    scope.note(
        "structural-turn",
        "A fixed, marked turn was added: the last turn may not be the assistant's.",
        last,
        after=turn,
        severity="warning",
    )
    return [*messages, turn]


def _trimmed(message: AssistantMessage, scope: Scope) -> AssistantMessage:
    part = message.parts[-1] if message.parts else None
    if not isinstance(part, TextPart) or part.text == part.text.rstrip():
        return message
    shorter = msgspec.structs.replace(part, text=part.text.rstrip())
    parts: Any = (*message.parts[:-1], shorter)
    scope.note(
        "prefill-space",
        "White space at the end of the prefill was trimmed.",
        message,
        before=part,
        after=shorter,
    )
    return msgspec.structs.replace(message, parts=parts)
