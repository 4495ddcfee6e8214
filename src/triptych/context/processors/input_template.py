"""A template around what the user typed: ``Answer in French: {{text}}``.

``{{text}}`` is the only thing in a template that means something; all else is literal, whatever it looks like,
and the user's words are never read as a template. Text that Triptych injected is left alone.

Not here: placeholders of other names (``placeholders``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.rowwork import each_row, lines_of, listed, mapping
from triptych.model.rows import Row

__all__ = ["apply_template", "input_template"]

_TEXT = re.compile(r"\{\{\s*text\s*\}\}")


def input_template(template: str | None, *, must_hold_text: bool = True, injected_too: bool = False) -> Step:
    """Put the template around the words of every user row.

    A template without ``{{text}}`` would lose the user's words, so it is not applied unless ``must_hold_text``
    is false. ``injected_too`` applies it to injected rows as well, as the original does.
    """
    usable = bool(template) and (not must_hold_text or bool(_TEXT.search(template or "")))

    def change(row: Row) -> Row:
        if not injected_too and _injected(row):
            return row
        content = apply_template(template or "", row.get("content"))
        return (
            row
            if content == row.get("content")
            else {**row, "content": content, **_parts(template or "", row)}
        )

    def run(draft: Draft) -> Draft:
        if not usable:
            return draft
        after = each_row(draft, change, ("user",))
        changed = sum(one is not other for one, other in zip(draft.rows, after.rows, strict=True))
        return note(after, "input_template", rows=changed) if changed else draft

    return Step(
        Contract(
            name="input_template",
            reads=frozenset({"history"}),
            writes=frozenset({"template"}),
            scope="message",
            idempotent=False,
            roles=frozenset({"user"}),
            about="puts a template around the user's own words",
        ),
        run,
    )


def apply_template(template: str, content: Any) -> Any:
    """The content with the template around its words; media stay where they are, and words alone are a string."""
    if isinstance(content, list):
        parts = _around_parts(template, content)
        return parts if len(parts) > 1 else parts[0]["text"]
    return _put(template, content if isinstance(content, str) else "")


def _put(template: str, text: str) -> str:
    return text.join(_TEXT.split(template))


def _around_parts(template: str, parts: list[Any]) -> list[Any]:
    """All words together stand where the first text part stood; without one, in front."""
    text = {"type": "text", "text": _put(template, "\n\n".join(lines_of(parts)))}
    media = [part for part in parts if mapping(part).get("type") != "text"]
    first = next((place for place, part in enumerate(parts) if mapping(part).get("type") == "text"), 0)
    return [*media[:first], text, *media[first:]] if media else [text]


def _parts(template: str, row: Row) -> dict[str, Any]:
    parts = listed(row.get("parts"))
    return {"parts": _around_parts(template, parts)} if parts else {}


def _injected(row: Row) -> bool:
    meta: Mapping[str, Any] = mapping(row.get("meta"))
    return meta.get("systemInjection") is True or meta.get("virtualLastUser") is True or "injectType" in meta
