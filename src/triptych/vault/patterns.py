"""Patterns that name files of a vault, for projects and exclusions.

``#tag``        notes with this tag, whatever the letter case; no hierarchy
``*.ext``       files whose name ends so, whatever the letter case
``[[name]]``    the note of this name, without folder or extension
``[key:value]`` notes whose front matter has this value under the key (``[key:]``: has the key); the key is
                compared exactly, the value without letter case, a list by any of its items
anything else   a file by its path, or a folder by its path with all below it, letter case kept

An exclusion wins. Lists of patterns travel as text: percent-encoded, joined by commas.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

import msgspec

__all__ = ["Candidate", "decode_patterns", "encode_patterns", "matches_any", "matches_pattern"]

_UNRESERVED = "!'()*"
_ORDER = ("#", "*.", "[[", "[")


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """What a pattern can see of a file."""

    path: str
    tags: tuple[str, ...] = ()
    front_matter: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])


def matches_pattern(pattern: str, file: Candidate) -> bool:
    """Whether one pattern names the file."""
    if pattern.startswith("#"):
        wanted = pattern[1:].casefold()
        return any(tag.lstrip("#").casefold() == wanted for tag in file.tags)
    if pattern.startswith("*."):
        return file.path.lower().endswith(pattern[1:].lower())
    if pattern.startswith("[[") and pattern.endswith("]]"):
        return _note_name(file.path) == pattern[2:-2].strip()
    if pattern.startswith("[") and pattern.endswith("]") and ":" in pattern:
        key, _, value = pattern[1:-1].partition(":")
        return _has_property(file.front_matter, key.strip(), value.strip())
    return _under(pattern, file.path)


def matches_any(patterns: Iterable[str], file: Candidate) -> bool:
    """Whether one of the patterns names the file."""
    return any(matches_pattern(pattern, file) for pattern in patterns)


def _note_name(path: str) -> str | None:
    name = path.rpartition("/")[2]
    return name[:-3] if name.lower().endswith(".md") else None


def _has_property(front_matter: Mapping[str, Any], key: str, value: str) -> bool:
    if key not in front_matter:
        return False
    held = front_matter[key]
    items = held if isinstance(held, list) else [held]
    return not value or any(_written(item).casefold() == value.casefold() for item in items)


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()


def _under(pattern: str, path: str) -> bool:
    folder = pattern.rstrip("/")
    return bool(folder) and (path == folder or path.startswith(folder + "/"))


def decode_patterns(text: str) -> list[str]:
    """Patterns of their text form; a broken percent code stays as it is."""
    return [_decoded(item.strip()) for item in text.split(",") if item.strip()]


def _decoded(item: str) -> str:
    try:
        decoded = unquote(item, errors="strict")
    except UnicodeDecodeError:
        return item
    broken = any(not _is_code(item[place + 1 : place + 3]) for place, sign in enumerate(item) if sign == "%")
    return item if broken else decoded


def _is_code(digits: str) -> bool:
    return len(digits) == 2 and all(digit in "0123456789abcdefABCDEF" for digit in digits)


def encode_patterns(patterns: Iterable[str]) -> str:
    """The text form, kinds in a fixed order: tags, extensions, notes, properties, then folders and files."""
    kinds: dict[int, list[str]] = {}
    for pattern in patterns:
        kind = next((at for at, mark in enumerate(_ORDER) if pattern.startswith(mark)), len(_ORDER))
        kinds.setdefault(kind, []).append(quote(pattern, safe=_UNRESERVED))
    return ",".join(item for kind in sorted(kinds) for item in kinds[kind])
