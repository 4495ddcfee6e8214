"""The drive for SQLite: one connection writes, in a thread of its own; readers have theirs.

A whole transaction crosses to the thread once, which is what makes a durable append cheap. WAL lets readers go
on meanwhile; ``synchronous=FULL`` has every commit on disk before it is acknowledged. Other processes' commits
are found by looking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event

from triptych.errors import StoreError
from triptych.stores.sql.errors import translated
from triptych.stores.sql.migrate import prepare
from triptych.stores.sql.rows import encode_text
from triptych.stores.sql.worker import Worker
from triptych.stores.waking import Waking

__all__ = ["SqliteDrive"]

T = TypeVar("T")

_BUSY_SECONDS = 10.0
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)


class SqliteDrive:
    """One database file."""

    patience = 0.25

    def __init__(self, path: Path, *, readers: int = 2) -> None:
        self.waking = Waking()
        self._path = path
        self._engine = _engine(path, readers)
        self._writer: Connection | None = None
        self._writing = Worker("triptych-write")
        self._reading = ThreadPoolExecutor(readers, thread_name_prefix="triptych-read")

    @classmethod
    async def open(cls, path: Path) -> SqliteDrive:
        """Open or make the file and bring its tables up to date."""
        drive = cls(path)
        try:
            await drive.write(prepare)
        except BaseException:
            await drive.close()
            raise
        return drive

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Work in a transaction of the one writing connection."""
        self._refuse_closed()
        return await self._writing.do(partial(self._write, work))

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Work on a reading connection."""
        self._refuse_closed()
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._read, work)

    async def close(self) -> None:
        """Close all connections; the write-ahead log is folded into the file."""
        if not self.waking.closed:
            self.waking.close()
            await asyncio.get_running_loop().run_in_executor(None, self._shut)

    def _shut(self) -> None:
        """Wait for the work that was begun, then close."""
        self._writing.stop()
        self._reading.shutdown()
        if self._writer is not None:
            self._writer.close()
        self._engine.dispose()

    def _refuse_closed(self) -> None:
        if self.waking.closed:
            raise StoreError("The store has been closed.")

    def _write(self, work: Callable[[Connection], T]) -> T:
        with translated(str(self._path)):
            if self._writer is None:
                _refuse_folder(self._path)
                self._writer = self._engine.connect()
            with _transaction(self._writer, "BEGIN IMMEDIATE"):
                return work(self._writer)

    def _read(self, work: Callable[[Connection], T]) -> T:
        with (
            translated(str(self._path)),
            self._engine.connect() as connection,
            _transaction(connection, "BEGIN"),
        ):
            return work(connection)


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a folder; name a database file in it.")


def _engine(path: Path, readers: int) -> Engine:
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=str(path)),
        connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False},
        pool_size=readers + 1,
        json_serializer=encode_text,
    )
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(raw: Any, _record: Any) -> None:
    """Transactions are begun by us: the driver's own habit would leave schema changes outside of them."""
    raw.isolation_level = None
    for pragma in _PRAGMAS:
        raw.execute(pragma).close()


@contextmanager
def _transaction(connection: Connection, begin: str) -> Generator[None]:
    """Begin and end said to the driver itself, so that the kind of transaction is ours and costs little."""
    raw: Any = connection.connection.driver_connection
    raw.execute(begin)
    try:
        yield
        raw.execute("COMMIT")
    except BaseException:
        if raw.in_transaction:
            raw.execute("ROLLBACK")
        raise
    finally:
        connection.rollback()
