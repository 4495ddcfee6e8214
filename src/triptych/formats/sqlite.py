"""Tables of a foreign SQLite file, read in memory and without trust: no views, no triggers, nothing is executed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

__all__ = ["read_tables", "table_names"]

_MOST_BYTES = 1 << 30


def _opened(data: bytes) -> sqlite3.Connection | None:
    if len(data) > _MOST_BYTES:
        return None
    connection = sqlite3.connect(":memory:")
    connection.text_factory = _lenient
    try:
        connection.deserialize(data)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
    except (sqlite3.Error, OverflowError, MemoryError):
        connection.close()
        return None
    return connection


def _lenient(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def table_names(data: bytes) -> frozenset[str]:
    """The names of the tables; none for bytes that are no database."""
    connection = _opened(data)
    if connection is None:
        return frozenset()
    try:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return frozenset(name for (name,) in rows if isinstance(name, str))
    except sqlite3.Error:
        return frozenset()
    finally:
        connection.close()


def read_tables(data: bytes, names: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows of these tables, as far as each exists and can be read; bytes become None."""
    connection = _opened(data)
    if connection is None:
        return {}
    present = table_names(data)
    try:
        return {name: _rows(connection, name) for name in names if name in present}
    finally:
        connection.close()


def _rows(connection: sqlite3.Connection, name: str) -> list[dict[str, Any]]:
    quoted = name.replace('"', '""')
    rows: list[dict[str, Any]] = []
    try:
        cursor = connection.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 # the name is one that exists
        columns = [column[0] for column in cursor.description]
        rows.extend({key: _plain(item) for key, item in zip(columns, row, strict=True)} for row in cursor)
    except sqlite3.Error:
        pass
    return rows


def _plain(value: Any) -> Any:
    return None if isinstance(value, bytes) else value
