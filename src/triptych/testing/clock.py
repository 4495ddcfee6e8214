"""A clock that is the same in every run."""

from __future__ import annotations

import itertools

__all__ = ["StepClock"]


class StepClock:
    """Every look at it is a millisecond later, from ``start`` on; ids count up."""

    def __init__(self, start: int = 1_000) -> None:
        self._times = itertools.count(start)
        self._names = itertools.count(1)

    def now(self) -> int:
        """The next millisecond."""
        return next(self._times)

    def new_id(self) -> str:
        """The next id: ``id0001``, then ``id0002``, and so on."""
        return f"id{next(self._names):04}"
