"""The rules over a body of Ollama's native chat.

Not here: the OpenAI format that Ollama also speaks.
"""

from __future__ import annotations

from typing import Any

from triptych.wires.rules.checks import (
    as_list,
    check_call_name,
    check_end,
    check_schema,
    check_tool_names,
    close_calls,
    fits_call_name,
    is_blank,
    is_object,
    removal,
    word,
)
from triptych.wires.rules.finding import Findings, Place, Scan

__all__ = ["ITEMS", "check_items", "check_rest"]

ITEMS = "messages"
_SPEAKERS = frozenset({"user", "assistant"})


def check_items(items: list[Any], scan: Scan, findings: Findings) -> None:
    """Check more messages behind those that the scan has seen."""
    for item in items:
        if _is_usual(item, scan, findings):
            continue
        where = f"$.messages[{scan.index}]"
        scan.index += 1
        role = word(item, "role")
        if role not in {"system", "user", "assistant", "tool"} or not is_object(item):
            findings.add("role.unknown" if is_object(item) else "body.shape", where)
            continue
        content = item.get("content")
        if content is None and not item.get("tool_calls"):
            findings.add("message.null", where)
        elif content is not None and not isinstance(content, str):
            findings.add("result.content" if role == "tool" else "body.shape", f"{where}.content")
        if role == "tool":
            _check_result(item, where, scan, findings)
        else:
            close_calls(scan, findings)
            _check_message(role, item, where, scan, findings)
        if role != "system":
            scan.last = role


def _is_usual(item: Any, scan: Scan, findings: Findings) -> bool:
    """Pass the usual message at a glance, after somebody spoke: one visible text, and calls or the awaited result."""
    if type(item) is not dict or scan.last is None:
        return False
    text, role = item.get("content"), item.get("role")
    if type(text) is not str or not text or text.isspace() or type(role) is not str or "images" in item:
        return False
    if role == "tool":
        if len(scan.open) != 1:
            return False
        scan.open.clear()
    elif scan.open or role not in _SPEAKERS or not _pass_calls(item, scan, findings):
        return False
    scan.words = scan.words or role == "user"
    scan.last = role
    scan.index += 1
    return True


def _pass_calls(item: dict[str, Any], scan: Scan, findings: Findings) -> bool:
    if "tool_calls" not in item:
        return True
    opened: dict[str, Place] = {}
    for number, call in enumerate(as_list(item["tool_calls"])):
        function = call.get("function") if is_object(call) else None
        if not is_object(function) or not is_object(function.get("arguments")):
            return False
        name = function.get("name")
        if not fits_call_name(name, findings):
            return False
        place = f"$.messages[{scan.index}].tool_calls[{number}]"
        opened[f"{place} {name}"] = place
    scan.open = opened
    return True


def check_rest(body: dict[str, Any], scan: Scan, findings: Findings) -> None:
    """Check the end of the messages and everything beside them."""
    close_calls(scan, findings)
    check_end(scan, "$.messages", findings)
    names: list[tuple[Any, str]] = []
    for index, tool in enumerate(as_list(body.get("tools"))):
        function = tool.get("function") if is_object(tool) else None
        if not is_object(function):
            findings.add("body.shape", f"$.tools[{index}]")
            continue
        names.append((function.get("name"), f"$.tools[{index}].function.name"))
        check_schema(function.get("parameters"), f"$.tools[{index}].function.parameters", findings)
    check_tool_names(names, findings)


def _check_message(role: str, item: dict[str, Any], where: str, scan: Scan, findings: Findings) -> None:
    if role == "system":
        if scan.last is not None or scan.systems:
            findings.add("system.place", where)
        scan.systems += 1
    elif scan.last is None and role != "user" and findings.profile.first_user:
        findings.add("turn.first", where)
    if item.get("images") and role != "user":
        findings.add("media.place", f"{where}.images")
    if is_blank(item.get("content")) and not item.get("images") and not item.get("tool_calls"):
        findings.add("turn.empty", where)
    scan.words = scan.words or role == "user"
    for index, call in enumerate(as_list(item.get("tool_calls"))):
        place = f"{where}.tool_calls[{index}]"
        function = call.get("function") if is_object(call) else None
        if not is_object(function):
            findings.add("body.shape", place)
            continue
        check_call_name(function.get("name"), f"{place}.function.name", findings)
        if not is_object(function.get("arguments")):
            findings.add("call.arguments", f"{place}.function.arguments")
        scan.open[f"{place} {function.get('name')}"] = place


def _check_result(item: dict[str, Any], where: str, scan: Scan, findings: Findings) -> None:
    """Calls have no ids here: a result answers the first open call of its tool, or the first one at all."""
    if item.get("images"):
        findings.add("media.place", f"{where}.images")
    named = (key for key in scan.open if key.endswith(f" {item.get('tool_name')}"))
    key = next(named, None) or next(iter(scan.open), None)
    if key is None:
        findings.add("result.orphan", where, patch=removal(where))
    else:
        del scan.open[key]
