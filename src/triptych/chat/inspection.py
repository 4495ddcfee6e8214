"""Looking into a turn: its layers, where each span came from, what it costs, and what a cache reuses of it.

A past turn is built again from its envelope, byte for byte as it was sent; a coming one from its preview.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from triptych.chat.bench import Bench, read_texts
from triptych.chat.told import told_of
from triptych.context.envelope.assemble import assemble, needed_texts, path_envelopes
from triptych.context.envelope.forecast import Cost, Forecast, explained, forecast, request_cost
from triptych.errors import UsageError
from triptych.model.diagnostics import Diagnostic
from triptych.model.envelope import Envelope, Segment
from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, Message, UserMessage
from triptych.model.profile import Profile
from triptych.ports.runs import Run
from triptych.views.display import to_row
from triptych.views.rows import shown_path

__all__ = ["Inspection", "LayerView", "SegmentView", "inspect_turn"]


class SegmentView(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One source in a layer: its key, how it went in, its tokens, and its share of the budget (0 to 1)."""

    key: str
    kind: str
    form: str
    tokens: int
    share: float
    recoverable: bool = True
    title: str = ""


class LayerView(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One layer as it is sent."""

    name: str
    text: str
    tokens: int
    share: float
    fingerprint: str
    segments: tuple[SegmentView, ...] = ()


class Inspection(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Everything that there is to know about what a model is given in one turn.

    Attributes:
        messages: the prompt as rows, system text first.
        window, reserve: tokens of the model, and of them kept for the answer.
        history: tokens of the turns before this one.
        seen: what of this request is a prefix of the one before it, and what broke it.
        report: the repairs of the run that answered, as they were recorded.
        diagnostics: what the person was told of the turn.
    """

    message_id: MessageId
    epoch: int
    revision: int
    layers: tuple[LayerView, ...]
    messages: tuple[dict[str, Any], ...]
    tokens: int
    history: int
    seen: Forecast
    cost: Cost
    reserve: int
    window: int | None = None
    report: tuple[dict[str, Any], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


async def inspect_turn(
    bench: Bench,
    profile: Profile,
    runs: Sequence[Run],
    message_id: MessageId | None = None,
) -> Inspection:
    """The turn of a message (its own, or the one that it answers), or the newest; ``UsageError`` if it has none."""
    user, answer = _turn_of(bench, message_id)
    request, envelope = await _request(bench, user, answer)
    before, earlier = await _request_before(bench, user)
    counter = bench.counter
    tokens = counter.tally([to_row(message) for message in request]).total
    views = await _layers(bench, envelope)
    seen = explained(forecast(before, request), earlier, envelope)
    return Inspection(
        message_id=user.id,
        epoch=envelope.epoch,
        revision=envelope.revision,
        layers=views,
        messages=tuple(to_row(message) for message in request),
        tokens=tokens,
        history=max(0, tokens - sum(view.tokens for view in views)),
        seen=seen,
        cost=request_cost(tokens, seen, profile),
        reserve=bench.room.reserve,
        window=bench.room.window,
        report=_report(runs, answer),
        diagnostics=told_of(envelope),
    )


def _turn_of(bench: Bench, message_id: MessageId | None) -> tuple[UserMessage, AssistantMessage | None]:
    repository = bench.opened.repository
    path = shown_path(repository, message_id)
    users = [message for message in path if isinstance(message, UserMessage)]
    if not users or not repository.envelopes(users[-1].id):
        raise UsageError("Nothing was sent to a model there yet.")
    user = users[-1]
    answers = [one for one in path if isinstance(one, AssistantMessage) and one.parent_id == user.id]
    if not answers and (child := repository.active_child(user.id)) is not None:
        active = repository.get(child)
        answers = [active] if isinstance(active, AssistantMessage) else []
    return user, answers[-1] if answers else None


async def _request(
    bench: Bench, user: UserMessage, answer: AssistantMessage | None
) -> tuple[list[Message], Envelope]:
    """The prompt of a turn as it was sent, and its envelope."""
    repository = bench.opened.repository
    path = shown_path(repository, user.id)
    known = [*path, answer] if answer is not None else path
    envelopes = path_envelopes(known, repository.envelopes)
    texts = await read_texts(bench, needed_texts(envelopes))
    return assemble(path, repository.results, envelopes, texts), envelopes[-1]


async def _request_before(bench: Bench, user: UserMessage) -> tuple[list[Message], Envelope | None]:
    """The prompt of the turn before on the same path; empty for a first turn."""
    path = shown_path(bench.opened.repository, user.id)[:-1]
    users = [message for message in path if isinstance(message, UserMessage)]
    if not users or not bench.opened.repository.envelopes(users[-1].id):
        return [], None
    answers = [one for one in path if isinstance(one, AssistantMessage) and one.parent_id == users[-1].id]
    return await _request(bench, users[-1], answers[-1] if answers else None)


async def _layers(bench: Bench, envelope: Envelope) -> tuple[LayerView, ...]:
    texts = await read_texts(bench, needed_texts([envelope]))
    limit = bench.room.prompt or 0
    views: list[LayerView] = []
    for layer in envelope.layers:
        text = texts[layer.digest]
        tokens = bench.counter.text(text) if text else 0
        views.append(
            LayerView(
                name=layer.name,
                text=text,
                tokens=tokens,
                share=_share(tokens, limit),
                fingerprint=layer.fingerprint,
                segments=_segments(layer.segments, tokens, limit),
            )
        )
    return tuple(views)


def _segments(segments: Sequence[Segment], tokens: int, limit: int) -> tuple[SegmentView, ...]:
    """The sources of a layer; those whose size was not kept share what the others leave of it."""
    kept = [(segment.detail or {}).get("tokens") for segment in segments]
    rest = max(0, tokens - sum(one or 0 for one in kept)) // max(1, kept.count(None))
    sizes = [rest if one is None else one for one in kept]
    return tuple(
        SegmentView(
            key=segment.key,
            kind=segment.kind,
            form=segment.form,
            tokens=size,
            share=_share(size, limit),
            recoverable=segment.recoverable,
            title=(segment.detail or {}).get("title", ""),
        )
        for segment, size in zip(segments, sizes, strict=True)
    )


def _share(tokens: int, limit: int) -> float:
    return round(tokens / limit, 4) if limit else 0.0


def _report(runs: Sequence[Run], answer: AssistantMessage | None) -> tuple[dict[str, Any], ...]:
    run_id = answer.run_id if answer is not None else None
    return next((run.report for run in runs if run.id == run_id), ())
