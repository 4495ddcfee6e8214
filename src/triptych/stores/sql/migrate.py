"""Bringing a database to the tables of this program, inside one transaction; never away from newer ones."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from triptych.errors import StoreError
from triptych.stores.sql.blobs import sweep_blobs

__all__ = ["NEWEST_REVISION", "prepare"]

NEWEST_REVISION = "0001"
"""The revision that the migrations of this program lead to; a test compares it with the folder."""

_VERSION_TABLE = "alembic_version"
_LOCKED_TOGETHER = "SELECT pg_advisory_xact_lock(7450912)"


def prepare(connection: Connection) -> None:
    """Make or upgrade the tables and sweep. ``StoreError`` for a newer database or one of another program."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(_LOCKED_TOGETHER)
    revision = _revision(connection)
    if revision != NEWEST_REVISION:
        _upgrade(connection, revision)
    sweep_blobs(connection)


def _revision(connection: Connection) -> str | None:
    tables = inspect(connection).get_table_names()
    if _VERSION_TABLE in tables:
        return connection.execute(text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalar()  # noqa: S608 # our own word
    if tables:
        raise StoreError("The database belongs to another program; choose another file.")
    return None


def _upgrade(connection: Connection, revision: str | None) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util.exc import CommandError

    config = Config()
    config.set_main_option("script_location", "triptych.stores.sql:migrations")
    config.attributes["connection"] = connection
    try:
        if revision is not None:
            ScriptDirectory.from_config(config).get_revision(revision)
        command.upgrade(config, "head")
    except CommandError as problem:
        raise StoreError(
            "The database was written by a newer Triptych; install that or a later one."
        ) from problem
