"""What goes over the wire, and what had to be done to make it valid."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from triptych.model.profile import WireName

__all__ = ["Payload", "Repair", "Violation"]


class Repair(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One change that the compiler made to the prompt; what is stored never changes.

    Attributes:
        rule: the id of the pass or rule that asked for it.
        message: the id of the message (or None for the whole request).
        sentence: what was done and why, for people.
        before, after: digests of the piece, None where there was or is none.
    """

    rule: str
    sentence: str
    message: str | None = None
    before: str | None = None
    after: str | None = None
    severity: Literal["info", "warning", "error"] = "info"


class Violation(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A rule that a body breaks.

    Attributes:
        where: JSON path in the body.
        rejected_by: who refuses it, with the provider's own error sentence where it is known.
        patch: a minimal change that would mend it (JSON Patch operations).
        source: where the rule is documented.
    """

    rule: str
    sentence: str
    where: str
    source: str = ""
    rejected_by: str = ""
    patch: tuple[dict[str, Any], ...] = ()


class Payload(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A request body that breaks no rule of its profile, and the report of every repair."""

    wire: WireName
    profile: str
    model: str
    body: dict[str, Any]
    report: tuple[Repair, ...] = ()
