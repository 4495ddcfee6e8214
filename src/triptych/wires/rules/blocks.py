"""What the wires with content blocks (Anthropic, Bedrock, Gemini) have in common: turns, and results behind calls.

Not here: the shape of a block (one module a wire).
"""

from __future__ import annotations

from typing import Any

from triptych.wires.rules.checks import close_calls, removal
from triptych.wires.rules.finding import Findings, Place, Scan

__all__ = ["answer_call", "check_turn", "count_picture", "open_step"]


def check_turn(role: str, where: str, scan: Scan, findings: Findings) -> None:
    """Who speaks first, and in turns."""
    profile = findings.profile
    if scan.last is None and role != "user" and profile.first_user:
        findings.add("turn.first", where)
    if profile.alternation and scan.last == role:
        findings.add("turn.alternation", where)
    if role == "user":
        scan.words = True
    scan.last = role


def open_step(calls: dict[str, Place], scan: Scan, findings: Findings) -> None:
    """A turn with calls is over: what an earlier one still waited for never came."""
    close_calls(scan, findings)
    scan.open = calls
    scan.calls = scan.calls or bool(calls)


def answer_call(name: Any, where: str, done: set[str], scan: Scan, findings: Findings) -> None:
    """A result stands here: it has to answer a call of the turn before, once."""
    if isinstance(name, str) and name in scan.open:
        del scan.open[name]
        done.add(name)
    elif name in done:
        findings.add("result.duplicate", where, patch=removal(where))
    else:
        findings.add("result.orphan", where, patch=removal(where))
    scan.calls = True


def count_picture(side: int | None, where: str, scan: Scan, findings: Findings) -> None:
    """One more picture in the request, with its longest side when that is known."""
    limits = findings.profile.limits
    scan.images += 1
    scan.pixels = max(scan.pixels, side or 0)
    if limits.images is not None and scan.images == limits.images + 1:
        findings.add("media.count", where)
    if side is not None and limits.pixels is not None and side > limits.pixels:
        findings.add("media.size", where, f"Its longest side is {side} pixels.")
    many = limits.many_images is not None and scan.images > limits.many_images
    if (
        many
        and limits.many_pixels is not None
        and scan.pixels > limits.many_pixels
        and scan.images == (limits.many_images or 0) + 1
    ):
        findings.add("media.size", where)
