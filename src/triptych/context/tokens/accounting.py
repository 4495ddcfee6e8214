"""What a recorded conversation costs, by source: content, calls, reasoning, signatures, tool definitions.

Not here: counting for a budget (``counter``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from triptych.context.rowwork import listed, mapping, present
from triptych.context.tokens.segments import estimate_segments
from triptych.model.rows import Row

__all__ = ["DRIFT", "account"]

DRIFT = 1.25
"""How much more than the estimate is expected, to be on the safe side."""

_SOURCES = ("content", "reasoning", "thoughtSignature", "toolCallId", "toolCalls", "toolDefinition")


def account(question: Mapping[str, Any]) -> dict[str, Any]:
    """The account of ``{messages, tools?, options?: {driftMultiplier}}``, as camelCase JSON."""
    drift = mapping(question.get("options")).get("driftMultiplier")
    factor = drift if isinstance(drift, int | float) else DRIFT
    rows = [_account_row(index, mapping(row)) for index, row in enumerate(listed(question.get("messages")))]
    tools = [_account_tool(mapping(tool)) for tool in listed(question.get("tools"))]
    sums = dict.fromkeys(_SOURCES, 0)
    for row in rows:
        for source, tokens in row["bySource"].items():
            sums[source] += tokens
    sums["toolDefinition"] += sum(tool["total"] for tool in tools)
    total = sum(sums.values())
    return {
        "adjustedTotal": math.ceil(total * factor),
        "bySource": sums,
        "driftMultiplier": factor,
        "messages": rows,
        "rawTotal": total,
        "tools": tools,
    }


def _account_row(index: int, row: Row) -> dict[str, Any]:
    reported = _reported(row) if row.get("role") == "assistant" else None
    counts = {"content": reported} if reported else _estimated(row)
    if row.get("tool_call_id"):
        counts["toolCallId"] = _count(row["tool_call_id"])
    known = {source: tokens for source, tokens in counts.items() if tokens}
    return {"bySource": known, "index": index, "role": row.get("role"), "total": sum(known.values())}


def _reported(row: Row) -> int | float | None:
    """Output tokens that the provider reported; a reported zero counts as none, and does not fall back."""
    for usage in (mapping(row.get("usage")), mapping(mapping(row.get("metadata")).get("usage"))):
        tokens = usage.get("totalOutputTokens")
        if isinstance(tokens, int | float) and not isinstance(tokens, bool):
            return tokens if tokens > 0 else None
    return None


def _estimated(row: Row) -> dict[str, Any]:
    calls = [mapping(call) for call in listed(row.get("tools"))] if row.get("role") == "assistant" else []
    fields = ("id", "apiName", "arguments", "type")
    reasoning = row.get("reasoning") if row.get("role") == "assistant" else None
    thought = reasoning if isinstance(reasoning, str) else mapping(reasoning).get("content")
    return {
        "content": _count(row.get("content")),
        "toolCalls": sum(_count(call.get(field)) for call in calls for field in fields),
        "thoughtSignature": sum(_count(call.get("thoughtSignature")) for call in calls),
        "reasoning": _count(thought),
    }


def _account_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    name = mapping(tool.get("function")).get("name") or tool.get("name") or "unknown"
    return {"name": name, "total": _count(tool)}


def _count(value: Any) -> int:
    if isinstance(value, str):
        return estimate_segments(value)
    if not present(value):
        return 0
    return estimate_segments(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
