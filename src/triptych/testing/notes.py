"""A folder of notes without a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from triptych.model.diagnostics import Diagnostic
from triptych.ports.vault import Note, NoteInfo, Selection

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
        if link in self.files:
            return link
        names = ((path, {path.removesuffix(".md"), PurePosixPath(path).stem}) for path in self.files)
        return next((path for path, known in names if link in known), None)

    async def folder(self, path: str) -> tuple[list[NoteInfo], tuple[Diagnostic, ...]]:
        """Every note under a folder."""
        prefix = path.strip("/")
        found = [name for name in sorted(self.files) if not prefix or name.startswith(f"{prefix}/")]
        return [self._info(name) for name in found], ()

    async def tagged(self, tag: str) -> tuple[list[NoteInfo], tuple[Diagnostic, ...]]:
        """Every note whose text has ``#tag`` in it."""
        mark = f"#{tag.lstrip('#')}"
        return [self._info(name) for name in sorted(self.files) if mark in self.files[name].split()], ()

    async def select(self, include: Sequence[str], exclude: Sequence[str] = ()) -> Selection:
        """The notes that are named, by path or by ``folder/``; an exclusion wins."""
        named = [name for name in sorted(self.files) if _named(name, include)]
        left = [name for name in named if _named(name, exclude)]
        return Selection(
            included=tuple(self._info(name) for name in named if name not in left), excluded=tuple(left)
        )

    async def heading(self, path: str, heading: str) -> tuple[str | None, tuple[Diagnostic, ...]]:
        """From the line of the heading to the next one."""
        lines = self.files.get(path, "").split("\n")
        starts = [
            place for place, line in enumerate(lines) if line.lstrip("# ") == heading and line[:1] == "#"
        ]
        if not starts:
            problem = f"There is no heading {heading!r} in {path}."
            return None, (Diagnostic(code="heading_missing", message=problem, where=path),)
        ends = [place for place, line in enumerate(lines) if place > starts[0] and line[:1] == "#"]
        return "\n".join(lines[starts[0] : ends[0] if ends else None]), ()

    async def block(self, path: str, block: str) -> tuple[str | None, tuple[Diagnostic, ...]]:
        """The line that ends in ``^block``."""
        mark = f"^{block.removeprefix('^')}"
        for line in self.files.get(path, "").split("\n"):
            if line.endswith(mark):
                return line, ()
        return None, (Diagnostic(code="block_missing", message=f"There is no block {mark}.", where=path),)

    def _info(self, path: str) -> NoteInfo:
        text = self.files[path]
        size = len(text.encode("utf-8", "surrogatepass"))
        return NoteInfo(path=path, title=PurePosixPath(path).stem, size=size, modified_at=0)


def _named(path: str, patterns: Sequence[str]) -> bool:
    return any(path == one or (one.endswith("/") and path.startswith(one)) for one in patterns)
