"""The five places where text can be injected, as pure functions of drafts.

* the system text: one system row, at the front
* before the first user message: one consolidated block, in the order of the steps
* in every user message: what belongs to it and stays with it for good
* in the last user message: what the next request will not have there any more
* the virtual tail: behind everything, declared volatile

Not here: what is injected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from triptych.context.draft import Draft
from triptych.context.rowwork import append_text, listed, mapping, trim
from triptych.context.turns import first_user, last_user
from triptych.model.rows import Row

__all__ = [
    "after_row",
    "at_tail",
    "before_first_user",
    "in_each_user",
    "in_last_user",
    "in_system",
    "with_text",
]


def in_system(draft: Draft, text: Any, name: str, *, anywhere: bool = False) -> Draft:
    """Add text to the first system row; without one a new row stands in front of everything.

    Only rows before the first user message count, unless ``anywhere``: system text in the middle of a history
    belongs to that place.
    """
    if not isinstance(text, str) or not trim(text):
        return draft
    place = _first_system(draft, anywhere=anywhere)
    if place is None:
        return draft.splice(0, 0, _row(draft, "system", text, f"system-{name}"))
    row = draft.rows[place]
    content = row.get("content")
    joined = append_text(content, text) if isinstance(content, list) else _joined(content, text)
    return draft.splice(place, place + 1, {**row, "content": joined, **_more_parts(row, text)})


def before_first_user(draft: Draft, text: Any, *, anywhere: bool = False) -> Draft:
    """Add text to the one injected block before the first user message; without a user message nothing happens.

    ``anywhere`` looks for the block in all of the history, as the original does.
    """
    if not isinstance(text, str) or not text:
        return draft
    place = _injected_block(draft, anywhere=anywhere)
    if place is not None:
        row = draft.rows[place]
        return draft.splice(place, place + 1, _touched(draft, with_text(row, text)))
    place = first_user(draft.rows)
    if place is None:
        return draft
    row = _row(draft, "user", text, "system-injection", systemInjection=True)
    return draft.splice(place, place, row)


def in_each_user(draft: Draft, text_for: Callable[[Row, int, bool], Row]) -> Draft:
    """Replace each user row by what ``text_for`` makes of the row, its place, and whether it is the last."""
    last = last_user(draft.rows)
    rows: list[Row] | None = None
    for place, row in enumerate(draft.rows):
        if row.get("role") != "user":
            continue
        new = text_for(row, place, place == last)
        if new is not row:
            rows = list(draft.rows) if rows is None else rows
            rows[place] = new
    return draft if rows is None else draft.with_rows(rows)


def in_last_user(draft: Draft, text: str, add: Callable[[Any, str], Any] = append_text) -> Draft:
    """Add text to the last user row; ``add`` puts it into the content."""
    place = last_user(draft.rows)
    if place is None or not text:
        return draft
    row = draft.rows[place]
    return draft.splice(
        place, place + 1, {**row, "content": add(row.get("content"), text), **_more_parts(row, text)}
    )


def at_tail(draft: Draft, text: Any, name: str, *, own_row: bool = True) -> Draft:
    """Add text behind everything, as a user row of its own, which counts as the volatile tail.

    With ``own_row`` false the text joins a user row that is already the last, as the original does; then that
    row moves in the next request, and nothing is declared.
    """
    if not isinstance(text, str) or not text:
        return draft
    last = draft.rows[-1] if draft.rows else {}
    if not own_row and last.get("role") == "user":
        end = len(draft.rows)
        return draft.splice(end - 1, end, _touched(draft, with_text(last, text)))
    row = _row(draft, "user", text, f"virtual-last-user-{name}", injectType=name, virtualLastUser=True)
    return msgspec.structs.replace(draft, rows=(*draft.rows, row), tail=draft.tail + 1)


def after_row(draft: Draft, place: int, *rows: Row) -> Draft:
    """Put rows right behind the row at this place: a tool call that was made before, with its result."""
    return draft.splice(place + 1, place + 1, *rows)


def with_text(row: Row, text: str) -> Row:
    """The row with a text behind its content, and behind its parts when it has them."""
    return {**row, "content": append_text(row.get("content"), text), **_more_parts(row, text)}


def _row(draft: Draft, role: str, text: str, label: str, **meta: Any) -> Row:
    timed = {} if draft.stamp is None else {"createdAt": draft.stamp, "updatedAt": draft.stamp}
    named = label if draft.stamp is None else f"{label}-{draft.stamp}"
    row: dict[str, Any] = {"content": text, "id": named, "role": role, **timed}
    return {**row, "meta": meta} if meta else row


def _touched(draft: Draft, row: Row) -> Row:
    return row if draft.stamp is None else {**row, "updatedAt": draft.stamp}


def _joined(content: Any, text: str) -> str:
    return f"{content}\n\n{text}" if isinstance(content, str) and content else text


def _more_parts(row: Row, text: str) -> dict[str, Any]:
    parts = listed(row.get("parts"))
    return {"parts": [*parts, {"type": "text", "text": text}]} if parts else {}


def _first_system(draft: Draft, *, anywhere: bool) -> int | None:
    for place, row in enumerate(draft.rows):
        role = row.get("role")
        if role == "system":
            return place
        if role == "user" and not anywhere:
            return None
    return None


def _injected_block(draft: Draft, *, anywhere: bool) -> int | None:
    for place, row in enumerate(draft.rows):
        if mapping(row.get("meta")).get("systemInjection") is True:
            return place
        if row.get("role") == "user" and not anywhere:
            return None
    return None
