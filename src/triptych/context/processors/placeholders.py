"""Placeholders ``{{name}}`` in texts, filled by generators.

A token is ``{{``, anything, and the next ``}}``; its key is what stands between, trimmed. Unknown keys stay as
they are. Values may hold tokens again, so a text is filled in up to ``depth`` passes. A generator that raises
leaves the text as the passes before it made it.

By default only user and system text is filled: a recorded tool result is a fact, and rewriting it would falsify
it and move the prefix.

A generator's value should not change while an engine lives: a settled turn keeps the value that it had.

Not here: any variable; the application hands in its generators, so the time and chance are its business.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.rowwork import each_row, listed, mapping
from triptych.model.rows import Row

__all__ = [
    "Generators",
    "fill",
    "fill_placeholders",
    "format_value",
    "render_template",
    "tokens_of",
]

Generators = Mapping[str, Callable[[], Any]]
"""A function for each key; one that returns None has no value now."""


def fill_placeholders(
    generators: Generators,
    *,
    depth: int = 2,
    roles: Iterable[str] | None = ("user", "system"),
    results: bool = False,
    fill_text: Callable[[str, Generators, int], str] | None = None,
) -> Step:
    """Fill placeholders in the texts of the rows that have one of the roles (None: all but tool results).

    ``results`` lets None mean tool results too: only the original's pipeline does that.
    """
    wanted = None if roles is None else tuple(roles)
    filled = fill_text or fill

    def change(row: Row) -> Row:
        if wanted is None and not results and row.get("role") == "tool":
            return row
        return _filled_row(row, lambda text: filled(text, generators, depth))

    def run(draft: Draft) -> Draft:
        if not generators:
            return draft
        after = each_row(draft, change, wanted)
        changed = sum(one is not other for one, other in zip(draft.rows, after.rows, strict=True))
        return note(after, "fill_placeholders", rows=changed) if changed else draft

    return Step(
        Contract(
            name="fill_placeholders",
            reads=frozenset({"flat", "system"}),
            writes=frozenset({"variables"}),
            moves_prefix=True,
            scope="message",
            idempotent=False,
            roles=None if wanted is None else frozenset(wanted),
            about="fills {{placeholders}} in user and system text",
        ),
        run,
    )


def fill(text: str, generators: Generators, depth: int = 2) -> str:
    """The text with its placeholders filled, in up to ``depth`` passes."""
    for _ in range(depth):
        tokens = tokens_of(text)
        try:
            values = {key: _value(generators[key]()) for _, key in tokens if key in generators}
        except Exception:  # noqa: BLE001 # a generator is foreign code; its text stays unfilled
            return text
        filled = _replaced(text, tokens, {key: value for key, value in values.items() if value is not None})
        if filled == text:
            return text
        text = filled
    return text


def tokens_of(text: str) -> list[tuple[str, str]]:
    """The tokens of a text as (token, key), in order."""
    found: list[tuple[str, str]] = []
    start = text.find("{{")
    while start >= 0:
        end = text.find("}}", start + 2)
        if end < 0:
            break
        found.append((text[start : end + 2], text[start + 2 : end].strip()))
        start = text.find("{{", end + 2)
    return found


def render_template(template: str, values: Mapping[str, Any], depth: int = 2) -> str:
    """A template filled with plain values (see ``format_value``)."""
    return fill(template, {key: _former(value) for key, value in values.items()}, depth)


def format_value(value: Any) -> str:
    """A value as text: nothing for None, ``a, b`` for a list without its empty items, JSON for a mapping."""
    if value is None:
        return ""
    if callable(value):
        return _called(value)
    if isinstance(value, list | tuple):
        return ", ".join(text for text in map(format_value, value) if text)
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _plain(value)


def _former(value: Any) -> Callable[[], str]:
    return lambda: format_value(value)


def _called(generator: Callable[[], Any]) -> str:
    try:
        return format_value(generator())
    except Exception:  # noqa: BLE001 # as in fill: foreign code
        return ""


def _value(value: Any) -> str | None:
    return None if value is None else _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _replaced(text: str, tokens: list[tuple[str, str]], values: Mapping[str, str]) -> str:
    """The text with every token of a known key replaced, in one walk: values are never looked into here."""
    pieces: list[str] = []
    place = 0
    for token, key in tokens:
        at = text.index(token, place)
        pieces.extend((text[place:at], values.get(key, token)))
        place = at + len(token)
    return "".join((*pieces, text[place:]))


def _filled_row(row: Row, filled: Callable[[str], str]) -> Row:
    content = row.get("content")
    if isinstance(content, str):
        if "{{" not in content:
            return _filled_parts(row, "parts", filled) if "parts" in row else row
        text = filled(content)
        return row if text == content else _filled_parts({**row, "content": text}, "parts", filled)
    return _filled_parts(row, "content", filled)


def _filled_parts(row: Row, field: str, filled: Callable[[str], str]) -> Row:
    parts = listed(row.get(field))
    new = [_filled_part(part, filled) for part in parts]
    same = all(one is other for one, other in zip(new, parts, strict=True))
    return row if same else {**row, field: new}


def _filled_part(part: Any, filled: Callable[[str], str]) -> Any:
    known = mapping(part)
    text = known.get("text")
    if known.get("type") != "text" or not isinstance(text, str) or "{{" not in text:
        return part
    new = filled(text)
    return part if new == text else {**known, "text": new}
