"""Pass ``call-place``: where a turn has to end with its calls, what was said behind them goes in front of them.

Claude refuses a turn that thinks, calls and then talks, and one with a server tool's step behind a call of ours
(stacklok/mecatl#1465, vercel/ai#13013). Reasoning keeps its order, and so do the calls.

Not here: the order of results (``pairing``).
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.model.messages import AssistantMessage, Message
from triptych.model.parts import ToolCallPart
from triptych.wires.repair.scope import Scope

__all__ = ["end_with_calls"]


def end_with_calls(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages, each turn with calls ending in a call where the target wants that."""
    if not scope.profile.calls_last:
        return messages
    return [_ended(message, scope) if type(message) is AssistantMessage else message for message in messages]


def _ended(message: AssistantMessage, scope: Scope) -> AssistantMessage:
    parts = message.parts
    end = len(parts)
    while end and not isinstance(parts[end - 1], ToolCallPart):
        end -= 1
    if end in {0, len(parts)}:
        return message
    start = end
    while start and isinstance(parts[start - 1], ToolCallPart):
        start -= 1
    ordered: Any = (*parts[:start], *parts[end:], *parts[start:end])
    scope.note("call-place", "What stood behind the calls of a turn was moved in front of them.", message)
    return msgspec.structs.replace(message, parts=ordered)
