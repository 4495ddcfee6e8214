"""How work reaches a database: the one seam between the statements and an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from triptych.stores.waking import Waking

__all__ = ["Drive"]

T = TypeVar("T")


class Drive(Protocol):
    """Runs synchronous work inside one transaction, away from the event loop.

    ``patience`` is how many seconds a follower waits for a wake-up before it looks for itself.
    """

    waking: Waking
    patience: float

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Work that writes; it is on disk when this returns."""
        ...

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Work that reads, from one moment of the database."""
        ...

    async def close(self) -> None:
        """Let go of connections and threads."""
        ...
