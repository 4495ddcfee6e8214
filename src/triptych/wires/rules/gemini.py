"""The rules over a body of Gemini ``generateContent`` (camelCase, as the HTTP API takes it).

Not here: the limits that Google counts in tokens.
"""

from __future__ import annotations

from typing import Any

from triptych.wires.rules.blocks import check_turn, count_picture
from triptych.wires.rules.checks import (
    as_list,
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
from triptych.wires.rules.steps import Step, pass_usual

__all__ = ["ITEMS", "check_items", "check_rest"]

ITEMS = "contents"
_DATA = frozenset(
    {
        "text",
        "functionCall",
        "functionResponse",
        "inlineData",
        "fileData",
        "executableCode",
        "codeExecutionResult",
    }
)


def check_items(items: list[Any], scan: Scan, findings: Findings) -> None:
    """Check more contents behind those that the scan has seen."""
    step = _SIGNED_STEP if findings.profile.placeholder_signature else _STEP
    place = 0
    while (place := pass_usual(items, place, step, scan, findings)) < len(items):
        item = items[place]
        place += 1
        where = f"$.contents[{scan.index}]"
        scan.index += 1
        role = word(item, "role")
        if role not in {"user", "model"} or not is_object(item):
            findings.add("role.unknown" if is_object(item) else "body.shape", where)
            continue
        check_turn("assistant" if role == "model" else "user", where, scan, findings)
        parts = item.get("parts")
        if not isinstance(parts, list) or not parts:
            findings.add("turn.empty", where)
            parts = []
        if role == "user":
            _check_user(parts, where, scan, findings)
        else:
            _check_model(parts, where, scan, findings)


def _read_call(part: dict[str, Any]) -> tuple[Any, Any] | None:
    call = part.get("functionCall") if len(part) == 1 else None
    if type(call) is not dict or type(call.get("args")) is not dict:
        return None
    return call.get("id"), call.get("name")


def _read_result(part: dict[str, Any]) -> tuple[Any, Any] | None:
    result = part.get("functionResponse") if len(part) == 1 else None
    if type(result) is not dict or type(result.get("response")) is not dict:
        return None
    name = result.get("name")
    return (result.get("id"), name) if type(name) is str else None


def _read_signed(_: dict[str, Any]) -> None:
    """Where calls have to be signed, each is looked at with care."""


_STEP = Step("$.contents", "parts", "model", 1, _read_call, _read_result)
_SIGNED_STEP = _STEP._replace(read_call=_read_signed)


def check_rest(body: dict[str, Any], scan: Scan, findings: Findings) -> None:
    """Check the end of the contents and everything beside them."""
    close_calls(scan, findings)
    check_end(scan, "$.contents", findings)
    system = body.get("systemInstruction")
    for index, part in enumerate(as_list(system.get("parts")) if is_object(system) else []):
        if not is_object(part) or is_blank(part.get("text")):
            place = f"$.systemInstruction.parts[{index}]"
            findings.add("text.empty", place, patch=removal(place))
    names: list[tuple[Any, str]] = []
    for number, tool in enumerate(as_list(body.get("tools"))):
        for index, function in enumerate(
            as_list(tool.get("functionDeclarations")) if is_object(tool) else []
        ):
            place = f"$.tools[{number}].functionDeclarations[{index}]"
            if not is_object(function):
                findings.add("body.shape", place)
                continue
            names.append((function.get("name"), f"{place}.name"))
            if "parametersJsonSchema" in function:
                check_schema(function["parametersJsonSchema"], f"{place}.parametersJsonSchema", findings)
    check_tool_names(names, findings)
    place = "$.toolConfig.functionCallingConfig.allowedFunctionNames"
    for chosen in as_list(within(body, "toolConfig", "functionCallingConfig", "allowedFunctionNames")):
        check_choice(chosen, names, place, findings)


def _kind(part: Any, place: str, findings: Findings) -> str | None:
    """The one kind of data that the part has."""
    kinds = [name for name in part if name in _DATA] if is_object(part) else []
    if len(kinds) != 1:
        findings.add("part.fields", place, f"It has {', '.join(kinds) or 'none'}.")
        return None
    return kinds[0]


def _check_user(parts: list[Any], where: str, scan: Scan, findings: Findings) -> None:
    waiting = scan.open
    others = False
    for index, part in enumerate(parts):
        place = f"{where}.parts[{index}]"
        kind = _kind(part, place, findings)
        if kind == "functionResponse":
            if others:
                findings.add("result.place", place)
            _check_response(part[kind], place, waiting, findings)
        elif kind == "functionCall":
            findings.add("media.place", place)
        elif kind is not None:
            others = True
            _check_data(kind, part, place, scan, findings)
    close_calls(scan, findings)


def _check_response(response: Any, place: str, waiting: dict[str, Place], findings: Findings) -> None:
    if not is_object(response) or not is_object(response.get("response")):
        findings.add("body.shape", place)
        return
    check_call_name(response.get("name"), f"{place}.functionResponse.name", findings)
    name = word(response, "id")
    key = name if isinstance(name, str) and name in waiting else None
    if key is None and not isinstance(name, str):
        key = next(iter(waiting), None)
    if key is None:
        findings.add("result.orphan", place, patch=removal(place))
    else:
        del waiting[key]


def _check_data(kind: str, part: dict[str, Any], place: str, scan: Scan, findings: Findings) -> None:
    if kind == "text":
        if is_blank(part["text"]):
            findings.add("text.empty", place, patch=removal(place))
        return
    held = part[kind]
    if not is_object(held):
        findings.add("body.shape", place)
    elif kind == "inlineData" and str(word(held, "mimeType")).startswith("image/"):
        count_picture(None, place, scan, findings)


def _check_model(parts: list[Any], where: str, scan: Scan, findings: Findings) -> None:
    close_calls(scan, findings)
    calls: dict[str, Place] = {}
    for index, part in enumerate(parts):
        place = f"{where}.parts[{index}]"
        kind = _kind(part, place, findings)
        if kind == "functionCall":
            _check_call(part, place, calls, scan, findings)
        elif kind == "functionResponse":
            findings.add("result.place", place)
        elif kind is not None:
            _check_data(kind, part, place, scan, findings)
    scan.open = calls
    scan.calls = scan.calls or bool(calls)


def _check_call(
    part: dict[str, Any], place: str, calls: dict[str, Place], scan: Scan, findings: Findings
) -> None:
    call = part["functionCall"]
    if not is_object(call):
        findings.add("body.shape", place)
        return
    check_call_name(call.get("name"), f"{place}.functionCall.name", findings)
    if not is_object(call.get("args", {})):
        findings.add("call.arguments", f"{place}.functionCall.args")
    if findings.profile.placeholder_signature and not calls and not part.get("thoughtSignature"):
        findings.add("reasoning.missing", place)
    name = word(call, "id")
    if isinstance(name, str):
        if name in scan.ids:
            findings.add("call.id-duplicate", f"{place}.functionCall.id")
        scan.ids.add(name)
    calls[name if isinstance(name, str) else f"#{place}"] = place
