"""``Draft``: the frozen value that flows through the pipeline.

A draft holds the rows that the model is going to read, and what a step may know about the request: the facts
of the model, the clock value, and what the steps before it reported. Nothing in it is ever changed in place.

Not here: how steps run (``engine``), what they may do (``contract``), and any reading of a real clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec

from triptych.model.diagnostics import Diagnostic
from triptych.model.rows import Row

__all__ = ["Draft", "Facts", "draft_of", "note", "takes"]


class Facts(Protocol):
    """What a step may ask about a model; ``triptych.model.profile.Profile`` has it all."""

    @property
    def media(self) -> tuple[str, ...]:
        """The kinds of media it may be sent: ``image``, ``audio``, ``video``, ``file``."""
        ...

    @property
    def tools(self) -> bool:
        """Whether it can call tools."""
        ...

    @property
    def token_factor(self) -> float:
        """Its tokens for one token of the o200k vocabulary."""
        ...

    @property
    def window(self) -> int | None:
        """Tokens of input and output together; None when unknown."""
        ...


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """One request in the making.

    Attributes:
        rows: the messages, oldest first. They are foreign and shared: never change one, replace it.
        metadata: what steps reported, under the step's name; keys given at the start are kept.
        initial: the rows as they were given, whatever the steps did since.
        profile: facts about the model that is going to read this; None when nobody knows.
        clock: the time of this request in epoch milliseconds, given in; None when no step needs it.
        stamp: what steps write as the time of rows that they add, and into their ids; None for rows that are the
            same in every request, which keeps the prefix still.
        aborted: the reason why a step ended the run, or None.
        tail: how many rows at the end are the declared volatile tail: they are not there in the next request.
        diagnostics: problems with the rows, as values.
    """

    rows: tuple[Row, ...]
    metadata: Mapping[str, Any] = {}
    initial: tuple[Row, ...] = ()
    profile: Facts | None = None
    clock: int | None = None
    stamp: int | str | None = None
    aborted: str | None = None
    tail: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    def with_rows(self, rows: Iterable[Row]) -> Draft:
        """The same draft over other rows."""
        return msgspec.structs.replace(self, rows=tuple(rows))

    def abort(self, reason: str) -> Draft:
        """The same draft, ended: no later step runs, and the rows so far are the result."""
        return msgspec.structs.replace(self, aborted=reason)

    def splice(self, start: int, end: int, *rows: Row) -> Draft:
        """The same draft with the rows ``start:end`` replaced by others."""
        return msgspec.structs.replace(self, rows=(*self.rows[:start], *rows, *self.rows[end:]))


def draft_of(
    rows: Iterable[Row],
    *,
    metadata: Mapping[str, Any] | None = None,
    profile: Facts | None = None,
    clock: int | None = None,
    stamp: int | str | None = None,
) -> Draft:
    """The draft that a run starts with. Entries that are no mappings are left out, with a diagnostic."""
    given = tuple(rows)
    kept, diagnostics = (given, ()) if set(map(type, given)) <= {dict} else _only_rows(given)
    return Draft(
        rows=kept,
        metadata=metadata or {},
        initial=kept,
        profile=profile,
        clock=clock,
        stamp=stamp,
        diagnostics=diagnostics,
    )


def note(draft: Draft, name: str, **facts: Any) -> Draft:
    """The draft with facts reported under a step's name; counts add to what was reported there before."""
    before: Mapping[str, Any] = draft.metadata.get(name) or {}
    known = {key: _sum(before.get(key), value) for key, value in facts.items()}
    return msgspec.structs.replace(draft, metadata={**draft.metadata, name: {**before, **known}})


def takes(draft: Draft, kind: str) -> bool:
    """Whether the model may be sent this kind of medium. An unknown model takes images only."""
    return kind in draft.profile.media if draft.profile is not None else kind == "image"


def _sum(before: Any, value: Any) -> Any:
    numbers = isinstance(before, int) and isinstance(value, int)
    return before + value if numbers and not isinstance(value, bool) else value


def _only_rows(given: tuple[Any, ...]) -> tuple[tuple[Row, ...], tuple[Diagnostic, ...]]:
    kept = tuple(row for row in given if isinstance(row, Mapping))
    lost = [place for place, row in enumerate(given) if not isinstance(row, Mapping)]
    return kept, tuple(
        Diagnostic(code="not_a_row", message="An entry of the history is no message.", where=str(place))
        for place in lost
    )
