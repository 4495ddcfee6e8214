"""The index file: files, their pieces, their links, and the words of the pieces (SQLite FTS5).

Everything in it comes from the notes, so an index that is damaged or of another version is thrown away.
Nothing here reads the vault (``search``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from triptych.vault.search.chunks import Chunk
from triptych.vault.search.terms import spaced

__all__ = ["Entry", "Match", "NoteIndex"]

_VERSION = 1
_TABLES = """
CREATE TABLE files (
    path TEXT PRIMARY KEY, modified INTEGER, size INTEGER, title TEXT, tags TEXT
) WITHOUT ROWID;
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, path TEXT, heading TEXT, start_line INTEGER, end_line INTEGER, text TEXT
);
CREATE INDEX chunks_of_path ON chunks (path);
CREATE TABLE links (source TEXT, name TEXT, PRIMARY KEY (name, source)) WITHOUT ROWID;
CREATE INDEX links_of_source ON links (source);
CREATE VIRTUAL TABLE words USING fts5 (
    title, tags, heading, path, body, tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO words (words, rank) VALUES ('rank', 'bm25(5.0, 4.0, 2.5, 1.5, 1.0)');
"""
_BEST = """
SELECT chunks.path, chunks.heading, chunks.start_line, chunks.end_line, chunks.text, found.score,
       files.title, files.modified
FROM (SELECT rowid AS id, -rank AS score FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?) AS found
JOIN chunks ON chunks.id = found.id
JOIN files ON files.path = chunks.path
ORDER BY found.score DESC, chunks.path, chunks.start_line
"""


class Entry(msgspec.Struct, frozen=True):
    """All that the index keeps of one file; ``links`` are the names of the notes that it links to.

    ``names`` is the title with the aliases that the front matter gives.
    """

    path: str
    modified: int
    size: int
    title: str
    names: str
    tags: tuple[str, ...]
    chunks: Sequence[Chunk]
    links: frozenset[str]


class Match(msgspec.Struct, frozen=True):
    """A piece that matches, with its bare score (BM25 with weights for title, tags, heading and path)."""

    path: str
    heading: str
    start_line: int
    end_line: int
    text: str
    score: float
    title: str
    modified: int


class NoteIndex:
    """One index file. Not for several threads at once; open it once a thread."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._database = _opened(place)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def known(self) -> dict[str, tuple[int, int]]:
        """Time and size of every indexed file, by path."""
        rows = self._database.execute("SELECT path, modified, size FROM files")
        return {path: (modified, size) for path, modified, size in rows}

    def put(self, entries: Iterable[Entry]) -> None:
        """Add or replace files, in one transaction."""
        with self._database:
            for entry in entries:
                self._forget(entry.path)
                self._add(entry)

    def remove(self, paths: Iterable[str]) -> None:
        """Forget files, in one transaction."""
        with self._database:
            for path in paths:
                self._forget(path)

    def best(self, expression: str, limit: int) -> list[Match]:
        """The best pieces for an FTS5 expression."""
        return [Match(*row) for row in self._database.execute(_BEST, (expression, limit))]

    def linked(self, name: str) -> int:
        """How many notes link to the note of this name."""
        row = self._database.execute("SELECT count(*) FROM links WHERE name = ?", (name,)).fetchone()
        return row[0]

    def newest(self) -> int:
        """The time of the last change of any file, in nanoseconds."""
        return self._database.execute("SELECT coalesce(max(modified), 0) FROM files").fetchone()[0]

    def settle(self) -> None:
        """Tidy up after much was written."""
        with self._database:
            self._database.execute("INSERT INTO words (words) VALUES ('optimize')")
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _add(self, entry: Entry) -> None:
        run, tags = self._database.execute, " ".join(entry.tags)
        run(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?)",
            (entry.path, entry.modified, entry.size, entry.title, tags),
        )
        names, path, tags = spaced(entry.names), spaced(entry.path), spaced(tags)
        for chunk in entry.chunks:
            place = (entry.path, chunk.heading, chunk.start_line, chunk.end_line, chunk.text)
            added = run("INSERT INTO chunks VALUES (NULL, ?, ?, ?, ?, ?)", place).lastrowid
            words = (added, names, tags, spaced(chunk.heading), path, spaced(chunk.text))
            run(
                "INSERT INTO words (rowid, title, tags, heading, path, body) VALUES (?, ?, ?, ?, ?, ?)", words
            )
        self._database.executemany(
            "INSERT INTO links VALUES (?, ?)", [(entry.path, name) for name in entry.links]
        )

    def _forget(self, path: str) -> None:
        run = self._database.execute
        run("DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE path = ?)", (path,))
        for table, column in (("chunks", "path"), ("links", "source"), ("files", "path")):
            run(f"DELETE FROM {table} WHERE {column} = ?", (path,))  # noqa: S608 # our own words


def _opened(place: Path) -> sqlite3.Connection:
    try:
        return _prepared(place)
    except sqlite3.DatabaseError:
        for leftover in (place, Path(f"{place}-wal"), Path(f"{place}-shm")):
            leftover.unlink(missing_ok=True)
        return _prepared(place)


def _prepared(place: Path) -> sqlite3.Connection:
    database = sqlite3.connect(place, check_same_thread=False, timeout=10)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version != _VERSION:
            # fails, and so starts anew, when tables of another version are there
            database.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT;")
    except BaseException:
        database.close()
        raise
    return database
