"""The plan that the model works by, and the list of things to do.

The plan changes seldom and goes before the first user message; the list changes at every step and goes to the
volatile tail, so that ticking off an item does not move the prefix.

Not here: keeping plans (tools do).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from triptych.context.contract import Step
from triptych.context.injectors.blocks import preface_block, tail_block
from triptych.context.injectors.wrapper import block, leaf

__all__ = ["plan", "plan_text", "todo", "todo_text"]


def plan(facts: Mapping[str, Any] | None) -> Step:
    """Add the plan (``{goal, description, context, completed}``) unless it is done."""
    return preface_block(plan_text(facts or {}), name="plan", about="adds the plan that the model works by")


def plan_text(facts: Mapping[str, Any]) -> str | None:
    """The block, or None when there is no plan or it is done."""
    if facts.get("completed") or not facts.get("goal"):
        return None
    told = [block(name, str(facts[name])) for name in ("goal", "description", "context") if facts.get(name)]
    return block("plan", "\n".join(told), id=facts.get("id"))


def todo(items: Sequence[Mapping[str, Any]] | None) -> Step:
    """Add the list of things to do (``{text, status}``) to the tail."""
    return tail_block(todo_text(items or ()), name="todo", about="adds the list of things to do to the tail")


def todo_text(items: Sequence[Mapping[str, Any]]) -> str | None:
    """The block, or None when there is nothing to do."""
    if not items:
        return None
    told = [
        leaf("item", str(one.get("text") or ""), number=number, status=one.get("status") or "todo")
        for number, one in enumerate(items, 1)
    ]
    done = sum(one.get("status") in ("done", "completed") for one in items)
    return block("todo", "\n".join(told), done=done, of=len(items))
