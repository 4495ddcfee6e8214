"""The drive for PostgreSQL: a pool of connections, and one that listens.

The stored row is the event; NOTIFY carries only a digest of the conversation's id. The listener reconnects for
ever, and after each connect every follower looks for itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeVar

from sqlalchemy import Connection, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import create_async_engine

from triptych.errors import StoreError, UsageError
from triptych.stores.sql.errors import translated
from triptych.stores.sql.migrate import prepare
from triptych.stores.sql.rows import encode_text
from triptych.stores.sql.writing import CHANNEL
from triptych.stores.waking import Waking

__all__ = ["PostgresDrive"]

T = TypeVar("T")

_FIRST_DELAY = 0.05
_LONGEST_DELAY = 5.0


class PostgresDrive:
    """One database, by URL."""

    patience = 30.0

    def __init__(self, url: str) -> None:
        asked = make_url(url)
        self.waking = Waking()
        self._place = asked.render_as_string(hide_password=True)
        self._engine = create_async_engine(
            asked.set(drivername="postgresql+asyncpg"),
            json_serializer=encode_text,
            pool_pre_ping=True,
        )
        self._listener: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, url: str) -> PostgresDrive:
        """Connect and bring the tables up to date."""
        if find_spec("asyncpg") is None:
            raise UsageError("PostgreSQL needs one more package: pip install 'triptych[postgres]'.")
        try:
            drive = cls(url)
        except (ArgumentError, ValueError) as problem:
            raise UsageError(
                "The database URL cannot be read; write postgresql://user@host/name."
            ) from problem
        try:
            await drive.write(prepare)
        except BaseException:
            await drive.close()
            raise
        drive._listener = asyncio.create_task(drive._listen())
        return drive

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Work in a transaction of its own."""
        if self.waking.closed:
            raise StoreError("The store has been closed.")
        with translated(self._place):
            async with self._engine.begin() as connection:
                return await connection.run_sync(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Work that sees one moment of the database."""
        if self.waking.closed:
            raise StoreError("The store has been closed.")
        with translated(self._place):
            async with self._engine.connect() as connection:
                await connection.execution_options(isolation_level="REPEATABLE READ")
                return await connection.run_sync(work)

    async def close(self) -> None:
        """Let go of all connections."""
        self.waking.close()
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)
        await self._engine.dispose()

    async def _listen(self) -> None:
        delay = _FIRST_DELAY
        while True:
            try:
                with translated(self._place):
                    await self._hear_until_gone()
                delay = _FIRST_DELAY
            except StoreError:
                delay = min(delay * 2, _LONGEST_DELAY)
            await asyncio.sleep(delay)

    async def _hear_until_gone(self) -> None:
        gone = asyncio.Event()
        async with self._engine.connect() as connection:
            raw = await connection.get_raw_connection()
            driver: Any = raw.driver_connection
            driver.add_termination_listener(partial(_set, gone))
            await driver.add_listener(CHANNEL, self._heard)
            self.waking.wake()
            try:
                await gone.wait()
            finally:
                await connection.invalidate()

    def _heard(self, _connection: Any, _process: int, _channel: str, key: str) -> None:
        self.waking.wake_key(key)


def _set(event: asyncio.Event, _connection: object) -> None:
    event.set()
