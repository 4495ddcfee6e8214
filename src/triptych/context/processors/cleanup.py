"""Rows carry what a model reads, and nothing else.

Not here: the shape of any provider (``wires``).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft
from triptych.context.rowwork import each_row
from triptych.model.rows import Row

__all__ = ["KEPT", "clean_up"]

KEPT = ("id", "parts")
"""What our own pipelines keep besides: where a row came from, and the typed parts that wires send."""

_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "system": (("content", "role"), ()),
    "user": (("content", "role"), ()),
    "assistant": (("content", "role"), ("model", "provider", "tool_calls", "reasoning")),
    "tool": (("content", "role", "tool_call_id"), ("name",)),
}
"""For each role: the fields that always stay, and those that stay when they say something."""


def clean_up(*, keep: Iterable[str] = KEPT) -> Step:
    """Leave the fields that a model reads, and those of ``keep``. Rows of other roles stay as they are."""
    return Step(
        Contract(
            name="clean_up",
            reads=frozenset({"results", "roles", "variables", "feedback", "parts", "tool_calls"}),
            writes=frozenset({"clean"}),
            scope="message",
            roles=frozenset(_FIELDS),
            about="leaves the fields that a model reads",
        ),
        _Cleaning(tuple(keep)),
    )


class _Cleaning(msgspec.Struct, frozen=True):
    """The work of the step, as a value: equal ones are interchangeable, so a later engine can take over from it."""

    keep: tuple[str, ...]

    def __call__(self, draft: Draft) -> Draft:
        fields = {role: (always, (*always, *some, *self.keep)) for role, (always, some) in _FIELDS.items()}

        def change(row: Row) -> Row:
            always, every = fields[row["role"]]
            clean = {name: row[name] for name in every if name in row}
            for name in [name for name, value in clean.items() if not value]:
                if name not in always and not isinstance(clean[name], list | dict):
                    del clean[name]
            return row if len(clean) == len(row) else clean

        return each_row(draft, change, _FIELDS)
