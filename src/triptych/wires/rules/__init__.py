"""The linter: rules over a request body, ours or another program's. It never fails, whatever the body is.

A check walks the items of a body once, with a ``Scan`` that remembers what it has seen; so a long checked prefix
is not walked again when a request grows.
"""

from __future__ import annotations

from typing import Any, Protocol, cast

from triptych.model.profile import Profile, WireName
from triptych.wires.payload import Violation
from triptych.wires.profiles import DEFAULTS, wire_named
from triptych.wires.rules import (
    anthropic,
    bedrock,
    gemini,
    mistral,
    ollama,
    openai_chat,
    openai_responses,
)
from triptych.wires.rules.checks import check_characters, check_request_size
from triptych.wires.rules.finding import Findings, Rule, Scan
from triptych.wires.rules.table import RULES

__all__ = ["RULES", "Rule", "Scan", "lint", "lint_items", "lint_rest"]


class _Checks(Protocol):
    ITEMS: str

    @staticmethod
    def check_items(items: list[Any], scan: Scan, findings: Findings) -> None: ...

    @staticmethod
    def check_rest(body: dict[str, Any], scan: Scan, findings: Findings) -> None: ...


_WIRES = cast(
    "dict[WireName, _Checks]",
    {
        "anthropic": anthropic,
        "bedrock": bedrock,
        "gemini": gemini,
        "mistral": mistral,
        "ollama": ollama,
        "openai_chat": openai_chat,
        "openai_responses": openai_responses,
    },
)


def lint(body: Any, *, wire: str, profile: Profile | None = None) -> list[Violation]:
    """Every rule that the body breaks, in the order of the places; an empty list when it breaks none.

    Args:
        body: a request body of that wire, as plain JSON values.
        wire: ``anthropic``, ``openai_chat`` … (hyphens accepted); ``UsageError`` for an unknown one.
        profile: the facts to check against; the wire's default when left out.
    """
    name = wire_named(wire)
    findings = Findings(name, profile or DEFAULTS[name], RULES)
    checks = _WIRES[name]
    items = body.get(checks.ITEMS) if isinstance(body, dict) else None
    if not isinstance(items, list):
        findings.add("body.shape", f"$.{checks.ITEMS}" if isinstance(body, dict) else "$")
        return findings.found
    scan = Scan()
    lint_items(items, name, scan, findings)
    lint_rest(body, name, scan, findings)
    return findings.found


def lint_items(items: list[Any], wire: WireName, scan: Scan, findings: Findings) -> None:
    """Check more items of a body behind those that the scan has seen."""
    start = scan.index
    scan.bytes += (
        check_characters(items, f"$.{_WIRES[wire].ITEMS}", findings)
        if not start
        else _tail(items, wire, start, findings)
    )
    _WIRES[wire].check_items(items, scan, findings)


def lint_rest(body: dict[str, Any], wire: WireName, scan: Scan, findings: Findings) -> None:
    """Check the end of the items and everything beside them."""
    checks = _WIRES[wire]
    rest = {key: value for key, value in body.items() if key != checks.ITEMS}
    size = scan.bytes + check_characters(rest, "$", findings)
    checks.check_rest(body, scan, findings)
    check_request_size(size, findings)


def _tail(items: list[Any], wire: WireName, start: int, findings: Findings) -> int:
    return sum(
        check_characters(item, f"$.{_WIRES[wire].ITEMS}[{start + index}]", findings)
        for index, item in enumerate(items)
    )
