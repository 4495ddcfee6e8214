"""The rules over a body of Bedrock Converse.

Not here: Anthropic's own format.
"""

from __future__ import annotations

from typing import Any

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
    matcher,
    removal,
    within,
    word,
)
from triptych.wires.rules.finding import Findings, Place, Scan
from triptych.wires.rules.steps import Step, is_usual_text, pass_usual

__all__ = ["ITEMS", "check_items", "check_rest"]

ITEMS = "messages"
_DOCUMENT_NAME = r"(?!.*\s\s)[a-zA-Z0-9\s\-()\[\]]{1,200}"
_IMAGES = frozenset({"png", "jpeg", "gif", "webp"})
_DOCUMENTS = frozenset({"pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"})
_RESULT_PARTS = frozenset({"text", "json", "image", "document", "video", "searchResult"})


def check_items(items: list[Any], scan: Scan, findings: Findings) -> None:
    """Check more messages behind those that the scan has seen."""
    place = 0
    while (place := pass_usual(items, place, _STEP, scan, findings)) < len(items):
        item = items[place]
        place += 1
        where = f"$.messages[{scan.index}]"
        scan.index += 1
        role = word(item, "role")
        if role not in {"user", "assistant"} or not is_object(item):
            findings.add("role.unknown" if is_object(item) else "body.shape", where)
            continue
        check_turn(role, where, scan, findings)
        content = as_list(item.get("content"))
        if not content:
            findings.add("turn.empty", where)
        if role == "user":
            _check_user(content, where, scan, findings)
        else:
            _check_assistant(content, where, scan, findings)


def _read_call(block: dict[str, Any]) -> tuple[Any, Any] | None:
    call = block.get("toolUse") if len(block) == 1 else None
    if type(call) is not dict or type(call.get("input")) is not dict:
        return None
    return call.get("toolUseId"), call.get("name")


def _read_result(block: dict[str, Any]) -> tuple[Any, Any] | None:
    result = block.get("toolResult") if len(block) == 1 else None
    if not is_object(result) or type(result.get("content")) is not list:
        return None
    for part in result["content"]:
        if type(part) is not dict or not is_usual_text(part, 1):
            return None
    return result.get("toolUseId"), None


_STEP = Step("$.messages", "content", "assistant", 1, _read_call, _read_result)


def check_rest(body: dict[str, Any], scan: Scan, findings: Findings) -> None:
    """Check the end of the messages and everything beside them."""
    close_calls(scan, findings)
    check_end(scan, "$.messages", findings)
    for index, block in enumerate(as_list(body.get("system"))):
        place = f"$.system[{index}]"
        if is_object(block) and "cachePoint" in block:
            scan.marks += 1
        elif not is_object(block) or is_blank(block.get("text")):
            findings.add("text.empty", place, patch=removal(place))
    config = body.get("toolConfig")
    tools = as_list(config.get("tools")) if is_object(config) else []
    if not tools and scan.calls and findings.profile.tools_required:
        findings.add("tool.missing", "$.toolConfig")
    names = _check_tools(tools, findings)
    chosen = within(config, "toolChoice", "tool", "name")
    check_choice(chosen, names, "$.toolConfig.toolChoice.tool.name", findings)
    if scan.marks > findings.profile.cache_marks:
        findings.add("cache.marks", "$", f"There are {scan.marks}.")


def _check_tools(tools: list[Any], findings: Findings) -> list[tuple[Any, str]]:
    """The names of the tools, with where they stand."""
    names: list[tuple[Any, str]] = []
    for index, tool in enumerate(tools):
        spec = tool.get("toolSpec") if is_object(tool) else None
        place = f"$.toolConfig.tools[{index}].toolSpec"
        if is_object(spec):
            names.append((spec.get("name"), f"{place}.name"))
            schema = spec.get("inputSchema")
            check_schema(schema.get("json") if is_object(schema) else None, f"{place}.inputSchema", findings)
            if "description" in spec and not spec["description"]:
                findings.add("tool.schema", f"{place}.description")
        elif not is_object(tool) or "cachePoint" not in tool:
            findings.add("body.shape", place)
    check_tool_names(names, findings)
    return names


def _check_user(content: list[Any], where: str, scan: Scan, findings: Findings) -> None:
    done: set[str] = set()
    counts = {"image": 0, "document": 0}
    texts = others = results = 0
    for index, block in enumerate(content):
        place = f"{where}.content[{index}]"
        kind = _kind(block)
        if kind == "toolResult":
            results += 1
            if others:
                findings.add("result.place", place)
            _check_result(block["toolResult"], place, done, scan, findings)
        elif kind == "cachePoint":
            scan.marks += 1
        else:
            others += 1
            texts += kind == "text"
            _check_block(block, place, counts, scan, findings)
    if counts["document"] and not texts:
        findings.add("document.text", where)
    if results and others and not findings.profile.text_beside_results:
        findings.add("result.text-beside", where)
    close_calls(scan, findings)


def _kind(block: Any) -> str | None:
    return next(iter(block)) if is_object(block) and len(block) == 1 else None


def _check_block(block: Any, place: str, counts: dict[str, int], scan: Scan, findings: Findings) -> None:
    kind = _kind(block)
    limits = findings.profile.limits
    if kind == "text":
        if is_blank(block["text"]):
            findings.add("text.empty", place, patch=removal(place))
        return
    held = block.get(kind) if is_object(block) and kind else None
    if not is_object(held) or kind not in {"image", "document", "video"}:
        findings.add("media.place", place, f"It is {kind!r}.")
        return
    if kind == "image":
        counts["image"] += 1
        count_picture(None, place, scan, findings)
        if word(held, "format") not in _IMAGES:
            findings.add("media.type", place)
        if limits.message_images is not None and counts["image"] == limits.message_images + 1:
            findings.add("media.count", place)
    elif kind == "document":
        counts["document"] += 1
        if word(held, "format") not in _DOCUMENTS:
            findings.add("media.type", place)
        if matcher(_DOCUMENT_NAME).fullmatch(str(held.get("name"))) is None:
            findings.add("document.text", f"{place}.document.name")
        if limits.message_documents is not None and counts["document"] == limits.message_documents + 1:
            findings.add("media.count", place)


def _check_result(result: Any, place: str, done: set[str], scan: Scan, findings: Findings) -> None:
    if not is_object(result):
        findings.add("body.shape", place)
        return
    answer_call(word(result, "toolUseId"), place, done, scan, findings)
    content = result.get("content")
    if not isinstance(content, list):
        findings.add("body.shape", f"{place}.toolResult.content")
    for index, block in enumerate(as_list(content)):
        inner = f"{place}.toolResult.content[{index}]"
        kind = _kind(block)
        if kind == "text" and is_blank(block["text"]):
            findings.add("text.empty", inner, patch=removal(inner))
        elif kind not in _RESULT_PARTS and kind != "cachePoint":
            findings.add("media.place", inner, f"It is {kind!r}.")
        scan.marks += kind == "cachePoint"


def _check_assistant(content: list[Any], where: str, scan: Scan, findings: Findings) -> None:
    calls: dict[str, Place] = {}
    kind: str | None = None
    for index, block in enumerate(content):
        place = f"{where}.content[{index}]"
        kind = _kind(block)
        if kind == "toolUse" and is_object(block["toolUse"]):
            _check_call(block["toolUse"], place, calls, scan, findings)
        elif kind == "text":
            if is_blank(block["text"]):
                findings.add("text.empty", place, patch=removal(place))
        elif kind == "reasoningContent":
            _check_reasoning(block[kind], place, findings)
        elif kind == "cachePoint":
            scan.marks += 1
        else:
            findings.add("media.place", place, f"It is {kind!r}.")
    if kind == "reasoningContent":
        findings.add("reasoning.last", where)
    open_step(calls, scan, findings)


def _check_call(
    call: dict[str, Any], place: str, calls: dict[str, Place], scan: Scan, findings: Findings
) -> None:
    name = word(call, "toolUseId")
    check_call_id(name, f"{place}.toolUse.toolUseId", scan, findings)
    check_call_name(call.get("name"), f"{place}.toolUse.name", findings)
    if not is_object(call.get("input")):
        findings.add("call.arguments", f"{place}.toolUse.input")
    if isinstance(name, str):
        calls[name] = place


def _check_reasoning(held: Any, place: str, findings: Findings) -> None:
    text = held.get("reasoningText") if is_object(held) else None
    if is_object(text) and isinstance(text.get("text"), str):
        return
    if not is_object(held) or not held.get("redactedContent"):
        findings.add("reasoning.fields", place)
