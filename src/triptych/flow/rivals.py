"""When siblings are alternatives at all: of rivals one is shown, whatever else hangs beside them is company.

Not here: which of several rivals is shown (``branches``).
"""

from __future__ import annotations

from collections.abc import Sequence

from triptych.flow.forest import Forest
from triptych.flow.reading import is_aside, is_council, is_internal, is_member, is_supervisor
from triptych.model.rows import Row

__all__ = ["is_rival", "rivals", "speaks"]


def is_rival(row: Row) -> bool:
    """Whether a child that is no result can be one of several alternatives: asides and members never are."""
    return not (is_aside(row) or is_member(row))


def rivals(forest: Forest, parent: str, kids: Sequence[str]) -> list[str]:
    """The children that compete with each other; below those who asked several agents only people's words do."""
    rows = forest.rows
    if "agentCouncil" in forest.has and _asks_several(forest, parent):
        return [key for key in kids if rows[key].get("role") == "user"]
    return [key for key in kids if rows[key].get("role") != "tool" and is_rival(rows[key])]


def speaks(row: Row) -> bool:
    """Whether a message takes its plain turn in the talk: then its children are its answers, asides and all."""
    role = row.get("role")
    if role == "assistant":
        return not is_supervisor(row) and not is_internal(row)
    return role == "user" and not is_internal(row)


def _asks_several(forest: Forest, parent: str) -> bool:
    rows = forest.rows
    return is_council(rows[parent]) or any(
        rows[key].get("role") == "tool" and is_council(rows[key]) for key in forest.children(parent)
    )
