"""How a list of rows became another one, as few small values that a page applies.

Not here: which rows there are (``path_rows``), and how patches travel (``live``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

__all__ = ["AppendText", "InsertRow", "Patch", "RemoveRow", "ReplaceRow", "apply_patches", "row_patches"]

Rows = Mapping[str, Mapping[str, Any]]


class _Patch(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="op"):
    pass


class InsertRow(_Patch, frozen=True, kw_only=True, tag="insertRow"):
    """A new row at ``index``; what stood there moves down."""

    index: int
    row: Mapping[str, Any]


class ReplaceRow(_Patch, frozen=True, kw_only=True, tag="replaceRow"):
    """The row of this id has another content."""

    id: str
    row: Mapping[str, Any]


class RemoveRow(_Patch, frozen=True, kw_only=True, tag="removeRow"):
    """The row of this id is not shown any more."""

    id: str


class AppendText(_Patch, frozen=True, kw_only=True, tag="appendText"):
    """The text of one part (its place, from 0) of one message grew by ``delta``."""

    message_id: str
    part: int
    delta: str


Patch = InsertRow | ReplaceRow | RemoveRow | AppendText


def row_patches(before: Sequence[str], after: Sequence[str], rows: Rows) -> list[Patch]:
    """Patches that turn one order of row ids into another; ``rows`` holds the rows to insert.

    What both have at the beginning and at the end stays; the middle is taken out and put in anew.
    """
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    gone = before[head : len(before) - tail]
    come = after[head : len(after) - tail]
    return [
        *(RemoveRow(id=name) for name in reversed(gone)),
        *(InsertRow(index=head + place, row=rows[name]) for place, name in enumerate(come)),
    ]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many ids both have in common from the start."""
    if one == other:
        return len(one)
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def apply_patches(rows: Sequence[Mapping[str, Any]], patches: Sequence[Patch]) -> list[dict[str, Any]]:
    """The rows after the patches: what a page does, written down once so that tests can hold it to it."""
    shown = [dict(row) for row in rows]
    for patch in patches:
        match patch:
            case InsertRow(index=index, row=row):
                shown.insert(index, dict(row))
            case ReplaceRow(id=name, row=row):
                shown = [dict(row) if one["id"] == name else one for one in shown]
            case RemoveRow(id=name):
                shown = [one for one in shown if one["id"] != name]
            case AppendText(message_id=name, part=part, delta=delta):
                shown = [_grown(one, part, delta) if one["id"] == name else one for one in shown]
    return shown


def _grown(row: dict[str, Any], part: int, delta: str) -> dict[str, Any]:
    parts = [dict(one) for one in row["parts"]]
    parts[part]["text"] = parts[part].get("text", "") + delta
    return row | {"parts": parts}
