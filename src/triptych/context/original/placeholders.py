"""The original's look-up of placeholders: a plain property look-up, so inherited names are found too.

Not here: filling (``processors.placeholders``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from triptych.context.original.encoding import UNDEFINED
from triptych.context.processors.placeholders import fill

__all__ = ["fill_as_original"]


def _refuses() -> Any:
    raise TypeError("called without an object")


_INHERITED: Mapping[str, Callable[[], Any]] = {
    "toString": lambda: "[object Undefined]",
    "constructor": lambda: "[object Object]",
    "isPrototypeOf": lambda: False,
    **dict.fromkeys(
        ("toLocaleString", "hasOwnProperty", "propertyIsEnumerable", "valueOf", "__proto__"), _refuses
    ),
    **dict.fromkeys(
        ("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"), _refuses
    ),
}


def fill_as_original(text: str, generators: Mapping[str, Any], depth: int = 2) -> str:
    """The text with its placeholders filled, with the original's look-up and its forms of values."""
    known = {key: _formed(value) for key, value in generators.items() if callable(value)}
    return fill(text, {**_INHERITED, **known}, depth)


def _formed(generator: Callable[[], Any]) -> Callable[[], Any]:
    def formed() -> Any:
        value = generator()
        if value is UNDEFINED:
            return None
        return "null" if value is None else value

    return formed
