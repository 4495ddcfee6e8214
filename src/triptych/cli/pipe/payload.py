"""Pipe ``payload``: messages in, a valid request body out, with the report of every repair.

Request: ``{"to": wire, "profile"?: name, "messages": […], "tools"?: […], "model"?, "options"?: {…}, "truncate"?:
{"last"?: n, "tokens"?: n}}``. Answer: ``{"payload": {…}, "report": […], "violations": []}``.

Not here: reading the messages (``cli.prompt_input``), the compiler (``wires``).
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych import wires
from triptych.cli.prompt_input import read_prompt, read_tools
from triptych.errors import UsageError
from triptych.model.messages import Message
from triptych.wires.payload import Repair
from triptych.wires.truncate import estimate_tokens, keep_last, keep_within

__all__ = ["handle"]

_MOST = 2**53
"""Whole numbers beyond this are no limit that anybody means (nor are infinity and NaN)."""


def handle(request: dict[str, Any]) -> dict[str, Any]:
    """One request, compiled; a ``TriptychError`` when there is nothing to send or a name is unknown."""
    to, profile = request.get("to"), request.get("profile")
    if not isinstance(to, str):
        raise UsageError(f'Say which wire with "to": one of {", ".join(wires.WIRES)}.')
    if profile is not None and not isinstance(profile, str):
        raise UsageError("A profile is a name.")
    messages, notes = read_prompt(request.get("messages"))
    kept, shortened = _shortened(messages, request.get("truncate"))
    options = request.get("options")
    model = request.get("model")
    payload = wires.compile(
        kept,
        to,
        profile=profile or None,
        tools=read_tools(request.get("tools")),
        options=options if isinstance(options, dict) else {},
        model=model if isinstance(model, str) else "",
        strict=request.get("strict") is True,
    )
    report = [msgspec.to_builtins(change) for change in (*notes, *shortened, *payload.report)]
    return {"payload": payload.body, "report": report, "violations": []}


def _shortened(messages: list[Message], wanted: Any) -> tuple[list[Message], list[Repair]]:
    """The messages that the request asks to keep, and what was left out."""
    if wanted is None:
        return messages, []
    last, tokens = _limit(wanted, "last"), _limit(wanted, "tokens")
    kept = messages if last is None else keep_last(messages, last)
    kept = kept if tokens is None else keep_within(kept, tokens)
    over = tokens is not None and sum(map(estimate_tokens, kept)) > tokens
    notes: list[Repair] = []
    if len(kept) < len(messages):
        sentence = f"{len(messages) - len(kept)} messages of older turns were left out."
        notes.append(Repair(rule="truncated", sentence=sentence))
    if over:
        sentence = "The system text and the last turn alone are over the limit; they are sent whole."
        notes.append(Repair(rule="over-limit", sentence=sentence, severity="warning"))
    return kept, notes


def _limit(wanted: Any, name: str) -> int | None:
    held = wanted.get(name) if isinstance(wanted, dict) else "no mapping"
    if held is None:
        return None
    if not isinstance(held, int | float) or isinstance(held, bool) or not abs(held) < _MOST:
        raise UsageError('"truncate" is {"last": messages}, {"tokens": tokens} or both, in numbers.')
    return int(held)
