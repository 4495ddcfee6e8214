"""The rules over a body of Anthropic Messages.

Not here: Bedrock's form of the same models.
"""

from __future__ import annotations

from typing import Any

from triptych.wires.pictures import picture_side
from triptych.wires.rules.blocks import answer_call, check_turn, count_picture, open_step
from triptych.wires.rules.checks import (
    as_list,
    check_call_id,
    check_call_name,
    check_choice,
    check_end,
    check_schema,
    check_tool_names,
    close_calls,
    is_blank,
    is_object,
    removal,
    within,
    word,
)
from triptych.wires.rules.finding import Findings, Place, Scan
from triptych.wires.rules.steps import Step, is_usual_text, pass_usual

__all__ = ["ITEMS", "check_items", "check_rest"]

ITEMS = "messages"
_IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_THINKING = frozenset({"thinking", "redacted_thinking"})
_BEGINNINGS = (["thinking"], ["redacted_thinking"])
_RESULT_PARTS = frozenset({"text", "image", "document", "search_result", "tool_reference"})
_USER_PARTS = frozenset({"text", "image", "document", "search_result", "tool_result", "container_upload"})
_LEAST_BUDGET = 1_024
_CALL_FIELDS = 4


def check_items(items: list[Any], scan: Scan, findings: Findings) -> None:
    """Check more messages behind those that the scan has seen."""
    place = 0
    while (place := pass_usual(items, place, _STEP, scan, findings)) < len(items):
        item = items[place]
        place += 1
        where = f"$.messages[{scan.index}]"
        scan.index += 1
        role = word(item, "role")
        if is_object(item) and role == "user":
            check_turn("user", where, scan, findings)
            _check_user(item.get("content"), where, scan, findings)
        elif is_object(item) and role == "assistant":
            check_turn("assistant", where, scan, findings)
            _check_assistant(item.get("content"), where, scan, findings)
        else:
            findings.add("role.unknown" if is_object(item) else "body.shape", where)


def _read_call(block: dict[str, Any]) -> tuple[Any, Any] | None:
    usual = (
        len(block) == _CALL_FIELDS and block.get("type") == "tool_use" and type(block.get("input")) is dict
    )
    return (block.get("id"), block.get("name")) if usual else None


def _read_result(block: dict[str, Any]) -> tuple[Any, Any] | None:
    content = block.get("content")
    if block.get("type") != "tool_result" or "cache_control" in block or type(content) is not list:
        return None
    for part in content:
        if type(part) is not dict or not is_usual_text(part, 2):
            return None
    return block.get("tool_use_id"), None


_STEP = Step("$.messages", "content", "assistant", 2, _read_call, _read_result)


def check_rest(body: dict[str, Any], scan: Scan, findings: Findings) -> None:
    """Check the end of the messages and everything beside them."""
    close_calls(scan, findings)
    check_end(scan, "$.messages", findings)
    items = as_list(body.get(ITEMS))
    _check_prefill(items, findings)
    _check_system(body.get("system"), scan, findings)
    _check_tools(body, scan, findings)
    tokens = body.get("max_tokens")
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
        findings.add("option.max-tokens", "$.max_tokens")
    _check_thinking(body, items, findings)
    if scan.marks > findings.profile.cache_marks:
        findings.add("cache.marks", "$", f"There are {scan.marks}.")


def _check_user(content: Any, where: str, scan: Scan, findings: Findings) -> None:
    if isinstance(content, str):
        if is_blank(content):
            findings.add("text.empty", f"{where}.content")
        close_calls(scan, findings)
        return
    if not isinstance(content, list) or not content:
        findings.add("turn.empty", where)
        close_calls(scan, findings)
        return
    done: set[str] = set()
    others = False
    for index, block in enumerate(content):
        place = f"{where}.content[{index}]"
        kind = word(block, "type")
        if kind == "text":
            others = True
            _check_text(block, place, findings)
        elif kind == "tool_result":
            if others:
                findings.add("result.place", place)
            answer_call(word(block, "tool_use_id"), place, done, scan, findings)
            _check_result(block, place, scan, findings)
        elif kind not in _USER_PARTS:
            findings.add("media.place", place, f"It is {kind!r}.")
        else:
            others = True
            _check_medium(block, place, scan, findings)
        _count_mark(block, scan)
    close_calls(scan, findings)


def _check_text(block: dict[str, Any], place: str, findings: Findings) -> None:
    if is_blank(block.get("text")):
        findings.add("text.empty", place, patch=removal(place))
        if "cache_control" in block:
            findings.add("cache.empty", place)


def _check_result(block: dict[str, Any], place: str, scan: Scan, findings: Findings) -> None:
    content = block.get("content")
    for index, part in enumerate(as_list(content)):
        inner = f"{place}.content[{index}]"
        kind = word(part, "type")
        if kind == "text":
            _check_text(part, inner, findings)
        elif kind not in _RESULT_PARTS:
            findings.add("media.place", inner, f"It is {kind!r}.")
        else:
            _check_medium(part, inner, scan, findings)
        _count_mark(part, scan)


def _check_medium(block: dict[str, Any], place: str, scan: Scan, findings: Findings) -> None:
    source = block.get("source")
    if word(block, "type") != "image" or not is_object(source):
        return
    side: int | None = None
    if word(source, "type") == "base64":
        if word(source, "media_type") not in _IMAGE_TYPES:
            findings.add("media.type", f"{place}.source.media_type")
        held = source.get("data")
        side, found = picture_side(held) if isinstance(held, str) else (None, None)
        if found in _IMAGE_TYPES and found != word(source, "media_type"):
            findings.add("media.bytes", f"{place}.source.media_type", f"They are {found}.")
    count_picture(side, place, scan, findings)


def _check_assistant(content: Any, where: str, scan: Scan, findings: Findings) -> None:
    calls: dict[str, Place] = {}
    if isinstance(content, str):
        if is_blank(content):
            findings.add("text.empty", f"{where}.content")
    elif not isinstance(content, list) or not content:
        findings.add("turn.empty", where)
    else:
        for index, block in enumerate(content):
            _check_block(block, f"{where}.content[{index}]", calls, scan, findings)
            _count_mark(block, scan)
        last = content[-1]
        if is_object(last) and word(last, "type") in _THINKING:
            findings.add("reasoning.last", f"{where}.content[{len(content) - 1}]")
    open_step(calls, scan, findings)


def _check_block(block: Any, place: str, calls: dict[str, Place], scan: Scan, findings: Findings) -> None:
    kind = word(block, "type")
    if kind == "text":
        _check_text(block, place, findings)
    elif kind == "tool_use":
        name = word(block, "id")
        check_call_id(name, f"{place}.id", scan, findings)
        check_call_name(block.get("name"), f"{place}.name", findings)
        if not is_object(block.get("input")):
            findings.add("call.arguments", f"{place}.input", patch=[{"op": "add", "path": "", "value": {}}])
        if isinstance(name, str):
            calls[name] = place
    elif kind == "thinking":
        if not isinstance(block.get("thinking"), str) or not block.get("signature"):
            findings.add("reasoning.fields", place)
    elif kind == "redacted_thinking":
        if not block.get("data"):
            findings.add("reasoning.fields", place)
    elif kind in {"image", "document", "tool_result"} or kind is None:
        findings.add("media.place", place, f"It is {kind!r}.")


def _count_mark(block: Any, scan: Scan) -> None:
    if is_object(block) and block.get("cache_control"):
        scan.marks += 1


def _check_prefill(items: list[Any], findings: Findings) -> None:
    last = items[-1] if items else None
    if not is_object(last) or word(last, "role") != "assistant":
        return
    content = last.get("content")
    block = content[-1] if isinstance(content, list) and content else None
    text = block.get("text") if is_object(block) else content
    if isinstance(text, str) and text != text.rstrip():
        findings.add("prefill.space", f"$.messages[{len(items) - 1}]")


def _check_system(system: Any, scan: Scan, findings: Findings) -> None:
    if system is None or isinstance(system, str):
        if isinstance(system, str) and is_blank(system):
            findings.add("text.empty", "$.system", patch=removal("$.system"))
        return
    for index, block in enumerate(as_list(system)):
        if not is_object(block) or word(block, "type") != "text":
            findings.add("media.place", f"$.system[{index}]")
        else:
            _check_text(block, f"$.system[{index}]", findings)
        _count_mark(block, scan)


def _check_tools(body: dict[str, Any], scan: Scan, findings: Findings) -> None:
    tools = as_list(body.get("tools"))
    if not tools and scan.calls and findings.profile.tools_required:
        findings.add("tool.missing", "$.tools")
    names: list[tuple[Any, str]] = []
    for index, tool in enumerate(tools):
        place = f"$.tools[{index}]"
        _count_mark(tool, scan)
        if not is_object(tool):
            findings.add("body.shape", place)
        elif word(tool, "type") in {None, "custom"}:
            names.append((tool.get("name"), f"{place}.name"))
            check_schema(tool.get("input_schema"), f"{place}.input_schema", findings)
    check_tool_names(names, findings)
    offered = [(within(tool, "name"), "") for tool in tools]
    check_choice(within(body, "tool_choice", "name"), offered, "$.tool_choice.name", findings)


def _check_thinking(body: dict[str, Any], items: list[Any], findings: Findings) -> None:
    thinking = body.get("thinking")
    if not is_object(thinking) or word(thinking, "type") not in {"enabled", "adaptive"}:
        return
    budget, tokens = thinking.get("budget_tokens"), body.get("max_tokens")
    if thinking["type"] == "enabled" and (
        not isinstance(budget, int)
        or budget < _LEAST_BUDGET
        or (isinstance(tokens, int) and budget >= tokens)
    ):
        findings.add("thinking.budget", "$.thinking.budget_tokens")
    first = _open_turn(items)
    if first is not None and _kinds(items[first])[:1] not in _BEGINNINGS:
        findings.add("thinking.open-turn", f"$.messages[{first}].content[0]")


def _open_turn(items: list[Any]) -> int | None:
    """Where the tool turn begins that the request ends in: its first reply, with nothing but results between."""
    first: int | None = None
    for index in range(len(items) - 1, -1, -1):
        kinds = _kinds(items[index])
        if word(items[index], "role") == "assistant":
            if first is None and "tool_use" not in kinds:
                return None
            first = index
        elif "tool_result" not in kinds:
            break
    return first


def _kinds(item: Any) -> list[str | None]:
    return [word(block, "type") for block in as_list(item.get("content") if is_object(item) else None)]
