"""Time and new names. The only place from which the core gets either."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Clock"]


class Clock(Protocol):
    """``now`` is epoch milliseconds, never going back within a process; ``new_id`` is unique and sorts by time."""

    def now(self) -> int:
        """Epoch milliseconds, UTC."""
        ...

    def new_id(self) -> str:
        """A new id."""
        ...
