"""Front matter: the YAML between two lines ``---`` at the very start of a note.

Bad YAML is a diagnostic; the body is found all the same. Values come out as JSON values.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import yaml

from triptych.model.diagnostics import Diagnostic
from triptych.model.foreign import clean_json

__all__ = ["parse_front_matter", "split_front_matter"]

_FENCED = re.compile(r"\ufeff?---[ \t]*\r?\n(?:(.*?)\r?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LONGEST = 65_536
_MOST_VALUES = 10_000
_LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def split_front_matter(text: str) -> tuple[str, str]:
    """The YAML text and the body. Without front matter the YAML is empty and the body is all."""
    found = _FENCED.match(text)
    if found is None:
        return "", text.removeprefix("\ufeff")
    return found[1] or "", text[found.end() :]


def parse_front_matter(text: str, where: str | None = None) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """The mapping that a YAML text holds, as JSON values; empty with a diagnostic when it holds none."""
    if not text.strip():
        return {}, ()
    if len(text) > _LONGEST:
        return {}, (_bad("It is longer than 64 KB.", where),)
    try:
        value = yaml.load(text, Loader=_LOADER)  # noqa: S506 # the loader is the safe one
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as problem:
        return {}, (_bad(str(problem).splitlines()[0] if str(problem) else "It is no YAML.", where),)
    if value is None:
        return {}, ()
    if not isinstance(value, dict):
        return {}, (_bad("It has to be keys and values.", where),)
    return _mapping(value, where)


def _mapping(value: dict[Any, Any], where: str | None) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    budget = [_MOST_VALUES]
    plain = _plain(value, budget, 0)
    if budget[0] < 0:
        return {}, (_bad("It unfolds to too many values.", where),)
    cleaned, found = clean_json(plain)
    return cleaned, found


def _plain(value: Any, budget: list[int], depth: int) -> Any:
    """JSON values; depth is bounded by the YAML reader, aliases by the budget."""
    budget[0] -= 1
    if budget[0] < 0 or depth > 100:
        return None
    if isinstance(value, dict):
        return {_key(key): _plain(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item, budget, depth + 1) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.isoformat() if isinstance(value, date) else str(value)


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return key.isoformat() if isinstance(key, date) else str(key)


def _bad(reason: str, where: str | None) -> Diagnostic:
    return Diagnostic(
        code="front_matter_unreadable", message=f"The front matter could not be read. {reason}", where=where
    )
