"""Who takes part in a group of agents, and which of them the model is.

Not here: what the model sees of the others' words (``processors.group_roles``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from triptych.context.contract import Step
from triptych.context.injectors.blocks import preface_block
from triptych.context.injectors.wrapper import block, leaf

__all__ = ["group_context", "group_context_text"]


def group_context(
    members: Sequence[Mapping[str, Any]],
    *,
    current: str | None = None,
    title: str | None = None,
    instructions: str | None = None,
) -> Step:
    """Tell the model who takes part; members are ``{id, name, role}``, ``current`` is the model's own id."""
    text = group_context_text(members, current=current, title=title, instructions=instructions)
    return preface_block(text, name="group_context", about="tells the model who takes part in its group")


def group_context_text(
    members: Sequence[Mapping[str, Any]],
    *,
    current: str | None = None,
    name: str | None = None,
    role: str | None = None,
    title: str | None = None,
    instructions: str | None = None,
) -> str | None:
    """The block, or None when nothing is known."""
    own = next((one for one in members if one.get("id") == current), {})
    you = leaf("you", id=current, name=name or own.get("name"), role=role or own.get("role"))
    listed = [
        leaf(
            "member",
            id=one.get("id"),
            name=one.get("name"),
            role=one.get("role"),
            you="true" if one is own else None,
        )
        for one in members
    ]
    told = [
        *([you] if current or name else []),
        *([block("group_instructions", instructions)] if instructions else []),
        *([block("members", "\n".join(listed), count=len(listed))] if listed else []),
    ]
    return block("group", "\n".join(told), title=title) if told else None
