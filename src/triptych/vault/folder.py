"""The vault: a folder on the disk behind ``ports.vault``.

Reading happens in a thread. What a list shows of a note is remembered for as long as the file's time and size
stay the same; the note itself is read anew each time, so that it is never stale.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from anyio import to_thread

from triptych.errors import UsageError
from triptych.model.diagnostics import Diagnostic
from triptych.ports.vault import Note, NoteInfo, Selection
from triptych.vault.files import FileInfo, find_file, list_files, problem, read_file
from triptych.vault.links import LinkIndex, link_target
from triptych.vault.marks import block_text, section_text
from triptych.vault.notes import Outline, is_note, outline_of, parse_note
from triptych.vault.patterns import matches_any, matches_pattern

__all__ = ["LARGEST_FILE", "LARGEST_NOTE", "FolderVault"]

LARGEST_NOTE = 2_000_000
"""Bytes of the longest note that is read."""

LARGEST_FILE = 50_000_000
"""Bytes of the largest PDF, canvas or image that is read."""

Diagnostics = tuple[Diagnostic, ...]


class FolderVault:
    """A folder of notes. ``ignore`` are patterns of files that are not there for anybody."""

    def __init__(self, root: str | Path, *, ignore: Sequence[str] = ()) -> None:
        self.root = Path(root)
        self._ignore = tuple(ignore)
        self._outlines: dict[str, tuple[int, int, Outline]] = {}
        if not self.root.is_dir():
            raise UsageError(f"{root} is no folder; name the folder that holds the notes.")

    # -- ports.vault.Vault ---------------------------------------------------------------------------------

    async def notes(self) -> list[NoteInfo]:
        """Every Markdown note, by path."""
        return await to_thread.run_sync(self._notes)

    async def read(self, path: str) -> tuple[Note | None, Diagnostics]:
        """A note, canvas, PDF or text file as it is now, or None with the reason."""
        return await to_thread.run_sync(partial(self.read_now, path))

    async def read_bytes(self, path: str) -> tuple[bytes | None, Diagnostics]:
        """Any file of the vault up to ``LARGEST_FILE``."""
        return await to_thread.run_sync(partial(self._bytes, path, LARGEST_FILE))

    async def resolve(self, link: str, source: str | None = None) -> str | None:
        """The path that a link means, seen from the note that holds it; see ``vault.links``."""
        return await to_thread.run_sync(partial(self._resolve, link, source))

    # -- ports.vault.VaultQueries --------------------------------------------------------------------------

    async def folder(self, path: str) -> tuple[list[NoteInfo], Diagnostics]:
        """Every note under a folder, at any depth; letter case counts only where two folders differ by it alone."""
        return await to_thread.run_sync(partial(self._folder, path))

    async def tagged(self, tag: str) -> tuple[list[NoteInfo], Diagnostics]:
        """Every note with a tag, inline ones included, or with one below it."""
        return await to_thread.run_sync(partial(self._tagged, tag))

    async def select(self, include: Sequence[str], exclude: Sequence[str] = ()) -> Selection:
        """The files that patterns name; an exclusion wins, and patterns that match nothing are told."""
        return await to_thread.run_sync(partial(self._select, tuple(include), tuple(exclude)))

    async def heading(self, path: str, heading: str) -> tuple[str | None, Diagnostics]:
        """The text under a heading of a note."""
        note, found = await self.read(path)
        if note is None:
            return None, found
        text = section_text(note.body, heading)
        if text is not None:
            return text, found
        missing = problem("heading_missing", f"There is no heading {heading!r} in the note.", path)
        return None, (*found, missing)

    async def block(self, path: str, block: str) -> tuple[str | None, Diagnostics]:
        """The block of a note that is marked ``^block``."""
        note, found = await self.read(path)
        if note is None:
            return None, found
        text = block_text(note.body, block.removeprefix("^"))
        if text is not None:
            return text, found
        return None, (*found, problem("block_missing", f"There is no block ^{block} in the note.", path))

    # -- in the thread -------------------------------------------------------------------------------------

    def read_now(self, path: str) -> tuple[Note | None, Diagnostics]:
        """``read`` without leaving the calling thread."""
        most = LARGEST_NOTE if not path.lower().endswith((".pdf", ".canvas")) else LARGEST_FILE
        data, found = self._bytes(path, most)
        if data is None:
            return None, found
        note, noted = parse_note(data, self._facts(path, len(data)))
        return note, (*found, *noted)

    def outlines(self) -> dict[str, Outline]:
        """What can be listed of every file that is not ignored, by path."""
        found = {file.path: self._outline(file) for file in list_files(self.root)}
        self._outlines = {path: one for path, one in self._outlines.items() if path in found}
        if not self._ignore:
            return found
        return {path: one for path, one in found.items() if not matches_any(self._ignore, one.candidate)}

    def _outline(self, file: FileInfo) -> Outline:
        known = self._outlines.get(file.path)
        if known is not None and known[:2] == (file.modified, file.size):
            return known[2]
        data = read_file(self.root, file.path, most=LARGEST_NOTE)[0] if is_note(file.path) else None
        outline = outline_of(data, file)
        self._outlines[file.path] = (file.modified, file.size, outline)
        return outline

    def _notes(self) -> list[NoteInfo]:
        found = self.outlines()
        return [found[path].info for path in sorted(found) if is_note(path)]

    def _bytes(self, path: str, most: int) -> tuple[bytes | None, Diagnostics]:
        data, found = read_file(self.root, path, most=most)
        if data is None or not self._ignore:
            return data, found
        if matches_any(self._ignore, outline_of(data, self._facts(path, len(data))).candidate):
            return None, (
                problem("note_ignored", "The file is excluded by the settings of the vault.", path),
            )
        return data, found

    def _facts(self, path: str, size: int) -> FileInfo:
        try:
            facts = (self.root / path).stat()
        except OSError:
            return FileInfo(path, size, 0, 0)
        return FileInfo(path, size, facts.st_mtime_ns, min(facts.st_mtime_ns, facts.st_ctime_ns))

    def _resolve(self, link: str, source: str | None) -> str | None:
        target = link_target(link)
        for exact in (target, f"{target}.md"):
            if target and not target.startswith(".") and find_file(self.root, exact)[0] is not None:
                return str(PurePosixPath(exact))
        return LinkIndex(file.path for file in list_files(self.root)).resolve(link, source)

    def _folder(self, path: str) -> tuple[list[NoteInfo], Diagnostics]:
        everything = self._notes()
        prefix = str(PurePosixPath(path.strip("/"))) + "/"
        notes = everything if prefix == "./" else [one for one in everything if one.path.startswith(prefix)]
        if not notes:
            folded = prefix.casefold()
            notes = [one for one in everything if one.path.casefold().startswith(folded)]
        if notes:
            return notes, ()
        return [], (problem("folder_empty", "There is no note in this folder, or no such folder.", path),)

    def _tagged(self, tag: str) -> tuple[list[NoteInfo], Diagnostics]:
        wanted = tag.lstrip("#").casefold()
        notes = [one for one in self._notes() if any(_below(have, wanted) for have in one.tags)]
        if notes:
            return notes, ()
        return [], (problem("tag_unknown", f"No note has the tag #{tag.lstrip('#')}.", tag),)

    def _select(self, include: tuple[str, ...], exclude: tuple[str, ...]) -> Selection:
        files = self.outlines()
        hits = {
            pattern: [path for path in sorted(files) if matches_pattern(pattern, files[path].candidate)]
            for pattern in include
        }
        named = sorted({path for paths in hits.values() for path in paths})
        excluded = {path for path in named if matches_any(exclude, files[path].candidate)}
        return Selection(
            included=tuple(files[path].info for path in named if path not in excluded),
            excluded=tuple(sorted(excluded)),
            unmatched=tuple(pattern for pattern, paths in hits.items() if not paths),
        )


def _below(have: str, wanted: str) -> bool:
    folded = have.casefold()
    return folded == wanted or folded.startswith(wanted + "/")
