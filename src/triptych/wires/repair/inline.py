"""Pass ``inline-result``: results that stand inside an assistant message become tool messages behind their calls.

One stored message may hold several steps (call, result, text, call …); a wire wants them as turns. Where a
message is split, the pieces keep its id and order; the first one is always a turn of the assistant, be it empty.

Not here: finding the results that stand elsewhere (``pairing``).
"""

from __future__ import annotations

import msgspec

from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, Message, ToolMessage
from triptych.model.parts import AssistantPart, ToolCallPart, ToolPart, ToolResultPart
from triptych.wires.repair.scope import Scope

__all__ = ["split_inline"]


def split_inline(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with every inline result in a tool message of its own."""
    if not any(map(_holds_result, messages)):
        return messages
    split: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage) and _holds_result(message):
            pieces = _pieces(message)
            split.extend(pieces)
            scope.note(
                "inline-result",
                f"An assistant message that holds results was sent as {len(pieces)} turns.",
                message,
            )
        else:
            split.append(message)
    return split


def _holds_result(message: Message) -> bool:
    if type(message) is AssistantMessage:
        for part in message.parts:
            if type(part) is ToolResultPart:
                return True
    return False


def _pieces(message: AssistantMessage) -> list[Message]:
    pieces: list[Message] = []
    said: list[AssistantPart] = []
    results: list[ToolPart] = []
    for part in message.parts:
        if isinstance(part, ToolResultPart):
            results.append(part)
            continue
        if (results and not isinstance(part, ToolCallPart)) or (results and not _open(said, results)):
            _close(message, said, results, pieces)
            said, results = [], []
        said.append(part)
    _close(message, said, results, pieces)
    return pieces


def _open(said: list[AssistantPart], results: list[ToolPart]) -> bool:
    """Whether a call of this step still waits for its result."""
    answered = [part.call_id for part in results if isinstance(part, ToolResultPart)]
    return any(part.call_id not in answered for part in said if isinstance(part, ToolCallPart))


def _close(
    message: AssistantMessage, said: list[AssistantPart], results: list[ToolPart], pieces: list[Message]
) -> None:
    if said or not pieces:
        pieces.append(msgspec.structs.replace(message, parts=tuple(said)))
    if results:
        pieces.append(ToolMessage(id=MessageId(f"{message.id}/results"), parts=tuple(results)))
