"""Insert if missing, insert or replace: what both databases say in the same words but SQLAlchemy in two dialects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Executable, Table
from sqlalchemy.dialects import postgresql, sqlite

__all__ = ["add_missing", "put", "put_all"]


def add_missing(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows whose key is not there yet."""
    put_all(connection, table, rows, replace=())


def put(connection: Connection, table: Table, row: dict[str, Any]) -> None:
    """Insert a row, or replace the other columns of the one with its key."""
    keys = {column.name for column in table.primary_key}
    put_all(
        connection, table, [row], replace=tuple(column.name for column in table.c if column.name not in keys)
    )


def put_all(
    connection: Connection, table: Table, rows: Sequence[dict[str, Any]], *, replace: tuple[str, ...]
) -> None:
    """Insert the rows; where a key is there, replace only these columns."""
    connection.execute(_insert(table, connection.dialect.name, replace), list(rows))


@lru_cache(maxsize=64)
def _insert(table: Table, dialect: str, replace: tuple[str, ...]) -> Executable:
    statement = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    if not replace:
        return statement.on_conflict_do_nothing()
    keys = [column.name for column in table.primary_key]
    columns = {name: statement.excluded[name] for name in replace}
    return statement.on_conflict_do_update(index_elements=keys, set_=columns)
