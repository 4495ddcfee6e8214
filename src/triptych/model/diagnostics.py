"""A problem with data, as a value that travels beside what could be read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

__all__ = ["Diagnostic", "Severity", "worst"]

Severity = Literal["info", "warning", "error"]
_ORDER: dict[Severity, int] = {"info": 0, "warning": 1, "error": 2}


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One finding about data: never raised, never dropped.

    Attributes:
        code: a stable word for programs, ``snake_case`` (or a documented upper-case code in ``formats``).
        message: one sentence for people.
        severity: ``info`` (nothing is wrong), ``warning`` (something was repaired or left out),
            ``error`` (something could not be read at all).
        where: the place: a message id, a path in a document, a file name.
        detail: whatever a program may want to know, as JSON.
    """

    code: str
    message: str
    severity: Severity = "warning"
    where: str | None = None
    detail: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


def worst(diagnostics: Iterable[Diagnostic]) -> Severity | None:
    """The gravest severity among them, or None when there are none."""
    return max((one.severity for one in diagnostics), key=_ORDER.__getitem__, default=None)
