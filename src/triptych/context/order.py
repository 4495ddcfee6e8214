"""Whether the steps of a pipeline stand in an order that their contracts allow.

The rule is one: a step that reads a mark stands behind every step that writes it. What other programs keep in
comments between their steps is data here.

Not here: the marks and what they mean (``contract``).
"""

from __future__ import annotations

from collections.abc import Sequence

from triptych.context.contract import MARKS, Step
from triptych.model.diagnostics import Diagnostic

__all__ = ["check_order"]


def check_order(steps: Sequence[Step]) -> tuple[Diagnostic, ...]:
    """Every problem with this order; none means that it is right."""
    if not steps:
        return (Diagnostic(code="empty_pipeline", message="The pipeline has no steps.", severity="error"),)
    return (*_nameless(steps), *_unknown_marks(steps), *_read_too_early(steps), *_scopes(steps))


def _nameless(steps: Sequence[Step]) -> list[Diagnostic]:
    return [
        Diagnostic(code="nameless_step", message="A step has no name.", severity="error", where=str(place))
        for place, step in enumerate(steps)
        if not step.name
    ]


def _unknown_marks(steps: Sequence[Step]) -> list[Diagnostic]:
    return [
        Diagnostic(
            code="unknown_mark",
            message=f"Step {step.name!r} names the mark {mark!r}, which is not in MARKS; other steps cannot know it.",
            severity="info",
            where=f"{place}.{step.name}",
        )
        for place, step in enumerate(steps)
        for mark in sorted(step.reads | step.writes)
        if mark not in MARKS
    ]


def _read_too_early(steps: Sequence[Step]) -> list[Diagnostic]:
    return [
        Diagnostic(
            code="wrong_order",
            message=f"Step {early.name!r} reads {mark!r} before {late.name!r} settles it; put it behind that step.",
            severity="error",
            where=f"{place}.{early.name}",
        )
        for place, early in enumerate(steps)
        for late in steps[place + 1 :]
        for mark in sorted(early.reads & late.writes)
    ]


def _scopes(steps: Sequence[Step]) -> list[Diagnostic]:
    return [
        Diagnostic(
            code="useless_lookback",
            message=f"Step {step.name!r} has a lookback, which only a step of scope 'turn' can have.",
            severity="error",
            where=f"{place}.{step.name}",
        )
        for place, step in enumerate(steps)
        if step.contract.lookback and step.scope != "turn"
    ]
