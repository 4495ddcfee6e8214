"""Pass ``reasoning``: a model's earlier reasoning goes back byte-exact to its own family, or not at all.

Signed, redacted and encrypted reasoning keeps its bytes, order and place; for another family, or where it lacks
what makes it valid, it is left out together with what depends on it (item ids at OpenAI). Reasoning at the end
of a turn, with nothing behind it, is refused by every family and left out (vercel/ai#7099).

Not here: switching thinking off for a request whose open turn has none (``anthropic.convert``).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from triptych.model.messages import AssistantMessage, Message
from triptych.model.parts import ReasoningPart, TextPart, ToolCallPart
from triptych.model.profile import Profile
from triptych.wires.private import encrypted_of, item_id_of, private_of, redacted_of, signature_of
from triptych.wires.repair.scope import Scope

__all__ = ["keep_reasoning", "settle_items"]

_ITEM_ID = re.compile("[a-zA-Z0-9_-]{1,64}")
_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")


def keep_reasoning(message: AssistantMessage, scope: Scope) -> AssistantMessage:
    """The message with the reasoning that may be sent; the same object when all of it may."""
    kept = [
        part for part in message.parts if not isinstance(part, ReasoningPart) or _usable(part, scope.profile)
    ]
    while kept and isinstance(kept[-1], ReasoningPart):
        kept.pop()
    if len(kept) == len(message.parts):
        return message
    scope.note(
        "reasoning",
        f"{len(message.parts) - len(kept)} reasoning parts cannot be sent to this model and were left out.",
        message,
    )
    return msgspec.structs.replace(message, parts=tuple(kept))


def _usable(part: ReasoningPart, profile: Profile) -> bool:
    if profile.reasoning in {"none", "drop"}:
        return False
    if _UNSENDABLE.search(part.text):
        return False
    family = profile.family
    if not profile.reasoning_signed:
        foreign = any(name not in {family, "cache"} for name in part.private or ())
        return bool(part.text.strip()) and not part.redacted and not foreign
    if profile.wire == "openai_responses":
        item = item_id_of(part, family)
        return item is not None and bool(_ITEM_ID.fullmatch(item)) and encrypted_of(part, family) is not None
    if part.redacted:
        return profile.wire != "gemini" and redacted_of(part, family) is not None
    return signature_of(part, family) is not None and (profile.wire != "gemini" or bool(part.text.strip()))


def settle_items(messages: list[Message], scope: Scope) -> list[Message]:
    """Item ids of the Responses format: unique over the request, and only beside the reasoning they came with.

    An item without its id is always free to be sent (continue#12620, pi#5149), so a doubtful id is taken off.
    """
    if scope.profile.wire != "openai_responses":
        return messages
    return [
        _settled(message, scope) if isinstance(message, AssistantMessage) and _has_items(message) else message
        for message in messages
    ]


def _has_items(message: AssistantMessage) -> bool:
    return any(part.private and "openai" in part.private for part in message.parts)


def _settled(message: AssistantMessage, scope: Scope) -> AssistantMessage:
    family = scope.profile.family
    parts: list[Any] = []
    reasoned = False
    for part in message.parts:
        item = item_id_of(part, family)
        taken = item is None or item in scope.seen.item_ids or not _ITEM_ID.fullmatch(item)
        if isinstance(part, ReasoningPart):
            reasoned = not taken
            if taken:
                scope.note("item-id", "A repeated reasoning item was left out.", message, before=part)
                continue
        elif isinstance(part, TextPart | ToolCallPart) and item is not None:
            start = "msg_" if isinstance(part, TextPart) else "fc_"
            if taken or not reasoned or not item.startswith(start):
                parts.append(_without_id(part, family))
                scope.note(
                    "item-id", "An item id that may not be sent here was taken off.", message, before=item
                )
                continue
        if item is not None:
            scope.seen.item_ids.add(item)
        parts.append(part)
    while parts and isinstance(parts[-1], ReasoningPart):
        parts.pop()
    return msgspec.structs.replace(message, parts=tuple(parts))


def _without_id(part: TextPart | ToolCallPart, family: str) -> TextPart | ToolCallPart:
    held = {
        key: value
        for key, value in private_of(part, family).items()
        if key not in {"id", "itemId", "item_id"}
    }
    return msgspec.structs.replace(part, private={**(part.private or {}), family: held})
