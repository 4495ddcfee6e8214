"""Durable homes: ``memory`` for tests and one-shot work, ``sql`` for SQLite and PostgreSQL."""
