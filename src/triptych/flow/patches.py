"""Patches: what changed in a flat list, small enough to send for every token.

Not here: finding out what changed (``live``).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from triptych.model.rows import Row

__all__ = [
    "AppendText",
    "InsertBlock",
    "InsertRow",
    "Patch",
    "RemoveRow",
    "ReplaceBlock",
    "ReplaceRow",
    "apply_patches",
    "grown",
]


class _Patch(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", omit_defaults=True):
    """One change.

    Attributes:
        row: the place of the row in the flat list as it is when the patch is applied.
    """

    row: int


class InsertRow(_Patch, frozen=True, kw_only=True, tag="insert-row"):
    """A row comes in at a place; those from there on move down."""

    value: Row


class ReplaceRow(_Patch, frozen=True, kw_only=True, tag="replace-row"):
    """A row has become another one."""

    value: Row


class RemoveRow(_Patch, frozen=True, kw_only=True, tag="remove-row"):
    """A row is gone."""


class InsertBlock(_Patch, frozen=True, kw_only=True, tag="insert-block"):
    """A group row has one more block.

    Attributes:
        block: its place among the row's children.
        value: the block.
        fields: other fields of the row that changed with it (totals, metadata), as they are now.
    """

    block: int
    value: dict[str, Any]
    fields: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class ReplaceBlock(_Patch, frozen=True, kw_only=True, tag="replace-block"):
    """A block of a group row has become another one; ``fields`` as in ``InsertBlock``."""

    block: int
    value: dict[str, Any]
    fields: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class AppendText(_Patch, frozen=True, kw_only=True, tag="append-text"):
    """A message goes on speaking.

    Attributes:
        message: its id.
        block: its place among the row's children; None when the row is the message.
        part: the place of the part that grows, in ``parts``; None for a row that has only ``content``.
        delta: what is added: to the part's ``text``, and to ``content`` (of reasoning: to ``reasoning.content``).
    """

    message: str
    delta: str
    block: int | None = None
    part: int | None = None


Patch = InsertRow | ReplaceRow | RemoveRow | InsertBlock | ReplaceBlock | AppendText


def apply_patches(flat_list: Iterable[Row], patches: Iterable[Patch]) -> list[Any]:
    """The flat list after some patches; rows that changed are copies."""
    rows: list[Any] = list(flat_list)
    for patch in patches:
        match patch:
            case InsertRow():
                rows.insert(patch.row, copy.deepcopy(patch.value))
            case ReplaceRow():
                rows[patch.row] = copy.deepcopy(patch.value)
            case RemoveRow():
                del rows[patch.row]
            case InsertBlock() | ReplaceBlock():
                rows[patch.row] = _with_block(rows[patch.row], patch)
            case AppendText():
                rows[patch.row] = _with_text(rows[patch.row], patch)
    return rows


def _with_block(row: Row, patch: InsertBlock | ReplaceBlock) -> Row:
    blocks = list(row["children"])
    end = patch.block if isinstance(patch, InsertBlock) else patch.block + 1
    blocks[patch.block : end] = [copy.deepcopy(patch.value)]
    return {**row, "children": blocks, **copy.deepcopy(patch.fields)}


def _with_text(row: Row, patch: AppendText) -> Row:
    if patch.block is None:
        return grown(row, patch.delta, patch.part)
    blocks = list(row["children"])
    blocks[patch.block] = grown(blocks[patch.block], patch.delta, patch.part)
    return {**row, "children": blocks}


def grown(row: Row, delta: str, part: int | None) -> dict[str, Any]:
    """A row or block that goes on speaking; ``part`` must exist."""
    if part is None:
        return {**row, "content": (row.get("content") or "") + delta}
    parts = list(row["parts"])
    old: Mapping[str, Any] = parts[part]
    parts[part] = {**old, "text": (old.get("text") or "") + delta}
    changed: dict[str, Any] = {**row, "parts": parts}
    if old.get("type") == "reasoning":
        thought = row.get("reasoning")
        about: dict[str, Any] = dict(thought) if isinstance(thought, Mapping) else {}
        changed["reasoning"] = {**about, "content": (about.get("content") or "") + delta}
    elif old.get("type") == "text":
        changed["content"] = (row.get("content") or "") + delta
    return changed
