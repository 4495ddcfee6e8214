"""Fitting a turn into a model's window: which whole turns leave, and which source has to be shortened.

Pure; the decision itself is ``context.budget``'s. Oldest whole turns leave first, in one large step (down to half of
what there is room for), so that the requests after it extend each other again. The system text, this turn's words and
its sources stay; only when they alone are too much, the longest source is cut, and said so.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from triptych.context.budget import Budget, Plan, plan
from triptych.context.envelope import Source
from triptych.context.tokens.counter import TokenCounter
from triptych.model.diagnostics import Diagnostic
from triptych.model.rows import Row

__all__ = ["Room", "cut_history", "shorten_sources"]


class Room(msgspec.Struct, frozen=True):
    """Tokens: the window, and what of it is kept for the answer. A window of None has no end."""

    window: int | None
    reserve: int

    @property
    def prompt(self) -> int | None:
        """What a prompt may take."""
        return None if self.window is None else max(1, self.window - self.reserve)


def cut_history(
    rows: Sequence[Row], needed: int, room: Room, counter: TokenCounter
) -> tuple[int, tuple[Diagnostic, ...]]:
    """How many of the oldest rows leave, for ``needed`` tokens beside them; 0 when all of them fit.

    ``rows`` is the history as it is sent, oldest first.
    """
    limit = room.prompt
    if limit is None or needed + counter.tally(rows).total <= limit:
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
    return first, (note,)


def _gone(decided: Plan) -> int:
    """The place behind the last row that left."""
    return max((cut.end for cut in decided.cuts if cut.left), default=0)


def shorten_sources(
    sources: Sequence[Source], needed: int, room: Room, counter: TokenCounter
) -> tuple[list[Source], tuple[Diagnostic, ...]]:
    """The sources of a turn, the longest cut so that they fit beside ``needed`` tokens."""
    limit = room.prompt
    kept, found = list(sources), list[Diagnostic]()
    while limit is not None and kept:
        total = needed + sum(counter.text(source.body) for source in kept)
        longest = max(kept, key=lambda source: len(source.body))
        if total <= limit or not longest.body:
            break
        shorter = _cut(longest, max(0, counter.text(longest.body) - (total - limit) - _MARK), counter)
        kept[kept.index(longest)] = shorter
        found.append(_note(longest, shorter))
        if len(shorter.body) >= len(longest.body):
            break
    return kept, tuple(found)


_MARK = 16


def _cut(source: Source, tokens: int, counter: TokenCounter) -> Source:
    whole = counter.text(source.body) or 1
    length = len(source.body) * tokens // whole
    while length and counter.text(source.body[:length]) > tokens:
        length = length * 9 // 10
    shown = source.body[:length].rstrip()
    return msgspec.structs.replace(
        source, body=f"{shown}\n[cut here: {len(shown)} of {len(source.body)} characters]"
    )


def _note(source: Source, shorter: Source) -> Diagnostic:
    return Diagnostic(
        code="source_cut",
        message=f"{source.title} is too long for the model's window; only its beginning is sent.",
        where=source.key,
        detail={"characters": len(source.body), "sent": len(shorter.body)},
    )
