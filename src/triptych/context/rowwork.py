"""Small work on rows: reading foreign values safely, and making a new row instead of changing one.

``each_row`` is how most steps are written: one function from a row to what stands in its place.

Not here: anything that knows what a role or a step means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from triptych.context.draft import Draft
from triptych.model.rows import Row

__all__ = [
    "BLANKS",
    "Replacement",
    "append_text",
    "each_row",
    "lines_of",
    "listed",
    "mapping",
    "present",
    "role_of",
    "text_of",
    "trim",
    "utf16_length",
    "utf16_start",
    "without",
]

_ROLE = itemgetter("role")

Replacement = Row | tuple[Row, ...] | None
"""What stands in a row's place: the same row, another row, several rows, or nothing."""

BLANKS = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""The white space of ECMAScript, whose programs wrote most rows."""


def each_row(draft: Draft, change: Callable[[Any], Replacement], roles: Iterable[str] | None = None) -> Draft:
    """The draft with ``change`` applied to every row that has one of the roles, and to no other.

    When every row comes back as the same object, so does the draft: a step that changes nothing copies nothing.
    """
    rows = draft.rows
    places = range(len(rows)) if roles is None else _places(rows, tuple(roles))
    changed: dict[int, Replacement] = {}
    for place in places:
        new = change(rows[place])
        if new is not rows[place]:
            changed[place] = new
    return draft.with_rows(_replaced(rows, changed)) if changed else draft


def _places(rows: Sequence[Row], roles: tuple[str, ...]) -> list[int]:
    try:
        return [place for place, role in enumerate(map(_ROLE, rows)) if role in roles]
    except KeyError:
        return [place for place, row in enumerate(rows) if row.get("role") in roles]


def _replaced(rows: Sequence[Row], changed: Mapping[int, Replacement]) -> list[Row]:
    if not any(new is None or isinstance(new, tuple) for new in changed.values()):
        done = list(rows)
        for place, new in changed.items():
            done[place] = new  # pyright: ignore[reportArgumentType, reportCallIssue] # no tuple and no None, just checked
        return done
    done = []
    for place, row in enumerate(rows):
        new = changed.get(place, row)
        if isinstance(new, tuple):
            done.extend(new)
        elif new is not None:
            done.append(new)
    return done


def role_of(row: Row) -> str:
    """The role as a string; the empty string for a row that has none."""
    role = row.get("role")
    return role if isinstance(role, str) else ""


def present(value: Any) -> bool:
    """Whether the ecosystem's programs take a value as given: empty lists and mappings are, empty text is not."""
    return isinstance(value, list | tuple | Mapping) or (bool(value) and value == value)  # noqa: PLR0124 # NaN is absent


def listed(value: Any) -> list[Any]:
    """A foreign value as a list; anything else is an empty one."""
    return value if isinstance(value, list) else []


def mapping(value: Any) -> Mapping[str, Any]:
    """A foreign value as a mapping; anything else is an empty one."""
    if isinstance(value, dict):
        return value
    return value if isinstance(value, Mapping) else {}


def without(row: Row, *keys: str) -> dict[str, Any]:
    """The row without these keys."""
    return {key: value for key, value in row.items() if key not in keys}


def trim(text: str) -> str:
    """The text without the white space (ECMAScript's list of it) at both ends."""
    return text.strip(BLANKS)


def utf16_length(text: str) -> int:
    """The length in UTF-16 units, as the ecosystem's programs count."""
    return len(text) + sum(character > "\uffff" for character in text)


def utf16_start(text: str, most: int) -> str:
    """The longest beginning of at most ``most`` UTF-16 units that splits no character."""
    if len(text) * 2 <= most:
        return text
    data = text.encode("utf-16-le", "surrogatepass")
    end = max(0, most) * 2
    if end >= len(data):
        return text
    if end and _opens_pair(data[end - 1]) and not _opens_pair(data[end + 1]):
        end -= 2
    return data[:end].decode("utf-16-le", "surrogatepass")


def _opens_pair(upper: int) -> bool:
    """Whether the upper byte of a unit opens a pair."""
    return 0xD8 <= upper <= 0xDB


def text_of(content: Any, separator: str = "\n") -> str:
    """The words of a content, string or parts; other parts have no words."""
    if isinstance(content, str):
        return content
    return separator.join(lines_of(content))


def lines_of(content: Any) -> list[str]:
    """The texts of the text parts of a content."""
    parts = (part for part in listed(content) if mapping(part).get("type") == "text")
    return [part["text"] for part in parts if isinstance(part.get("text"), str)]


def append_text(content: Any, text: str, *, gap: str = "\n\n") -> Any:
    """The content with a text behind it: at the end of a string, of the last text part, or as a new part."""
    if not isinstance(content, list):
        return f"{content}{gap}{text}" if isinstance(content, str) else text
    for place in range(len(content) - 1, -1, -1):
        part = content[place]
        if isinstance(part, Mapping) and part.get("type") == "text":
            longer = {**part, "text": f"{part.get('text') or ''}{gap}{text}"}
            return [*content[:place], longer, *content[place + 1 :]]
    return [*content, {"type": "text", "text": text}]
