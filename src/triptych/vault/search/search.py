"""Search behind ``ports.search``: the vault is read, the index written and asked, in threads."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from anyio import to_thread

from triptych.errors import StoreError
from triptych.model.diagnostics import Diagnostic
from triptych.ports.search import IndexReport, Progress, SearchHit
from triptych.ports.vault import Note
from triptych.vault.files import FileInfo, find_file, list_files
from triptych.vault.folder import FolderVault
from triptych.vault.links import link_target, link_title
from triptych.vault.notes import is_note
from triptych.vault.patterns import Candidate, encode_patterns, matches_any
from triptych.vault.search.chunks import chunks_of
from triptych.vault.search.index import Entry, Match, NoteIndex
from triptych.vault.search.ranking import ranked
from triptych.vault.search.terms import expressions, loose_expression

__all__ = ["VaultSearch"]

_BATCH = 200
_CANDIDATES = 60
_CANDIDATES_WITHIN = 2_000
_SETTLE_AFTER = 500


class _Fence(NamedTuple):
    """Patterns of the notes that are searched, and of those that are not."""

    within: tuple[str, ...]
    without: tuple[str, ...]

    @property
    def stands(self) -> bool:
        return bool(self.within or self.without)

    def lets(self, file: Candidate) -> bool:
        return (not self.within or matches_any(self.within, file)) and not matches_any(self.without, file)


class VaultSearch:
    """An index of one vault in one file. A query may run while the index is being written.

    ``exclude`` are patterns of notes that are not found, such as a folder of saved conversations; other patterns
    than last time have the index made anew.
    """

    def __init__(self, vault: FolderVault, place: str | Path, *, exclude: Sequence[str] = ()) -> None:
        self._vault = vault
        self._place = Path(place)
        self._exclude = tuple(exclude)
        self._writing, self._asking = threading.Lock(), threading.Lock()
        self._writer: NoteIndex | None = None
        self._reader: NoteIndex | None = None

    async def index(self, progress: Progress | None = None) -> IndexReport:
        """Read what is new or changed, forget what has gone."""
        return await to_thread.run_sync(partial(self._index, progress))

    async def reindex(self, path: str) -> None:
        """Read one file again, or forget it when it has gone."""
        await to_thread.run_sync(partial(self._reindex, path))

    async def query(
        self, text: str, *, limit: int = 10, within: Sequence[str] = (), without: Sequence[str] = ()
    ) -> list[SearchHit]:
        """The best pieces for a question, best first; empty when nothing was indexed."""
        return await to_thread.run_sync(
            partial(self._query, text, limit, _Fence(tuple(within), tuple(without)))
        )

    async def close(self) -> None:
        """Close the index file."""
        with self._writing, self._asking:
            for one in (self._writer, self._reader):
                if one is not None:
                    one.close()
            self._writer = self._reader = None

    # -- in the thread -------------------------------------------------------------------------------------

    def _index(self, progress: Progress | None) -> IndexReport:
        with self._writing:
            index = self._open_writer()
            files = {file.path: file for file in list_files(self._vault.root) if is_note(file.path)}
            known = index.known()
            changed = [file for path, file in files.items() if known.get(path) != (file.modified, file.size)]
            gone = [path for path in known if path not in files]
            index.remove(gone)
            found = self._write(index, changed, progress)
            if len(changed) > _SETTLE_AFTER:
                index.settle()
        return IndexReport(
            total=len(files), indexed=len(changed), removed=len(gone), diagnostics=tuple(found)
        )

    def _write(self, index: NoteIndex, files: list[FileInfo], progress: Progress | None) -> list[Diagnostic]:
        found: list[Diagnostic] = []
        for start in range(0, len(files), _BATCH):
            batch = [self._entry(file, found) for file in files[start : start + _BATCH]]
            index.put(batch)
            if progress is not None:
                progress(start + len(batch), len(files))
        return found

    def _reindex(self, path: str) -> None:
        with self._writing:
            index = self._open_writer()
            real, _ = find_file(self._vault.root, path)
            if real is None or not is_note(path):
                index.remove([path])
                return
            facts = real.stat()
            file = FileInfo(path, facts.st_size, facts.st_mtime_ns, facts.st_mtime_ns)
            index.put([self._entry(file, [])])

    def _entry(self, file: FileInfo, found: list[Diagnostic]) -> Entry:
        """A file as the index keeps it; one that cannot be read, or is ignored, has no pieces."""
        note, problems = self._vault.read_now(file.path)
        found.extend(problems)
        if note is None or matches_any(self._exclude, _candidate(note)):
            title = link_title(file.path)
            return Entry(file.path, file.modified, file.size, title, title, (), (), frozenset())
        before = len(note.text) - len(note.body)
        return Entry(
            file.path,
            file.modified,
            file.size,
            note.info.title,
            " ".join((note.info.title, *_aliases(note))),
            note.info.tags,
            chunks_of(note.body, first_line=1 + note.text.count("\n", 0, before)),
            frozenset(link_title(target) for link in note.links if (target := link_target(link))),
        )

    def _query(self, text: str, limit: int, fence: _Fence) -> list[SearchHit]:
        with self._asking:
            index = self._open_reader()
            matches: dict[tuple[str, int, int], Match] = {}
            for expression in expressions(text):
                matches.update(self._matches(index, expression, fence))
                if len({match.path for match in matches.values()}) >= limit:
                    break
            loose = loose_expression(text)
            if not matches and loose is not None:
                matches = self._matches(index, loose, fence)
            return ranked(matches.values(), linked=index.linked, newest=index.newest(), limit=limit)

    def _matches(self, index: NoteIndex, expression: str, fence: _Fence) -> dict[tuple[str, int, int], Match]:
        matches = index.best(expression, _CANDIDATES_WITHIN if fence.stands else _CANDIDATES)
        if fence.stands:
            files = self._vault.outlines()
            inside = {path for path, one in files.items() if fence.lets(one.candidate)}
            matches = [match for match in matches if match.path in inside][:_CANDIDATES]
        return {(match.path, match.start_line, match.end_line): match for match in matches}

    def _open_writer(self) -> NoteIndex:
        if self._writer is None:
            self._writer = self._open()
        return self._writer

    def _open_reader(self) -> NoteIndex:
        if self._reader is None:
            self._reader = self._open()
        return self._reader

    def _open(self) -> NoteIndex:
        try:
            return NoteIndex(self._place, encode_patterns(sorted(self._exclude)))
        except (sqlite3.Error, OSError) as problem:
            raise StoreError(f"The search index {self._place} cannot be opened: {problem}.") from problem


def _aliases(note: Note) -> list[str]:
    aliases = note.front_matter.get("aliases") or note.front_matter.get("alias") or []
    return [str(alias) for alias in (aliases if isinstance(aliases, list) else [aliases])]


def _candidate(note: Note) -> Candidate:
    return Candidate(path=note.info.path, tags=note.info.tags, front_matter=note.front_matter)
