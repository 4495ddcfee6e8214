"""One seam between database exceptions and ``StoreError``: a sentence that says what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from triptych.errors import StoreError

__all__ = ["translated"]

_SENTENCES: tuple[tuple[str, str], ...] = (
    ("file is not a database", "{place} is no database; choose another file or folder."),
    ("malformed", "{place} is damaged; restore it from a backup."),
    ("disk is full", "The disk is full; make room and try again. All that was saved before is safe."),
    ("no space left", "The disk is full; make room and try again. All that was saved before is safe."),
    ("disk i/o error", "The disk refused to write {place}; see whether it is full or failing."),
    ("readonly database", "{place} cannot be written; allow it or choose another folder."),
    ("unable to open", "{place} cannot be opened; see whether its folder is there and may be written."),
    ("locked", "{place} is kept busy by another program; close it or try again."),
    ("foreign key", "The change names something that is not in the store."),
    ("unique constraint", "The change adds something that is in the store already."),
    ("password authentication", "The database refused the user or password."),
    ("name or service", "The database server cannot be reached; see whether its name is right."),
    ("connect", "The database server cannot be reached; see whether it runs."),
)


@contextmanager
def translated(place: str) -> Generator[None]:
    """Run database work; whatever the database raises becomes a ``StoreError`` about ``place``."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as problem:
        raise StoreError(_sentence(problem, place)) from problem
    except UnicodeEncodeError as problem:
        raise StoreError("A text holds half a surrogate pair, which no database can keep.") from problem


def _sentence(problem: Exception, place: str) -> str:
    cause = problem.orig if isinstance(problem, DBAPIError) and problem.orig is not None else problem
    text = str(cause)
    for mark, sentence in _SENTENCES:
        if mark in text.lower():
            return sentence.format(place=place)
    return f"The database failed: {text.splitlines()[0] if text else type(cause).__name__}."
