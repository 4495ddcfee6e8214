"""The rules over a body of OpenAI Chat Completions and of the servers that speak its format.

Not here: Mistral's and Ollama's own formats.
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

ITEMS = "messages"
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_SPEAKERS = frozenset({"user", "assistant"})
_ROLE_AND_TEXT = 2
_USER_PARTS = {"image_url": "image", "input_audio": "audio", "file": "file"}


def check_items(items: list[Any], scan: Scan, findings: Findings) -> None:
    """Check more messages behind those that the scan has seen."""
    alternation = findings.profile.alternation
    for item in items:
        if not alternation and isinstance(item, dict) and _is_usual(item, scan):
            scan.index += 1
            continue
        where = f"$.messages[{scan.index}]"
        scan.index += 1
        if not is_object(item) or word(item, "role") not in _ROLES:
            findings.add("role.unknown" if is_object(item) else "body.shape", where)
            continue
        _check_message(item, where, scan, findings)


def _is_usual(item: dict[str, Any], scan: Scan) -> bool:
    """Pass the usual message at a glance: one visible text, and a result only where it is awaited."""
    content = item.get("content")
    if type(content) is not str or not content or content.isspace():
        return False
    role = word(item, "role")
    if role == "tool":
        name = word(item, "tool_call_id")
        if type(name) is not str or scan.open.pop(name, None) is None:
            return False
    elif len(item) != _ROLE_AND_TEXT or scan.open or scan.last is None or role not in _SPEAKERS:
        return False
    elif role == "user":
        scan.words = True
    scan.last = role
    return True


def check_rest(body: dict[str, Any], scan: Scan, findings: Findings) -> None:
    """Check the end of the messages and everything beside them."""
    close_calls(scan, findings)
    check_end(scan, "$.messages", findings)
    names: list[tuple[Any, str]] = []
    for index, tool in enumerate(as_list(body.get("tools"))):
        where = f"$.tools[{index}].function"
        function = tool.get("function") if is_object(tool) else None
        if is_object(function):
            names.append((function.get("name"), f"{where}.name"))
            if "parameters" in function:
                check_schema(function["parameters"], f"{where}.parameters", findings)
        elif not is_object(tool) or tool.get("type", "function") == "function":
            findings.add("body.shape", where)
    check_tool_names(names, findings)
    check_choice(
        within(body, "tool_choice", "function", "name"), names, "$.tool_choice.function.name", findings
    )


def _check_message(item: dict[str, Any], where: str, scan: Scan, findings: Findings) -> None:
    role = word(item, "role") or ""
    content = item.get("content")
    if role == "tool":
        _check_result(item, content, where, scan, findings)
        scan.last = role
        return
    if scan.open:
        close_calls(scan, findings)
    if "name" in item:
        _check_name(item["name"], where, findings)
    if role == "user":
        scan.words = True
        _check_turn(role, where, scan, findings)
        _check_user(content, where, scan, findings)
    elif role == "assistant":
        _check_turn(role if "tool_calls" not in item else "calls", where, scan, findings)
        _check_assistant(item, content, where, scan, findings)
    else:
        _check_system(content, where, scan, findings)
        return
    scan.last = role


def _check_turn(role: str, where: str, scan: Scan, findings: Findings) -> None:
    profile = findings.profile
    if scan.last is None and role != "user" and profile.first_user:
        findings.add("turn.first", where)
    if profile.alternation:
        if role == "calls":
            if scan.last == "assistant":
                findings.add("turn.alternation", where)
            return
        if scan.turn == role:
            findings.add("turn.alternation", where)
        scan.turn = role


def _check_name(name: Any, where: str, findings: Findings) -> None:
    pattern = findings.profile.message_name_pattern or "^[a-zA-Z0-9_-]{1,64}$"
    if not isinstance(name, str) or matcher(pattern).fullmatch(name) is None:
        findings.add("message.name", f"{where}.name", patch=removal(f"{where}.name"))


def _check_system(content: Any, where: str, scan: Scan, findings: Findings) -> None:
    rule = findings.profile.system
    first = scan.last is None and scan.systems == 0
    if rule == "none" or (rule in {"first", "field"} and not first):
        findings.add("system.place", where)
    scan.systems += 1
    _check_texts(content, where, findings)


def _check_texts(content: Any, where: str, findings: Findings) -> None:
    """Content that is text only: a string, or a list of text parts."""
    if isinstance(content, str):
        if is_blank(content):
            findings.add("turn.empty" if not content else "text.empty", f"{where}.content")
        return
    if not isinstance(content, list) or not content:
        findings.add("turn.empty", f"{where}.content")
        return
    for index, part in enumerate(content):
        place = f"{where}.content[{index}]"
        if not is_object(part) or word(part, "type") != "text":
            findings.add("media.place", place)
        elif is_blank(part.get("text")):
            findings.add("text.empty", place, patch=removal(place))


def _check_user(content: Any, where: str, scan: Scan, findings: Findings) -> None:
    if isinstance(content, str) or not isinstance(content, list) or not content:
        _check_texts(content, where, findings)
        return
    for index, part in enumerate(content):
        place = f"{where}.content[{index}]"
        kind = word(part, "type")
        if kind == "text":
            if is_blank(part.get("text")):
                findings.add("text.empty", place, patch=removal(place))
        elif _USER_PARTS.get(str(kind)) not in findings.profile.media:
            findings.add("media.place", place, patch=removal(place))
        elif kind == "image_url":
            _check_image(scan, place, findings)


def _check_image(scan: Scan, place: str, findings: Findings) -> None:
    scan.images += 1
    limit = findings.profile.limits.images
    if limit is not None and scan.images == limit + 1:
        findings.add("media.count", place)


def _check_result(item: dict[str, Any], content: Any, where: str, scan: Scan, findings: Findings) -> None:
    name = word(item, "tool_call_id")
    if isinstance(name, str) and name in scan.open:
        del scan.open[name]
    elif scan.last == "tool" and name in scan.ids:
        findings.add("result.duplicate", where, patch=removal(where))
    else:
        findings.add("result.orphan", where, patch=removal(where))
    if isinstance(content, list):
        if findings.profile.family != "openai":
            findings.add("result.content", f"{where}.content")
        for index, part in enumerate(content):
            if not is_object(part) or word(part, "type") != "text":
                findings.add("media.place", f"{where}.content[{index}]")
    elif not isinstance(content, str):
        findings.add("result.content", f"{where}.content")


def _check_assistant(item: dict[str, Any], content: Any, where: str, scan: Scan, findings: Findings) -> None:
    profile = findings.profile
    calls = item.get("tool_calls")
    if content is None and calls:
        if not profile.null_content:
            findings.add("message.null", f"{where}.content")
    elif isinstance(content, str):
        if is_blank(content) and not (calls and not content):
            findings.add("turn.empty" if not content else "text.empty", f"{where}.content")
    elif isinstance(content, list) and content:
        _check_assistant_parts(content, where, findings)
    else:
        findings.add("turn.empty", where)
    if calls is None:
        return
    if not isinstance(calls, list) or not calls:
        findings.add("body.shape", f"{where}.tool_calls", patch=removal(f"{where}.tool_calls"))
        return
    for index, call in enumerate(calls):
        _check_call(call, f"{where}.tool_calls[{index}]", scan, findings)
    if profile.reasoning == "required" and is_blank(item.get("reasoning_content")):
        findings.add("reasoning.missing", where)


def _check_assistant_parts(content: list[Any], where: str, findings: Findings) -> None:
    for index, part in enumerate(content):
        place = f"{where}.content[{index}]"
        kind = word(part, "type")
        if kind not in {"text", "refusal"}:
            findings.add("media.place", place)
        elif is_blank(part.get(kind)):
            findings.add("text.empty", place, patch=removal(place))


def _check_call(call: Any, where: str, scan: Scan, findings: Findings) -> None:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        findings.add("body.shape", where)
        return
    name = word(call, "id")
    check_call_id(name, f"{where}.id", scan, findings)
    check_call_name(function.get("name"), f"{where}.function.name", findings)
    check_arguments_text(function.get("arguments"), f"{where}.function.arguments", findings)
    if isinstance(name, str):
        scan.open[name] = where
