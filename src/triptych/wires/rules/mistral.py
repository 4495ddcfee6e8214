"""The rules over a body of Mistral's chat completions, written after what mistral-common's validator refuses.

Not here: the OpenAI format that most of it resembles.
"""

from __future__ import annotations

from typing import Any

from triptych.wires.rules.checks import (
    as_list,
    check_arguments_text,
    check_call_id,
    check_call_name,
    check_choice,
    check_schema,
    check_tool_names,
    close_calls,
    is_blank,
    is_object,
    removal,
    within,
    word,
)
from triptych.wires.rules.finding import Findings, Scan

__all__ = ["ITEMS", "check_items", "check_rest"]

ITEMS = "messages"
_AFTER = {
    None: frozenset({"system", "user"}),
    "system": frozenset({"user", "assistant", "system"}),
    "user": frozenset({"assistant", "system", "user"}),
    "assistant": frozenset({"assistant", "user", "tool"}),
    "tool": frozenset({"assistant", "tool", "user"}),
}


def check_items(items: list[Any], scan: Scan, findings: Findings) -> None:
    """Check more messages behind those that the scan has seen."""
    for item in items:
        where = f"$.messages[{scan.index}]"
        scan.index += 1
        role = word(item, "role")
        if role not in {"system", "user", "assistant", "tool"} or not is_object(item):
            findings.add("role.unknown" if is_object(item) else "body.shape", where)
            continue
        _check_order(role, where, scan, findings)
        if role == "tool":
            _check_result(item, where, scan, findings)
        else:
            close_calls(scan, findings)
            _check_message(role, item, where, scan, findings)
        scan.last = role


def check_rest(body: dict[str, Any], scan: Scan, findings: Findings) -> None:
    """Check the end of the messages and everything beside them."""
    close_calls(scan, findings)
    items = as_list(body.get(ITEMS))
    if not scan.words:
        findings.add("turn.none", "$.messages")
    for index, item in enumerate(items):
        last = index == len(items) - 1
        prefix = is_object(item) and bool(item.get("prefix"))
        if prefix and (not last or word(item, "role") != "assistant"):
            findings.add(
                "prefill.mark", f"$.messages[{index}].prefix", patch=removal(f"$.messages[{index}].prefix")
            )
        elif last and scan.last == "assistant" and not findings.profile.prefill:
            findings.add("turn.last", f"$.messages[{index}]")
        elif last and scan.last == "assistant" and not prefix:
            findings.add("prefill.mark", f"$.messages[{index}]")
    names: list[tuple[Any, str]] = []
    for index, tool in enumerate(as_list(body.get("tools"))):
        function = tool.get("function") if is_object(tool) else None
        if not is_object(function):
            findings.add("body.shape", f"$.tools[{index}]")
            continue
        names.append((function.get("name"), f"$.tools[{index}].function.name"))
        check_schema(function.get("parameters"), f"$.tools[{index}].function.parameters", findings)
    check_tool_names(names, findings)
    check_choice(
        within(body, "tool_choice", "function", "name"), names, "$.tool_choice.function.name", findings
    )


def _check_order(role: str, where: str, scan: Scan, findings: Findings) -> None:
    apart = scan.last == "tool" and role == "user" and not findings.profile.user_after_results
    if role in _AFTER.get(scan.last, frozenset()) and not apart:
        return
    if scan.last is None or role == "tool":
        findings.add("turn.first" if role != "tool" else "result.orphan", where)
    else:
        findings.add("system.place" if role == "system" else "turn.alternation", where)


def _check_message(role: str, item: dict[str, Any], where: str, scan: Scan, findings: Findings) -> None:
    content = item.get("content")
    if role == "assistant":
        _check_assistant(item, content, where, scan, findings)
        return
    scan.words = scan.words or role == "user"
    if isinstance(content, str):
        if is_blank(content):
            findings.add("text.empty", where)
        return
    if not isinstance(content, list) or not content:
        findings.add("turn.empty", where)
    _check_chunks(as_list(content), role, where, findings)


def _check_chunks(content: list[Any], role: str, where: str, findings: Findings) -> None:
    pictures = 0
    limit = findings.profile.limits.message_images
    for index, chunk in enumerate(content):
        place = f"{where}.content[{index}]"
        kind = word(chunk, "type")
        if kind == "text":
            if is_blank(chunk.get("text")):
                findings.add("text.empty", place, patch=removal(place))
        elif kind == "image_url" and role == "user":
            pictures += 1
            if limit is not None and pictures == limit + 1:
                findings.add("media.count", place)
        elif kind != "thinking" or role != "assistant":
            findings.add("media.place", place, f"It is {kind!r}.")


def _check_result(item: dict[str, Any], where: str, scan: Scan, findings: Findings) -> None:
    name = word(item, "tool_call_id")
    if isinstance(name, str) and name in scan.open:
        del scan.open[name]
    elif scan.last in {"assistant", "tool"}:
        rule = "result.duplicate" if isinstance(name, str) and name in scan.ids else "result.orphan"
        findings.add(rule, where, patch=removal(where))
    content = item.get("content")
    if not isinstance(content, str):
        findings.add("result.content", where)
    if item.get("name") is not None:
        check_call_name(item["name"], f"{where}.name", findings)


def _check_assistant(item: dict[str, Any], content: Any, where: str, scan: Scan, findings: Findings) -> None:
    calls = as_list(item.get("tool_calls"))
    if isinstance(content, list):
        _check_chunks(content, "assistant", where, findings)
    elif not calls and is_blank(content):
        findings.add("turn.empty", where)
    if calls and content and not findings.profile.text_beside_calls:
        findings.add("call.text-beside", where)
    for index, call in enumerate(calls):
        place = f"{where}.tool_calls[{index}]"
        function = call.get("function") if is_object(call) else None
        if not is_object(function):
            findings.add("body.shape", place)
            continue
        name = word(call, "id")
        check_call_id(name, f"{place}.id", scan, findings)
        check_call_name(function.get("name"), f"{place}.function.name", findings)
        if not is_object(function.get("arguments")):
            check_arguments_text(function.get("arguments"), f"{place}.function.arguments", findings)
        if isinstance(name, str):
            scan.open[name] = place
