"""Pass ``server-tool``: what a provider's own tools did goes back whole to that provider, or becomes an ordinary step.

Anthropic wants a server tool's call and result back as they came, inside the assistant turn; they travel as one
verbatim block each. For everybody else a call with a result is an ordinary call, and a call whose result only the
provider knows (a hosted search, say) is left out: a synthetic error would be a lie.

Not here: calls of tools that we run ourselves (``pairing``).
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.model.messages import AssistantMessage, Message
from triptych.model.parts import AssistantPart, ToolCallPart, ToolResultPart, UnknownPart
from triptych.wires.private import private_of
from triptych.wires.repair.calls import parse_arguments
from triptych.wires.repair.scope import Scope

__all__ = ["is_verbatim", "settle_server_tools"]

_MARK = {"triptych": {"verbatim": True}}
_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})
_ENCODER = msgspec.json.Encoder()


def settle_server_tools(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with every server tool's step in a form that this target takes."""
    if not any(map(_concerns, messages)):
        return messages
    return [
        _settled(message, scope) if isinstance(message, AssistantMessage) and _concerns(message) else message
        for message in messages
    ]


def is_verbatim(part: Any) -> bool:
    """Whether the part is a block that goes to the provider exactly as it stands."""
    return isinstance(part, UnknownPart) and part.private == _MARK


def _concerns(message: Message) -> bool:
    if type(message) is AssistantMessage:
        for part in message.parts:
            if type(part) is ToolCallPart and part.server_side:
                return True
    return False


def _settled(message: AssistantMessage, scope: Scope) -> AssistantMessage:
    results = {part.call_id: part for part in message.parts if isinstance(part, ToolResultPart)}
    blocks: dict[int, AssistantPart] = {}
    gone: set[int] = set()
    for part in message.parts:
        if not isinstance(part, ToolCallPart) or not part.server_side:
            continue
        result = results.get(part.call_id)
        pair = _verbatim(part, result, scope) if result is not None else None
        if pair is not None and id(result) not in blocks:
            blocks[id(part)], blocks[id(result)] = pair
        elif result is not None:
            blocks[id(part)] = msgspec.structs.replace(part, server_side=False)
        else:
            gone.add(id(part))
            scope.note(
                "server-tool",
                f"The provider's own tool {part.name!r} left no result to send.",
                message,
                before=part,
            )
    parts: list[AssistantPart] = [
        blocks.get(id(part), part) for part in message.parts if id(part) not in gone
    ]
    return msgspec.structs.replace(message, parts=tuple(parts))


def _verbatim(
    call: ToolCallPart, result: ToolResultPart, scope: Scope
) -> tuple[UnknownPart, UnknownPart] | None:
    """The call and the result as Anthropic's blocks, when this request goes there and both can be sent."""
    if scope.profile.wire != "anthropic" or scope.profile.family != "anthropic":
        return None
    kind, block = private_of(call, "anthropic").get("type"), private_of(result, "anthropic")
    arguments = parse_arguments(call.arguments or "{}")
    if (
        not isinstance(kind, str)
        or kind not in _CALLS
        or arguments is None
        or not str(block.get("type")).endswith("_tool_result")
    ):
        return None
    used: dict[str, Any] = {"type": kind, "id": call.call_id, "name": call.name, "input": arguments}
    if call.namespace:
        used["server_name"] = call.namespace
    if not _sendable(used) or not _sendable(block):
        return None
    return UnknownPart(raw=used, private=_MARK), UnknownPart(raw=block, private=_MARK)


def _sendable(block: dict[str, Any]) -> bool:
    try:
        return b"\\u0000" not in _ENCODER.encode(block)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False
