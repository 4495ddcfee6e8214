"""Results that the compiler has to write itself: for a call that has none, and for a result that came too late.

Not here: which call has which result (``pairing``).
"""

from __future__ import annotations

from triptych.model.foreign import clean_text
from triptych.model.messages import AssistantMessage, Message
from triptych.model.parts import TextPart, ToolCallPart, ToolResultPart, UserPart
from triptych.model.status import CallApprovalNeeded, CallDenied, CallStarted, Incomplete
from triptych.wires.private import private_of
from triptych.wires.repair.scope import Answer

__all__ = ["late_parts", "synthetic_result"]


def synthetic_result(call: ToolCallPart, message: Message) -> ToolResultPart:
    """The result of a call that has none: marked, an error, and it says why there is nothing."""
    text = clean_text(f"[No result: {_why(call, message)}]")
    return ToolResultPart(
        call_id=call.call_id,
        name=call.name,
        content=(TextPart(text=text),),
        is_error=True,
        private={"triptych": {"synthetic": True}},
    )


def late_parts(answer: Answer, part: ToolResultPart) -> list[UserPart]:
    """What a late result says, under a line that names its call."""
    head = f"[Late result of the tool {answer.name}, called {clean_text(part.call_id)}:]"
    body = [content for content in part.content if not isinstance(content, TextPart)]
    text = "\n".join(content.text for content in part.content if isinstance(content, TextPart))
    return [TextPart(text=f"{head}\n{text}" if text else head), *body]


def _why(call: ToolCallPart, message: Message) -> str:
    state = call.state
    if isinstance(state, CallDenied):
        return f"a person did not allow this call{': ' + state.reason if state.reason else ''}."
    if isinstance(state, CallApprovalNeeded):
        return "nobody allowed this call, so it was not run."
    if isinstance(state, CallStarted):
        return "the tool was started, but whether it took effect is not known."
    status = message.status if isinstance(message, AssistantMessage) else None
    if isinstance(status, Incomplete) and status.reason == "length":
        return "the reply reached its output limit inside this call, so it was not run."
    if private_of(call, "triptych").get("storedName"):
        return "there is no tool of this name."
    return "this call was interrupted before a result was stored."
