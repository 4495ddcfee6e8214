"""Fitting a turn into a model's window: which whole turns leave, and which source has to be shortened.

Pure. Oldest whole turns leave first, in one large step (down to half of what there is room for), so that the
requests after it extend each other again. The system text, this turn's words and its sources stay; only when they
alone are too much, the longest source that can be read again is cut, and said so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from triptych.context.envelope import Source
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import Message, UserMessage

__all__ = ["Room", "cut_history", "shorten_sources"]

Count = Callable[[str], int]


class Room(msgspec.Struct, frozen=True):
    """Tokens: the window, and what of it is kept for the answer. A window of None has no end."""

    window: int | None
    reserve: int

    @property
    def prompt(self) -> int | None:
        """What a prompt may take."""
        return None if self.window is None else max(1, self.window - self.reserve)


def cut_history(
    history: Sequence[tuple[Message, int]], needed: int, room: Room
) -> tuple[MessageId | None, tuple[Diagnostic, ...]]:
    """Where history has to start, for ``needed`` tokens beside it; None when all of it fits.

    ``history`` is the path so far with the tokens of each message (its results included), oldest first.
    """
    limit = room.prompt
    if limit is None or needed + sum(tokens for _, tokens in history) <= limit:
        return None, ()
    keep = max(0, limit - needed) // 2
    starts = [place for place, (message, _) in enumerate(history) if isinstance(message, UserMessage)]
    fitting = [start for start in starts if sum(tokens for _, tokens in history[start:]) <= keep]
    start = fitting[0] if fitting else len(history)
    left = sum(1 for place in starts if place < start)
    note = Diagnostic(
        code="turns_left",
        message=f"The model's window is full: the {left} oldest turns are not sent any more.",
        severity="info",
        detail={"turns": left},
    )
    return (history[start][0].id if start < len(history) else MessageId("")), (note,)


def shorten_sources(
    sources: Sequence[Source], needed: int, room: Room, count: Count
) -> tuple[list[Source], tuple[Diagnostic, ...]]:
    """The sources of a turn, the longest cut so that they fit beside ``needed`` tokens."""
    limit = room.prompt
    kept, found = list(sources), list[Diagnostic]()
    while limit is not None and kept:
        total = needed + sum(count(source.body) for source in kept)
        longest = max(kept, key=lambda source: len(source.body))
        if total <= limit or not longest.body:
            break
        shorter = _cut(longest, max(0, count(longest.body) - (total - limit) - _MARK), count)
        kept[kept.index(longest)] = shorter
        found.append(_note(longest, shorter))
        if len(shorter.body) >= len(longest.body):
            break
    return kept, tuple(found)


_MARK = 16


def _cut(source: Source, tokens: int, count: Count) -> Source:
    whole = count(source.body) or 1
    length = len(source.body) * tokens // whole
    while length and count(source.body[:length]) > tokens:
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
