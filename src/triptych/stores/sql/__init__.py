"""Conversations in SQLite or PostgreSQL: one schema, one set of statements, two drives."""

from triptych.stores.sql.store import Store

__all__ = ["Store"]
