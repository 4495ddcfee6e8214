"""Blocks: how one step, one result, one callback looks inside a row.

Not here: which messages share a row (``visit``), and the row around the blocks (``to_list``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from triptych.flow.index import Forest
from triptych.flow.reading import calls, is_object, metadata, signal, truthy
from triptych.flow.usage import other_metadata, split_metadata
from triptych.model.rows import Row

__all__ = [
    "answered_call",
    "callback_block",
    "completion_block",
    "merge_metadata",
    "signal_source",
    "step_block",
]

_TRUTHY: Final = ("error", "reasoning")
_LISTS: Final = ("fileList", "imageList", "parts")
_OUTCOMES: Final = frozenset({"contentLength", "error", "pluginError", "pluginState"})
_EXTRAS: Final = frozenset({*_TRUTHY, *_LISTS})


def step_block(row: Row, message_id: str, tools: Sequence[Any] = ()) -> dict[str, Any]:
    """The block of one assistant message: its words, its answered calls, its own tokens and timings."""
    block: dict[str, Any] = {"id": message_id, "content": row.get("content") or ""}
    _copy_extras(row, block)
    if tools:
        block["tools"] = tools
    about = metadata(row)
    usage, performance = split_metadata(about)
    if "usage" in row and truthy(row["usage"]):
        usage = row["usage"]
    if "performance" in row and truthy(row["performance"]):
        performance = row["performance"]
    if usage is not None:
        block["usage"] = usage
    if performance is not None:
        block["performance"] = performance
    other = other_metadata(about) if about else None
    if other:
        block["metadata"] = other
    return block


def _copy_extras(row: Row, block: dict[str, Any]) -> None:
    if _EXTRAS.isdisjoint(row):
        return
    for key in _TRUTHY:
        if key in row and truthy(row[key]):
            block[key] = row[key]
    for key in _LISTS:
        if key in row and isinstance(row[key], list | tuple) and row[key]:
            block[key] = row[key]


def answered_call(forest: Forest, call: Any, result: str | None) -> Any:
    """A call with its result; a call without one is passed on as it is."""
    if result is None or not is_object(call):
        return call
    row = forest.rows[result]
    entry: dict[str, Any] = {**call, "result": _result(row, result), "result_msg_id": result}
    if "pluginIntervention" in row:
        entry["intervention"] = row["pluginIntervention"]
    else:
        entry.pop("intervention", None)
    if "plugin" in row:
        prepared = _prepared_arguments(row)
        if prepared is not None:
            entry["arguments"] = prepared
    return entry


def _result(row: Row, message_id: str) -> dict[str, Any]:
    result: dict[str, Any] = {"id": message_id, "content": row.get("content") or ""}
    if _OUTCOMES.isdisjoint(row):
        return result
    for key in ("pluginError", "error"):
        if key in row and truthy(row[key]):
            result["error"] = row[key]
            break
    if "pluginState" in row and truthy(row["pluginState"]):
        result["state"] = row["pluginState"]
    length = row.get("contentLength")
    if length.__class__ is int or length.__class__ is float:
        result["contentLength"] = length
    return result


def _prepared_arguments(row: Row) -> str | None:
    """Arguments that a hook rewrote before the call was made."""
    state, plugin = row.get("pluginState"), row.get("plugin")
    if not is_object(state) or not truthy(state.get("hookPreparation")) or not is_object(plugin):
        return None
    arguments = plugin.get("arguments")
    return arguments if isinstance(arguments, str) else None


def answered_calls(forest: Forest, message_id: str, paired: Sequence[str | None]) -> list[Any]:
    """All calls of a step, each with its result."""
    payload = calls(forest.rows[message_id])
    return [answered_call(forest, call, result) for call, result in zip(payload, paired, strict=True)]


def callback_block(row: Row, message_id: str) -> dict[str, Any]:
    """One thing an assistant said about a running tool."""
    content = row.get("content")
    block: dict[str, Any] = {"id": message_id, "content": "" if content is None else content}
    for key in ("model", "provider"):
        if row.get(key) is not None:
            block[key] = row[key]
    found = signal(row) or {}
    if "sequence" in found:
        block["sequence"] = found["sequence"]
    return block


def completion_block(row: Row, message_id: str) -> dict[str, Any]:
    """The report of a background task."""
    block: dict[str, Any] = {"id": message_id, "content": row.get("content") or ""}
    _copy_extras(row, block)
    for key in ("usage", "performance"):
        if truthy(row.get(key)):
            block[key] = row[key]
    return block


def signal_source(row: Row, result: str) -> dict[str, Any]:
    """Which tool the callbacks speak about, in the words of the first of them."""
    found = signal(row) or {}
    source: dict[str, Any] = {"sourceToolMessageId": result}
    for key in ("sourceToolCallId", "sourceToolName"):
        if key in found:
            source[key] = found[key]
    return source


def merge_metadata(blocks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Move the metadata of all blocks (later wins) to the first; ``finishType`` stays where it was said."""
    merged: dict[str, Any] = {}
    if not any("metadata" in block for block in blocks):
        return merged
    for block in blocks:
        about = block.get("metadata")
        if about:
            merged.update((key, value) for key, value in about.items() if key != "finishType")
    for place, block in enumerate(blocks):
        about = block.pop("metadata", None)
        kept = {"finishType": about["finishType"]} if about and "finishType" in about else {}
        if place == 0:
            kept.update(merged)
        if kept:
            block["metadata"] = kept
    return merged
