"""Reading JSON that others wrote: as the standard library reads it, then cleaned.

What no database or wire can hold is replaced, each time with a diagnostic that names the place: lone surrogates
and NUL become U+FFFD, NaN and the infinities become null.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from triptych.model.diagnostics import Diagnostic

__all__ = ["clean_json", "clean_text", "read_json"]

_UNHOLDABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


def clean_text(text: str) -> str:
    """The text without NUL and lone surrogates; the very same object when there are none."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNHOLDABLE.sub(_REPLACEMENT, text) if _UNHOLDABLE.search(text) else text


def read_json(data: bytes | str) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Any bytes to a clean JSON value. Unreadable ones give None and a diagnostic of severity error."""
    text = (
        data.decode("utf-8", "surrogatepass" if _surrogates(data) else "replace")
        if isinstance(data, bytes)
        else data
    )
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as problem:
        sentence = "too deeply nested" if isinstance(problem, RecursionError) else str(problem)
        return None, (
            Diagnostic(code="bad_json", message=f"Not readable as JSON: {sentence}.", severity="error"),
        )
    return clean_json(value)


def _surrogates(data: bytes) -> bool:
    """Whether the bytes decode once encoded surrogates are let through."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def clean_json(value: Any) -> tuple[Any, tuple[Diagnostic, ...]]:
    """A JSON value that every database and wire can hold, and what had to be replaced.

    The value itself comes back when nothing was wrong; otherwise a copy.
    """
    found: list[Diagnostic] = []
    pending: list[tuple[Any, str]] = [(value, "$")]
    while pending:
        item, path = pending.pop()
        _inspect(item, path, found, pending)
    if not found:
        return value, ()
    return _cleaned(value), tuple(found)


def _inspect(item: Any, path: str, found: list[Diagnostic], pending: list[tuple[Any, str]]) -> None:
    if isinstance(item, str):
        if _UNHOLDABLE.search(item):
            found.append(_bad_text(path))
    elif isinstance(item, float):
        if not math.isfinite(item):
            found.append(
                Diagnostic(
                    code="bad_number", message="A number that JSON cannot hold became null.", where=path
                )
            )
    elif isinstance(item, dict):
        for key, inner in item.items():
            if isinstance(key, str) and _UNHOLDABLE.search(key):
                found.append(_bad_text(path))
            pending.append((inner, f"{path}.{key}"))
    elif isinstance(item, list | tuple):
        pending.extend((inner, f"{path}[{index}]") for index, inner in enumerate(item))


def _bad_text(path: str) -> Diagnostic:
    return Diagnostic(
        code="bad_text", message="Characters that no database can hold were replaced.", where=clean_text(path)
    )


def _cleaned(value: Any) -> Any:
    """Recursive, on values that the reader's own depth limit has bounded."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {
            clean_text(key) if isinstance(key, str) else key: _cleaned(item) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return value
