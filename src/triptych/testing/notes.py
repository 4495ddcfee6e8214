"""A folder of notes without a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from triptych.model.diagnostics import Diagnostic
from triptych.ports.vault import Note, NoteInfo

__all__ = ["MemoryVault"]


class MemoryVault:
    """The fake of ``ports.vault``: path to text. Change ``files`` and the next read sees it.

    Front matter and links are not taken apart here.
    """

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self.files: dict[str, str] = dict(files or {})

    async def notes(self) -> list[NoteInfo]:
        """Every note, by path."""
        return [self._info(path) for path in sorted(self.files)]

    async def read(self, path: str) -> tuple[Note | None, tuple[Diagnostic, ...]]:
        """The note, or None and the reason."""
        text = self.files.get(path)
        if text is None:
            problem = f"{path} is not in the folder of notes."
            return None, (Diagnostic(code="note_missing", message=problem, severity="error", where=path),)
        return Note(info=self._info(path), text=text, body=text), ()

    async def read_bytes(self, path: str) -> tuple[bytes | None, tuple[Diagnostic, ...]]:
        """The text as UTF-8."""
        note, found = await self.read(path)
        return (None if note is None else note.text.encode("utf-8", "surrogatepass")), found

    async def resolve(self, link: str, source: str | None = None) -> str | None:
        """A path, or a path without its ending, or a file name."""
        del source
        for path in self.files:
            if link in (path, path.removesuffix(".md"), PurePosixPath(path).stem):
                return path
        return None

    def _info(self, path: str) -> NoteInfo:
        text = self.files[path]
        size = len(text.encode("utf-8", "surrogatepass"))
        return NoteInfo(path=path, title=PurePosixPath(path).stem, size=size, modified_at=0)
