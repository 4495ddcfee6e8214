"""Text that the user had selected when they wrote a message. It stays with that message for good.

Not here: the note or page that it is from (``envelope``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft
from triptych.context.injectors.places import with_text
from triptych.context.injectors.wrapper import block
from triptych.context.rowwork import each_row, listed, mapping
from triptych.model.rows import Row

__all__ = ["message_selections", "selections_text"]

_FIELDS = ("contextSelections", "pageSelections")


def message_selections() -> Step:
    """Add to each user message what the user had selected (``metadata.contextSelections``)."""

    def change(row: Row) -> Row:
        if not row.get("metadata"):
            return row
        facts = mapping(row.get("metadata"))
        chosen = [one for field in _FIELDS for one in listed(facts.get(field))]
        text = selections_text(chosen) if chosen else None
        return with_text(row, text) if text else row

    def run(draft: Draft) -> Draft:
        return each_row(draft, change, ("user",))

    return Step(
        Contract(
            name="message_selections",
            reads=frozenset({"history", "template"}),
            writes=frozenset({"user.each"}),
            scope="message",
            idempotent=False,
            roles=frozenset({"user"}),
            about="adds to each user message what was selected with it",
        ),
        run,
    )


def selections_text(selections: Sequence[Any]) -> str | None:
    """The blocks of the selections, or None when none of them has words."""
    told = [_selection(mapping(one)) for one in selections if mapping(one).get("content")]
    return "\n".join(told) or None


def _selection(selection: Mapping[str, Any]) -> str:
    lines = mapping(selection.get("lineRange"))
    return block(
        "selection",
        str(selection["content"]),
        source=selection.get("source"),
        title=selection.get("title"),
        file=selection.get("filePath") or selection.get("fileName"),
        language=selection.get("language"),
        lines=f"{lines.get('startLine')}-{lines.get('endLine')}" if lines else None,
    )
