"""compile = repair, convert, rules: any history becomes a request body that breaks no rule of its profile.

With a ``CompileCache`` handed in, only what is new since the last request of the same conversation is worked on:
a settled prefix never changes, so its repaired form, its items and what the rules know of it are kept.

Not here: the passes (``repair``), one wire's shapes (``<wire>.convert``), the rules (``rules``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Protocol, cast

from triptych.errors import TriptychError, UsageError
from triptych.model.foreign import clean_text
from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import ReasoningPart
from triptych.model.profile import Profile, WireName
from triptych.model.tools import ToolDefinition
from triptych.wires.anthropic import convert as anthropic
from triptych.wires.bedrock import convert as bedrock
from triptych.wires.gemini import convert as gemini
from triptych.wires.mistral import convert as mistral
from triptych.wires.ollama import convert as ollama
from triptych.wires.openai_chat import convert as openai_chat
from triptych.wires.openai_responses import convert as openai_responses
from triptych.wires.payload import Payload, Repair
from triptych.wires.profiles import DEFAULTS, find_profile, wire_named
from triptych.wires.repair import (
    Scope,
    Seen,
    close_request,
    exceeds,
    in_order,
    limit_request,
    refuse_changes,
    repair_piece,
    settled_length,
)
from triptych.wires.request import Request, clean_options, clean_tools, system_parts, with_possible_choice
from triptych.wires.rules import RULES, Scan, lint_items, lint_rest
from triptych.wires.rules.finding import Findings

__all__ = ["CompileCache", "compile", "convert"]


class _Wire(Protocol):
    ITEMS: str

    @staticmethod
    def convert_messages(messages: list[Message], profile: Profile) -> list[dict[str, Any]]: ...

    @staticmethod
    def build_body(items: list[dict[str, Any]], request: Request) -> dict[str, Any]: ...


_WIRES = cast(
    "dict[WireName, _Wire]",
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


class _Settled:
    """A prefix that cannot change any more, in every form that was made of it."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.source: list[Message] = []
        self.repaired: list[Message] = []
        self.items: list[dict[str, Any]] = []
        self.report: list[Repair] = []
        self.seen = Seen()
        self.scan = Scan()


class CompileCache:
    """What one conversation's last request leaves for the next one. It belongs to the caller, who hands it in.

    It is right for any messages: a prefix is used only while its messages are the same, as objects or as values.
    """

    def __init__(self) -> None:
        self._settled: _Settled | None = None

    def find(self, messages: list[Message], profile: Profile) -> _Settled:
        """The settled prefix that these messages still begin with; an empty one when there is none."""
        held = self._settled
        if held is None or held.profile != profile:
            return _Settled(profile)
        return held if held.source == messages[: len(held.source)] else _Settled(profile)

    def keep(self, settled: _Settled) -> None:
        """Remember a settled prefix."""
        self._settled = settled


def compile(  # noqa: A001 # the word of the room; it is reached as wires.compile
    messages: Iterable[Message],
    to: str,
    *,
    profile: Profile | str | None = None,
    tools: Iterable[ToolDefinition] = (),
    options: Mapping[str, Any] | None = None,
    model: str = "",
    strict: bool = False,
    cache: CompileCache | None = None,
) -> Payload:
    """A valid request body for these messages, and the report of every change.

    Args:
        messages: the prompt, oldest first, system messages among them. Nothing of it is changed.
        to: the wire: ``anthropic``, ``openai_chat`` … (hyphens accepted).
        profile: the facts about the target, or their name; the wire's default when left out.
        tools: what the model may call.
        options: ``max_tokens``, ``temperature``, ``top_p``, ``stop``, ``seed``, ``tool_choice``,
            ``response_schema``, ``parallel_tool_calls``, ``thinking``; what a wire does not have is left out and
            reported.
        model: the model's name, written into the body where the wire has a place for it.
        strict: raise ``UsageError`` instead of making any change that is more than a matter of form.
        cache: makes the next request of the same conversation cheap.

    Raises:
        UsageError: no user message has any text, or ``strict`` met a needed change.
        TriptychError: the body would break a rule of the profile (a defect here, never sent).
    """
    wire = wire_named(to)
    facts = _facts(profile, wire)
    given = list(messages)
    before = cache.find(given, facts) if cache else _Settled(facts)
    boundary = max(settled_length(given), len(before.source))
    settled = _advance(before, given[len(before.source) : boundary], wire)
    if cache and settled is not before:
        cache.keep(settled)
    scope = Scope(facts, settled.seen.copy())
    opened = repair_piece(given[boundary:], scope)
    whole = exceeds(scope)
    if whole:
        opened = limit_request([*settled.repaired, *opened], scope)
    opened = close_request(opened, scope)
    if not scope.seen.words:
        raise UsageError("There is nothing to send: no user message has any text; add one.")
    report = in_order([*settled.report, *scope.report], given)
    if strict:
        refuse_changes(report)
    fresh = _WIRES[wire].convert_messages(opened, facts)
    items = fresh if whole else [*settled.items, *fresh]
    notes: list[Repair] = []
    offered = clean_tools(tools, notes)
    request = Request(
        profile=facts,
        model=clean_text(model),
        system=system_parts(opened if whole else (*settled.repaired[:1], *opened)),
        tools=offered,
        options=with_possible_choice(clean_options(options or {}, notes), offered, notes),
        called=tuple(scope.seen.calls),
        open_call=_is_open(chain(reversed(opened), () if whole else reversed(settled.repaired))),
        notes=notes,
    )
    body = _WIRES[wire].build_body(items, request)
    findings = Findings(wire, facts, RULES)
    scan = Scan() if whole else settled.scan.copy()
    lint_items(fresh, wire, scan, findings)
    lint_rest(body, wire, scan, findings)
    _refuse_violations(findings)
    return Payload(wire=wire, profile=facts.name, model=model, body=body, report=(*report, *request.notes))


def convert(messages: list[Message], wire: WireName, profile: Profile) -> list[dict[str, Any]]:
    """Repaired messages as items of the wire's list, without anything around them."""
    return _WIRES[wire].convert_messages(messages, profile)


def _facts(profile: Profile | str | None, wire: WireName) -> Profile:
    if profile is None:
        return DEFAULTS[wire]
    facts = find_profile(profile, wire) if isinstance(profile, str) else profile
    if facts.wire != wire:
        raise UsageError(f"The profile {facts.name!r} speaks {facts.wire}, not {wire}; choose one that fits.")
    return facts


def _advance(before: _Settled, more: list[Message], wire: WireName) -> _Settled:
    """The settled prefix with more messages behind it."""
    if not more:
        return before
    scope = Scope(before.profile, before.seen.copy())
    repaired = repair_piece(more, scope)
    items = _WIRES[wire].convert_messages(repaired, before.profile)
    scan = before.scan.copy()
    findings = Findings(wire, before.profile, RULES)
    lint_items(items, wire, scan, findings)
    _refuse_violations(findings)
    after = _Settled(before.profile)
    after.source = [*before.source, *more]
    after.repaired = [*before.repaired, *repaired]
    after.items = [*before.items, *items]
    after.report = [*before.report, *scope.report]
    after.seen, after.scan = scope.seen, scan
    return after


def _is_open(newest_first: Iterable[Message]) -> bool:
    """Whether the request ends in a tool turn that does not begin with reasoning.

    Words behind results go in one message with them, so they do not end the turn.
    """
    first: AssistantMessage | None = None
    spoken = False
    for message in newest_first:
        if isinstance(message, UserMessage | ToolMessage):
            spoken = isinstance(message, UserMessage)
        elif isinstance(message, AssistantMessage):
            if spoken:
                break
            first = message
    return first is not None and not (first.parts and isinstance(first.parts[0], ReasoningPart))


def _refuse_violations(findings: Findings) -> None:
    if findings.found:
        violation = findings.found[0]
        raise TriptychError(
            f"The request could not be made valid for {findings.profile.name}: {violation.sentence} "
            f"(rule {violation.rule} at {violation.where}). Nothing was sent."
        )
