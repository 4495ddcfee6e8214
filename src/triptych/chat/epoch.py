"""Whether a turn goes on in the running epoch or starts a new one, and what the library of a new one holds.

An epoch begins when the window is full: the oldest turns leave in one step, and what the rest still needs of them goes
into the library (L2). From there the requests extend each other again until the next epoch, so a prefix breaks at most
once an epoch. Into the library go, each once and in full:

- sources of this turn whose carrier leaves, where there is room for a line of each in the turn;
- sources that a turn which stays refers to (as unchanged, or by their changes), in the version that it refers to,
  within a quarter of the free room; one for which there is no room is named as no longer attached, and where this
  turn has it attached it carries it in full.

In the layout ``library`` L2 is written anew in each turn, from the sources of the turns that are still sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from triptych.chat.bench import Bench, read_texts
from triptych.chat.plan import cut_history, fits
from triptych.context.envelope import Source, Turn, compose, held_sources
from triptych.context.envelope.assemble import assemble, since_cut
from triptych.context.envelope.blocks import full_block, kept_block
from triptych.context.envelope.held import (
    Held,
    dangling_keys,
    held_library,
    held_of,
    source_of_held,
    turn_segments,
)
from triptych.context.envelope.sources import source_digest
from triptych.context.tokens.counter import TokenCounter
from triptych.model.diagnostics import Diagnostic
from triptych.model.envelope import Envelope, Layer
from triptych.model.ids import MessageId
from triptych.model.messages import Message, SystemMessage, UserMessage
from triptych.model.rows import Row
from triptych.views.display import to_row

__all__ = ["plan_turn"]

Told = tuple[Diagnostic, ...]
_LIBRARY_SHARE = 4


class _Past(msgspec.Struct, frozen=True):
    """What was said since the cut: messages, and the envelopes of all of the path."""

    messages: Sequence[Message]
    envelopes: Sequence[Envelope]

    def of(self, messages: Sequence[Message]) -> list[Envelope]:
        there = {message.id for message in messages}
        return [one for one in self.envelopes if one.message_id in there]


async def plan_turn(
    bench: Bench, turn: Turn, path: Sequence[Message], before: Sequence[Envelope]
) -> tuple[Turn, Told]:
    """The turn in the running epoch or, when it does not fit there, as the first of a new one."""
    newest = before[-1] if before else None
    past = _Past(since_cut(path[:-1], newest), before)
    running = await _running(bench, turn, past, newest)
    rows = [to_row(message) for message in _as_sent(bench, past, turn.layout)]
    if fits(rows, _own_tokens(running, bench.counter), bench.room, bench.counter):
        return running, ()
    needed = _own_tokens(turn, bench.counter)
    gone, told = cut_history(rows, needed, bench.room, bench.counter)
    start = _place(past.messages, rows, gone)
    if turn.layout == "library":
        start = await _library_start(bench, turn, past, start, needed)
    if start == 0 and running.library is None:
        return running, _too_large(needed, bench)
    fresh = await _new_epoch(bench, running, past, start)
    return fresh, (*told, *_too_large(needed, bench), *_left(running, fresh))


async def _running(bench: Bench, turn: Turn, past: _Past, newest: Envelope | None) -> Turn:
    library = _frozen(turn, newest)
    cut = (newest.detail or {}).get("cutId") if newest is not None else None
    placed = msgspec.structs.replace(
        turn,
        epoch=newest.epoch if newest is not None else 0,
        cut_id=MessageId(cut) if cut is not None else None,
        library=library,
    )
    return await _with_held(bench, placed, past.of(past.messages), held_library(library))


def _frozen(turn: Turn, newest: Envelope | None) -> Layer | None:
    """The library of the running epoch, when there is one."""
    if newest is None or turn.layout != "append" or newest.layout != "append":
        return None
    return next((one for one in newest.layers if one.name == "previous" and one.segments), None)


async def _with_held(
    bench: Bench, turn: Turn, envelopes: Sequence[Envelope], start: Mapping[str, Held]
) -> Turn:
    """The turn with what the model has, and in the layout ``library`` with L2 made of it."""
    held = held_sources(envelopes, turn.layout, start=start)
    attached = {source.key for source in turn.sources}
    elsewhere = {*start, *(source.key for source in turn.shared)}
    shelved = {
        key: one
        for key, one in held.items()
        if turn.layout == "library" and one.recoverable and key not in elsewhere
    }
    wanted = {one.digest for key, one in held.items() if key in attached or key in shelved}
    known = {source_digest(one): one.body for one in (*turn.shared, *turn.sources, *turn.previous)}
    bodies = known | await read_texts(bench, wanted - set(known))
    shelves = [source_of_held(key, one, bodies[one.digest]) for key, one in shelved.items()]
    return msgspec.structs.replace(turn, held=held, bodies=bodies, previous=tuple(shelves) or turn.previous)


def _as_sent(bench: Bench, past: _Past, layout: str) -> list[Message]:
    """The history as the model reads it, without the system text and the library."""
    bare = [msgspec.structs.replace(one, detail=None, layout=layout) for one in past.envelopes]
    closing = [msgspec.structs.replace(one, message_id=MessageId(""), layers=()) for one in bare[-1:]]
    sent = assemble(past.messages, bench.opened.repository.results, [*bare, *closing], bench.opened.texts)
    return [message for message in sent if not isinstance(message, SystemMessage)]


def _own_tokens(turn: Turn, counter: TokenCounter) -> int:
    """What the turn's own layers cost, the library of the running epoch included."""
    composed = compose(turn)
    own = sum(
        counter.text(text)
        for text in (composed.texts.get(one.digest, "") for one in composed.envelope.layers)
    )
    frozen = turn.library.segments if turn.library is not None else ()
    return own + sum(int((one.detail or {}).get("tokens", 0)) for one in frozen)


def _place(messages: Sequence[Message], rows: Sequence[Row], gone: int) -> int:
    """The message at which the rows that stay begin."""
    stays = {row["id"] for row in rows[gone:]}
    return next((place for place, one in enumerate(messages) if one.id in stays), len(messages))


async def _library_start(bench: Bench, turn: Turn, past: _Past, start: int, needed: int) -> int:
    """The first place from which history and its library together leave a quarter of the room free."""
    limit = bench.room.prompt or 0
    most = needed + max(0, limit - needed) * 3 // 4
    users = [n for n, one in enumerate(past.messages) if n >= start and isinstance(one, UserMessage)]
    for place in users:
        rest = _Past(past.messages[place:], past.envelopes)
        tried = await _with_held(bench, turn, past.of(rest.messages), {})
        rows = [to_row(message) for message in _as_sent(bench, rest, turn.layout)]
        if _own_tokens(tried, bench.counter) + bench.counter.tally(rows).total <= most:
            return place
    return len(past.messages)


async def _new_epoch(bench: Bench, running: Turn, past: _Past, start: int) -> Turn:
    """The turn as the first of a new epoch, whose history begins at ``start``."""
    cut, rest = past.messages[:start], past.messages[start:]
    turn = msgspec.structs.replace(running, held={}, bodies={}, library=None, previous=())
    base = held_sources(past.of(cut), turn.layout, start=held_library(running.library))
    shelves, gone = await _shelves(bench, turn, base, past.of(rest))
    placed = msgspec.structs.replace(
        turn,
        epoch=running.epoch + 1,
        cut_id=rest[0].id if rest else turn.message_id,
        previous=shelves,
        gone=gone,
    )
    return await _with_held(bench, placed, past.of(rest), {one.key: held_of(one) for one in shelves})


async def _shelves(
    bench: Bench, turn: Turn, base: Mapping[str, Held], rest: Sequence[Envelope]
) -> tuple[tuple[Source, ...], dict[str, str]]:
    """What the frozen library of a new epoch carries, and the names of what it has no room for."""
    if turn.layout == "library":
        return (), {}
    wanted = [key for key in dangling_keys(rest) if key in base]
    bodies = await read_texts(bench, {base[key].digest for key in wanted})
    referred = {key: source_of_held(key, base[key], bodies[base[key].digest]) for key in wanted}
    attached = {source.key: source for source in turn.sources}
    room = max(0, (bench.room.prompt or 0) - _own_tokens(turn, bench.counter)) // _LIBRARY_SHARE
    chosen = _within(referred, attached, room, bench.counter)
    gone = {key: source.title for key, source in referred.items() if key not in chosen}
    carried = {one.key for one in turn_segments(rest) if one.form == "full"} | {
        one.key for one in turn.shared
    }
    moved = {
        key: source
        for key, source in attached.items()
        if key in base and key not in carried and key not in gone and source.recoverable
    }
    if sum(bench.counter.text(kept_block(source)) for source in moved.values()) <= room:
        chosen |= {key: source for key, source in moved.items() if key not in chosen}
    return tuple(chosen.values()), gone


def _within(
    referred: Mapping[str, Source], attached: Mapping[str, Source], room: int, counter: TokenCounter
) -> dict[str, Source]:
    """Sources that are attached now as they were always (the turn counts them); the others while there is room."""
    chosen: dict[str, Source] = {}
    for key, source in referred.items():
        same = key in attached and source_digest(attached[key]) == source_digest(source)
        cost = 0 if same else counter.text(full_block(source))
        if cost <= room:
            chosen[key] = source
            room -= cost
    return chosen


def _left(running: Turn, fresh: Turn) -> Told:
    """What the model had and has no more."""
    attached = {source.key for source in fresh.sources}
    names = [one.name for key, one in running.held.items() if key not in fresh.held and key not in attached]
    if not names:
        return ()
    message = f"With the oldest turns these leave the request: {', '.join(names)}."
    return (Diagnostic(code="sources_left", message=message, severity="info", detail={"sources": names}),)


def _too_large(needed: int, bench: Bench) -> Told:
    limit = bench.room.prompt
    if limit is None or needed <= limit:
        return ()
    message = f"The instructions and this turn alone take {needed} tokens of a window of {limit}."
    return (Diagnostic(code="turn_too_large", message=message, severity="warning"),)
