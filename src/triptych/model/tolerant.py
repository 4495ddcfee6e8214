"""The tolerant reader: any JSON value becomes a message, and nothing in it is lost.

For each field of the class that the role names: a value that fits is taken; one that does not fit goes to
``extra`` under its own name, like every field that nobody knows. Parts of unknown types become ``UnknownPart``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.digest import digest_json
from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage

__all__ = ["parse_message", "parse_part"]

_ROLES: dict[str, type[msgspec.Struct]] = {
    "system": SystemMessage,
    "user": UserMessage,
    "assistant": AssistantMessage,
    "tool": ToolMessage,
}
_PART_TYPES: dict[type, frozenset[str]] = {
    SystemMessage: frozenset({"text"}),
    UserMessage: frozenset({"text", "image", "audio", "video", "file", "reference", "data"}),
    AssistantMessage: frozenset(
        {
            "text",
            "reasoning",
            "toolCall",
            "toolResult",
            "image",
            "audio",
            "video",
            "file",
            "source",
            "refusal",
            "error",
            "data",
        }
    ),
    ToolMessage: frozenset({"toolResult"}),
}
_RESULT_TYPES = frozenset({"text", "image", "audio", "video", "file", "data"})


def parse_message(value: Any, where: str = "$") -> tuple[Message, tuple[Diagnostic, ...]]:
    """A clean JSON value as a message. What is no object at all becomes the unknown part of a message."""
    found: list[Diagnostic] = []
    if not isinstance(value, dict):
        found.append(_problem("not_a_message", "This is no message; it was kept as it is.", where, "error"))
        return AssistantMessage(id=_unnamed(value), parts=(words.UnknownPart(raw=value),)), tuple(found)
    kind = _ROLES.get(value["role"]) if isinstance(value.get("role"), str) else None
    known: dict[str, Any] = {}
    extra: dict[str, Any] = {key: item for key, item in value.items() if key != "role"}
    if kind is None:
        found.append(_problem("unknown_role", "An unknown role is shown as the assistant's.", where))
        kind = AssistantMessage
        extra = dict(value)
    if isinstance(extra.get("parts"), list):
        known["parts"] = tuple(
            parse_part(part, _PART_TYPES[kind], f"{where}.parts[{index}]", found)
            for index, part in enumerate(extra.pop("parts"))
        )
    elif "parts" in extra:
        found.append(_problem("bad_field", "Parts that are no list were kept as they are.", f"{where}.parts"))
    _take_fields(kind, known, extra, where, found)
    if "id" not in known:
        raw_id = extra.pop("id", None)
        found.append(_missing_id(raw_id, where))
        known["id"] = _unnamed(value)
    found.extend(
        _problem("unknown_field", f"The field {name!r} was kept as it is.", where, "info")
        for name in extra
        if name not in _written(kind)
    )
    return kind(**known, extra=extra or None), tuple(found)  # pyright: ignore[reportReturnType]


def parse_part(value: Any, types: frozenset[str], where: str, found: list[Diagnostic]) -> Any:
    """One part; what this role does not hold, or nobody knows, is kept whole as an ``UnknownPart``."""
    kind = _part_kinds().get(value["type"]) if _typed(value, types) else None
    if kind is None:
        found.append(_problem("unknown_part", "A part of an unknown type was kept as it is.", where, "info"))
        return words.UnknownPart(raw=value)
    known: dict[str, Any] = {}
    extra = {key: item for key, item in value.items() if key != "type"}
    if kind is words.ToolResultPart and isinstance(extra.get("content"), list):
        known["content"] = tuple(
            parse_part(item, _RESULT_TYPES, f"{where}.content[{index}]", found)
            for index, item in enumerate(extra.pop("content"))
        )
    noted: list[Diagnostic] = []
    _take_fields(kind, known, extra, where, noted)
    try:
        part = kind(**known, extra=extra or None)
    except TypeError:
        found.append(_problem("unknown_part", "A part that lacks a field was kept as it is.", where))
        return words.UnknownPart(raw=value)
    found.extend(noted)
    return part


def _typed(value: Any, types: frozenset[str]) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"] in types


def _take_fields(
    kind: type[msgspec.Struct],
    known: dict[str, Any],
    extra: dict[str, Any],
    where: str,
    found: list[Diagnostic],
) -> None:
    """Move every field that fits from ``extra`` to ``known``; what does not fit stays in ``extra``."""
    for name, written, wanted in _fields(kind):
        if written not in extra or name in known:
            continue
        try:
            known[name] = msgspec.convert(extra[written], wanted)
        except (msgspec.ValidationError, RecursionError):
            found.append(
                _problem("bad_field", f"The field {written!r} was kept as it is.", f"{where}.{written}")
            )
        else:
            del extra[written]


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, str, Any], ...]:
    return tuple(
        (field.name, field.encode_name, field.type)
        for field in msgspec.structs.fields(kind)
        if field.name not in {"extra", "parts"}
    )


@cache
def _written(kind: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset({"parts", *(written for _, written, _ in _fields(kind))})


@cache
def _part_kinds() -> dict[str, type[msgspec.Struct]]:
    kinds = [getattr(words, name) for name in words.__all__ if name.endswith("Part")]
    structs = [kind for kind in kinds if isinstance(kind, type) and kind is not words.UnknownPart]
    return {str(kind.__struct_config__.tag): kind for kind in structs}


def _unnamed(value: Any) -> Any:
    return f"unnamed-{digest_json(value).removeprefix('b2:')[:16]}"


def _missing_id(raw: Any, where: str) -> Diagnostic:
    return Diagnostic(
        code="missing_id",
        message="A message without a usable id was given one made from its content.",
        where=where,
        detail={"id": raw},
    )


def _problem(code: str, message: str, where: str, severity: Any = "warning") -> Diagnostic:
    return Diagnostic(code=code, message=message, where=where, severity=severity)
