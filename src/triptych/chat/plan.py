"""Fitting a turn into a model's window: which whole turns leave, and which sources are shortened.

Pure; the decisions are ``context.budget``'s and ``context.shares``'. What has to give way, in this order:

1. the oldest whole turns, in one large step (down to half of what there is room for), so that the requests after it
   extend each other again;
2. sources that can be read again (notes, pages, files, search hits), the longest first, evenly; where there are so
   many that not even their names have room, the last ones are left out whole;
3. pages that a person's browser gave us;
4. a selection never: one that does not fit is a ``UsageError``, since it would be lost without a trace.

The system text and this turn's words always stay. Everything that was cut is said to the person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from triptych.context.budget import Budget, Plan, plan
from triptych.context.envelope import Source
from triptych.context.envelope.blocks import full_block
from triptych.context.envelope.shorten import shorten
from triptych.context.shares import Share, share_out
from triptych.context.tokens.counter import TokenCounter
from triptych.errors import UsageError
from triptych.model.diagnostics import Diagnostic
from triptych.model.rows import Row

__all__ = ["Room", "cut_history", "fits", "shorten_sources"]

_STEPS = 16
_MARK = 16
_NAMED = 8


class Room(msgspec.Struct, frozen=True):
    """Tokens: the window, and what of it is kept for the answer. A window of None has no end."""

    window: int | None
    reserve: int

    @property
    def prompt(self) -> int | None:
        """What a prompt may take."""
        return None if self.window is None else max(1, self.window - self.reserve)

    @property
    def for_project(self) -> Room:
        """What of it a project's sources may take beside the instructions: the same in every turn."""
        return self if self.window is None else Room(self.window * 3 // 4, self.reserve)


def fits(rows: Sequence[Row], needed: int, room: Room, counter: TokenCounter) -> bool:
    """Whether a history fits beside ``needed`` tokens."""
    limit = room.prompt
    return limit is None or needed + counter.tally(rows).total <= limit


def cut_history(
    rows: Sequence[Row], needed: int, room: Room, counter: TokenCounter
) -> tuple[int, tuple[Diagnostic, ...]]:
    """How many of the oldest rows leave, so that the rest takes half of what ``needed`` tokens leave free.

    ``rows`` is the history as it is sent, oldest first; ``needed`` is what the turn costs without any of it.
    """
    limit = room.prompt
    if limit is None or not rows:
        return 0, ()
    keep = max(0, limit - needed) // 2
    decided = plan(rows, Budget(window=keep), counter)
    first = next((place for place in decided.kept if place >= _gone(decided)), len(rows))
    if not decided.fits:
        first = len(rows)
    turns = sum(row.get("role") == "user" for row in rows[:first])
    note = Diagnostic(
        code="turns_left",
        message=f"The model's window is full: the {turns} oldest turns are not sent any more.",
        severity="info",
        detail={"turns": turns, "tokens": decided.before, "room": limit - needed},
    )
    return first, (note,) if first else ()


def _gone(decided: Plan) -> int:
    """The place behind the last row that left."""
    return max((cut.end for cut in decided.cuts if cut.left), default=0)


def shorten_sources(
    sources: Sequence[Source], needed: int, room: Room, counter: TokenCounter
) -> tuple[list[Source], tuple[Diagnostic, ...]]:
    """The sources of a turn, shortened so that they fit beside ``needed`` tokens.

    When something has to be cut anyway, a quarter of the room is left for the turns before this one. The room is
    counted in steps of a sixteenth of the window, so that another question of about the same length cuts at the
    same place, and a shortened source stays the same text.
    """
    limit = room.prompt
    if limit is None or not sources:
        return list(sources), ()
    costs = {source.key: counter.text(full_block(source)) for source in sources}
    if needed + sum(costs.values()) <= limit:
        return list(sources), ()
    _refuse_lost_selections(sources, costs, limit - needed)
    step = max(1, limit // _STEPS)
    free = max(0, limit - -(-needed // step) * step)
    staying, left = _with_room(sources, costs, free * 3 // 4, counter)
    given = _given(staying, costs, free * 3 // 4)
    kept = [_within(source, given[source.key], counter) for source in staying]
    found = [
        _note(before, after, given[before.key])
        for before, after in zip(staying, kept, strict=True)
        if after is not before
    ]
    return [*kept, *_notice(left)], (*found, *_left_out(left))


def _with_room(
    sources: Sequence[Source], costs: Mapping[str, int], room: int, counter: TokenCounter
) -> tuple[list[Source], list[Source]]:
    """Those for which there is room at least for their names, and those that have to be left out."""
    ranked = [source for tier in _tiers(sources) for source in tier]
    least = max(counter.text(full_block(_cut(source, 0))) for source in ranked)
    chosen: set[str] = set()
    for source in ranked:
        cost = costs[source.key] if source.kind == "selection" else min(costs[source.key], least)
        if source.kind == "selection" or cost <= room:
            chosen.add(source.key)
            room -= cost
    staying = [source for source in sources if source.key in chosen]
    return staying, [source for source in sources if source.key not in chosen]


def _notice(left: Sequence[Source]) -> list[Source]:
    """What the model is told of sources that are left out."""
    reason = f"There is no room for {len(left)} of the attached sources."
    return [Source(key="error:no room", kind="error", title="no room", body=reason)] if left else []


def _left_out(left: Sequence[Source]) -> tuple[Diagnostic, ...]:
    if not left:
        return ()
    names = [source.title for source in left]
    shown = ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")
    message = f"{len(names)} sources have no room in the model's window and are not sent: {shown}."
    return (Diagnostic(code="sources_without_room", message=message, detail={"sources": names}),)


def _refuse_lost_selections(sources: Sequence[Source], costs: Mapping[str, int], free: int) -> None:
    chosen = [source for source in sources if source.kind == "selection"]
    asked = sum(costs[source.key] for source in chosen)
    if chosen and asked > free:
        names = ", ".join(dict.fromkeys(source.title for source in chosen))
        raise UsageError(
            f"What is selected in {names} takes {asked} tokens, and the model's window has room for {max(0, free)}; "
            "select less, or choose a model with a larger window."
        )


def _given(sources: Sequence[Source], costs: Mapping[str, int], free: int) -> dict[str, Share]:
    """What each source may cost: selections all, then pages of a browser, then the rest, evenly."""
    given: dict[str, Share] = {}
    for tier in _tiers(sources):
        asked = {source.key: costs[source.key] for source in tier}
        room = sum(asked.values()) if tier[0].kind == "selection" else free
        for share in share_out(asked, room=room):
            given[share.source] = share
        free = max(0, free - sum(given[source.key].given for source in tier))
    return given


def _tiers(sources: Sequence[Source]) -> list[list[Source]]:
    selections = [one for one in sources if one.kind == "selection"]
    pages = [one for one in sources if one.kind != "selection" and not one.recoverable]
    rest = [one for one in sources if one.recoverable]
    return [tier for tier in (selections, pages, rest) if tier]


def _within(source: Source, share: Share, counter: TokenCounter) -> Source:
    """The source, cut where a reader would so that its block costs no more than its share."""
    if share.given >= share.asked:
        return source
    length = len(source.body) * max(0, share.given - _MARK) // (share.asked or 1)
    while length and counter.text(full_block(_cut(source, length))) > share.given:
        length = length * 9 // 10
    return _cut(source, length)


def _cut(source: Source, length: int) -> Source:
    shown = shorten(source.body, length).removesuffix("...").rstrip() if length else ""
    mark = f"[cut here: {len(shown)} of {len(source.body)} characters]"
    return msgspec.structs.replace(source, body=f"{shown}\n{mark}")


def _note(source: Source, shorter: Source, share: Share) -> Diagnostic:
    return Diagnostic(
        code="source_cut",
        message=f"{source.title} is too long for the model's window; only its beginning is sent.",
        where=source.key,
        detail={
            "characters": len(source.body),
            "sent": len(shorter.body),
            "asked": share.asked,
            "given": share.given,
            "why": share.sentence,
        },
    )
