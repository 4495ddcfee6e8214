"""The rules over a body of OpenAI Responses.

Not here: items that only the server itself makes (they are let through).
"""

from __future__ import annotations

from typing import Any

from triptych.wires.rules.checks import (
    as_list,
    check_arguments_text,
    check_call_id,
    check_call_name,
    check_choice,
    check_end,
    check_schema,
    check_tool_names,
    close_calls,
    is_blank,
    is_object,
    matcher,
    removal,
    within,
    word,
)
from triptych.wires.rules.finding import Findings, Scan

__all__ = ["ITEMS", "check_items", "check_rest"]

ITEMS = "input"
_ROLES = frozenset({"system", "developer", "user", "assistant"})
_ITEM_ID = "[a-zA-Z0-9_-]{1,64}"
_MEDIA = {"input_image": "image", "input_file": "file", "input_audio": "audio"}
_TEXTS = frozenset({"input_text", "output_text", "text", "refusal"})


def check_items(items: list[Any], scan: Scan, findings: Findings) -> None:
    """Check more items behind those that the scan has seen."""
    for item in items:
        where = f"$.input[{scan.index}]"
        scan.index += 1
        if not is_object(item):
            findings.add("body.shape", where)
            continue
        kind = word(item, "type") or ("message" if "role" in item else None)
        if "id" in item and kind != "item_reference":
            _check_item_id(item["id"], where, scan, findings)
        if kind != "function_call_output":
            scan.last = _check_item(kind, item, where, scan, findings)
        else:
            _check_output(item, where, scan, findings)
            scan.last = "tool"


def check_rest(body: dict[str, Any], scan: Scan, findings: Findings) -> None:
    """Check the end of the input and everything beside it."""
    close_calls(scan, findings)
    if scan.reasoning is not None:
        findings.add("reasoning.pair", scan.reasoning, patch=removal(scan.reasoning))
    check_end(scan, "$.input", findings)
    names: list[tuple[Any, str]] = []
    for index, tool in enumerate(as_list(body.get("tools"))):
        if not is_object(tool):
            findings.add("body.shape", f"$.tools[{index}]")
        elif word(tool, "type") == "function":
            names.append((tool.get("name"), f"$.tools[{index}].name"))
            check_schema(tool.get("parameters"), f"$.tools[{index}].parameters", findings)
    check_tool_names(names, findings)
    if within(body, "tool_choice", "type") == "function":
        check_choice(within(body, "tool_choice", "name"), names, "$.tool_choice.name", findings)


def _check_item_id(name: Any, where: str, scan: Scan, findings: Findings) -> None:
    if not isinstance(name, str) or matcher(_ITEM_ID).fullmatch(name) is None:
        findings.add("item.id", f"{where}.id", patch=removal(f"{where}.id"))
    elif name in scan.items:
        findings.add("item.duplicate", where, f"It is {name!r}.", patch=removal(f"{where}.id"))
    else:
        scan.items.add(name)


def _check_item(kind: Any, item: dict[str, Any], where: str, scan: Scan, findings: Findings) -> str | None:
    if kind == "reasoning":
        _check_reasoning(item, where, scan, findings)
        return "assistant"
    if kind == "function_call":
        scan.reasoning = None
        name = word(item, "call_id")
        check_call_id(name, f"{where}.call_id", scan, findings)
        check_call_name(item.get("name"), f"{where}.name", findings)
        check_arguments_text(item.get("arguments"), f"{where}.arguments", findings)
        if scan.open and scan.last == "tool":
            close_calls(scan, findings)
        if isinstance(name, str):
            scan.open[name] = where
        return "assistant"
    if kind != "message":
        scan.reasoning = None
        return scan.last
    return _check_message(item, where, scan, findings)


def _check_message(item: dict[str, Any], where: str, scan: Scan, findings: Findings) -> str | None:
    role = word(item, "role")
    if role not in _ROLES:
        findings.add("role.unknown", where)
        return scan.last
    if role != "assistant":
        close_calls(scan, findings)
        if scan.reasoning is not None:
            findings.add("reasoning.pair", scan.reasoning, patch=removal(scan.reasoning))
    scan.reasoning = None
    content = item.get("content")
    if isinstance(content, str):
        if is_blank(content):
            findings.add("text.empty", where)
    elif not isinstance(content, list) or not content:
        findings.add("turn.empty", where)
    else:
        _check_parts(content, f"{where}.content", role, scan, findings)
    if role == "user":
        scan.words = True
    return role if role in {"user", "assistant"} else scan.last


def _check_parts(content: list[Any], where: str, role: str, scan: Scan, findings: Findings) -> None:
    allowed = findings.profile.media if role == "user" else findings.profile.tool_media
    for index, part in enumerate(content):
        place = f"{where}[{index}]"
        kind = word(part, "type")
        if kind in _TEXTS:
            if is_blank(part.get("refusal" if kind == "refusal" else "text")):
                findings.add("text.empty", place, patch=removal(place))
        elif role not in {"user", "tool"} or _MEDIA.get(str(kind)) not in allowed:
            findings.add("media.place", place, f"It is {kind!r}.")
        elif kind == "input_image":
            scan.images += 1
            limit = findings.profile.limits.images
            if limit is not None and scan.images == limit + 1:
                findings.add("media.count", place)


def _check_reasoning(item: dict[str, Any], where: str, scan: Scan, findings: Findings) -> None:
    if findings.profile.reasoning == "none":
        findings.add("reasoning.refused", where, patch=removal(where))
    if not isinstance(word(item, "id"), str) or not isinstance(item.get("summary"), list):
        findings.add("reasoning.fields", where)
    scan.reasoning = where


def _check_output(item: dict[str, Any], where: str, scan: Scan, findings: Findings) -> None:
    if scan.reasoning is not None:
        findings.add("reasoning.pair", scan.reasoning, patch=removal(scan.reasoning))
        scan.reasoning = None
    name = word(item, "call_id")
    if isinstance(name, str) and name in scan.open:
        del scan.open[name]
    else:
        known = isinstance(name, str) and name in scan.ids
        findings.add("result.duplicate" if known else "result.orphan", where, patch=removal(where))
    output = item.get("output")
    if isinstance(output, list):
        _check_parts(output, f"{where}.output", "tool", scan, findings)
    elif not isinstance(output, str):
        findings.add("body.shape", f"{where}.output")
