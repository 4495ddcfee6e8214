"""Lists of messages in the own shape of one wire (Responses items, Gemini contents, Bedrock messages), for the pipes.

Their pieces have no ``type``, or their entries no ``role``, so they cannot be read piece by piece: each such list
is read whole, by that wire's reader.

Not here: the shapes that most programs share (``cli.prompt_input``).
"""

from __future__ import annotations

from typing import Any

from triptych.model.messages import Message
from triptych.model.profile import WireName
from triptych.wires import from_payload
from triptych.wires.payload import Repair

__all__ = ["read_native"]

_ITEMS = frozenset({"function_call", "function_call_output", "reasoning", "item_reference", "compaction"})
_GEMINI = frozenset({"functionCall", "functionResponse", "inlineData", "fileData"})
_BEDROCK = frozenset(
    {"toolUse", "toolResult", "reasoningContent", "cachePoint", "document", "image", "video"}
)
_SHARED = frozenset({"tools", "tool_calls", "tool_call_id"})


def read_native(values: list[Any]) -> tuple[list[Message], list[Repair]] | None:
    """The messages of a list that is in one wire's own shape, and a note for each strange thing; else None."""
    entries = [value for value in values if isinstance(value, dict)]
    wire = None if any(_SHARED & entry.keys() for entry in entries) else _wire(entries)
    if wire is None:
        return None
    read = from_payload(values, wire)
    notes = [
        Repair(rule=found.code, sentence=found.message, severity=found.severity) for found in read.diagnostics
    ]
    return list(read.messages), notes


def _wire(entries: list[dict[str, Any]]) -> WireName | None:
    if any("role" not in entry and entry.get("type") in _ITEMS for entry in entries):
        return "openai_responses"
    if _tells(entries, "parts", _GEMINI):
        return "gemini"
    return "bedrock" if _tells(entries, "content", _BEDROCK) else None


def _tells(entries: list[dict[str, Any]], field: str, signs: frozenset[str]) -> bool:
    """Whether every entry holds a list of pieces without a type, and some piece is one that only this wire has."""
    held = [entry.get(field) for entry in entries]
    if not all(isinstance(pieces, list) for pieces in held):
        return False
    pieces = [piece for each in held if isinstance(each, list) for piece in each]
    untyped = all(isinstance(piece, dict) and "type" not in piece for piece in pieces)
    return untyped and any(signs & piece.keys() for piece in pieces)
