"""Checks that several wires share.

Not here: walking a body (``rules.<wire>``).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, TypeGuard

import msgspec

from triptych.wires.repair.calls import parse_arguments
from triptych.wires.rules.finding import Findings, Scan, written

__all__ = [
    "as_list",
    "check_arguments_text",
    "check_call_id",
    "check_call_name",
    "check_characters",
    "check_choice",
    "check_end",
    "check_request_size",
    "check_schema",
    "check_tool_names",
    "close_calls",
    "fits_call_id",
    "fits_call_name",
    "is_blank",
    "is_object",
    "matcher",
    "removal",
    "within",
    "word",
]

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
_ENCODER = msgspec.json.Encoder()


@cache
def matcher(pattern: str) -> re.Pattern[str]:
    """The compiled pattern."""
    return re.compile(pattern)


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether it is a JSON object."""
    return isinstance(value, dict)


def word(value: Any, name: str) -> str | None:
    """The text under a name of an object; None for anything else."""
    held = value.get(name) if isinstance(value, dict) else None
    return held if isinstance(held, str) else None


def as_list(value: Any) -> list[Any]:
    """The list itself, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def is_blank(text: Any) -> bool:
    """Whether it is no text with a visible character."""
    return not isinstance(text, str) or not text or text.isspace()


def removal(where: str) -> list[dict[str, Any]]:
    """The patch that takes a place out of the body."""
    return [{"op": "remove", "path": pointer(where)}]


def pointer(where: str) -> str:
    """A JSON path such as ``$.messages[1].name`` as a JSON pointer."""
    return re.sub(r"\[(\d+)\]", r"/\1", where.removeprefix("$")).replace(".", "/")


def check_call_id(name: Any, where: str, scan: Scan, findings: Findings) -> None:
    """Alphabet, length and uniqueness of a call id; it is remembered."""
    if not isinstance(name, str) or not name:
        findings.add("call.id-pattern", where)
        return
    if not fits_call_id(name, findings):
        findings.add("call.id-pattern", where, f"It is {name[:80]!r}.")
    if name in scan.ids:
        findings.add("call.id-duplicate", where, f"It is {name[:80]!r}.")
    scan.ids.add(name)


def fits_call_id(name: Any, findings: Findings) -> bool:
    """Whether a call id has the alphabet and length of the profile."""
    if not isinstance(name, str) or not name:
        return False
    length, pattern = findings.profile.call_id_length, findings.profile.call_id_pattern
    if length is not None and len(name) > length:
        return False
    return pattern is None or matcher(pattern).fullmatch(name) is not None


def fits_call_name(name: Any, findings: Findings) -> bool:
    """Whether a tool name has the alphabet and length of the profile; those that have are remembered."""
    if not isinstance(name, str):
        return False
    if name in findings.fine_names:
        return True
    if matcher(findings.profile.tool_name_pattern).fullmatch(name) is None:
        return False
    findings.fine_names.add(name)
    return True


def check_call_name(name: Any, where: str, findings: Findings) -> None:
    """A tool name in the history."""
    if not fits_call_name(name, findings):
        findings.add("call.name", where, f"It is {str(name)[:80]!r}.")


def check_arguments_text(arguments: Any, where: str, findings: Findings) -> None:
    """Arguments as JSON text."""
    if not isinstance(arguments, str) or parse_arguments(arguments) is None:
        patch = [{"op": "replace", "path": pointer(where), "value": "{}"}]
        findings.add("call.arguments", where, patch=patch)


def close_calls(scan: Scan, findings: Findings) -> None:
    """Whatever call is still open at this point has no result."""
    for name, where in scan.open.items():
        findings.add("call.unanswered", written(where), f"It is {name[:80]!r}.")
    scan.open.clear()


def check_tool_names(names: list[tuple[Any, str]], findings: Findings) -> None:
    """Names of offered tools: allowed, and each only once."""
    seen: set[Any] = set()
    pattern = matcher(findings.profile.tool_name_pattern)
    for name, where in names:
        if not isinstance(name, str) or pattern.fullmatch(name) is None or name in seen:
            findings.add("tool.name", where, f"It is {str(name)[:80]!r}.")
        if isinstance(name, str):
            seen.add(name)


def check_choice(chosen: Any, names: list[tuple[Any, str]], where: str, findings: Findings) -> None:
    """The tool that the model has to call is one of those that are offered."""
    if isinstance(chosen, str) and all(name != chosen for name, _ in names):
        findings.add("tool.choice", where, f"It is {chosen[:80]!r}.")


def within(value: Any, *path: str) -> Any:
    """What stands at a path of keys, or None."""
    for key in path:
        value = value.get(key) if is_object(value) else None
    return value


def check_schema(schema: Any, where: str, findings: Findings) -> None:
    """The parameters of a tool."""
    if not is_object(schema) or schema.get("type") != "object":
        findings.add("tool.schema", where)


def check_end(scan: Scan, place: str, findings: Findings) -> None:
    """The last turn, and that there is one."""
    if not scan.words:
        findings.add("turn.none", place)
    elif scan.last == "assistant" and not findings.profile.prefill:
        findings.add("turn.last", f"{place}[{scan.index - 1}]")


def check_request_size(bytes_so_far: int, findings: Findings) -> None:
    """The bytes of the whole request."""
    limit = findings.profile.limits.request_bytes
    if limit is not None and bytes_so_far > limit:
        findings.add("request.size", "$", f"It has {bytes_so_far}, at most {limit} are taken.")


def check_characters(value: Any, where: str, findings: Findings) -> int:
    """Lone surrogates and NUL anywhere in a value; its size in bytes as JSON."""
    try:
        data = _ENCODER.encode(value)
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError, RecursionError):
        data = b""
    if data and b"\\u0000" not in data:
        return len(data)
    pending: list[tuple[Any, str]] = [(value, where)]
    while pending:
        item, place = pending.pop()
        if isinstance(item, str):
            if _UNSENDABLE.search(item):
                findings.add("text.characters", place)
        elif isinstance(item, dict):
            for key, inner in item.items():
                if _UNSENDABLE.search(str(key)):
                    findings.add("text.characters", place)
                pending.append((inner, f"{place}.{key}"))
        elif isinstance(item, list | tuple):
            pending.extend((inner, f"{place}[{index}]") for index, inner in enumerate(item))
    return len(data)
