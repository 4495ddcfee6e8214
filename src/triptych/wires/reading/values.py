"""Small readers of JSON that somebody else wrote: each takes anything and gives the type it promises."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from triptych.model.foreign import clean_json, clean_text

__all__ = [
    "as_count",
    "as_list",
    "as_map",
    "as_text",
    "first_text",
    "is_whole_object",
    "join_surrogates",
    "json_text",
    "kept_json",
    "read_value",
]

_SURROGATE = re.compile("[\ud800-\udfff]")
_HIGHEST_COUNT = 2**53
_DEEPEST = 64


def as_map(value: Any) -> dict[str, Any]:
    """The object, or an empty one."""
    if isinstance(value, dict):
        return value
    return dict(value) if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """The list, or an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """The text without characters that no database can hold, or an empty one."""
    return clean_text(join_surrogates(value)) if isinstance(value, str) else ""


def first_text(source: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds text."""
    return next((text for name in names if (text := as_text(source.get(name)))), "")


def as_count(value: Any) -> int | None:
    """A count of something, or None: no booleans, no negatives, nothing a double could not hold."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _HIGHEST_COUNT else None


def join_surrogates(text: str) -> str:
    r"""Surrogate halves that stand side by side (``\ud83d`` ``\ude00``) become the one character they mean."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def json_text(value: Any) -> str:
    """A value as compact JSON text; text itself stays as it is, None is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""


def is_whole_object(text: str) -> bool:
    """Whether the text is one complete JSON object."""
    if not text.rstrip().endswith("}"):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def read_value(text: str) -> Any:
    """JSON text as the standard library reads it; None when it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def kept_json(value: Any) -> Any:
    """A foreign value that is kept for later: unchanged where every database can hold it, cleaned where not.

    One that is nested deeper than anything a provider sends becomes None.
    """
    if _too_deep(value):
        return None
    return clean_json(value)[0]


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True
