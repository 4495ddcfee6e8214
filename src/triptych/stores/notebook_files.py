"""Conversations as Markdown files in a folder: the disk behind ``ports.notebook``.

A file is written beside its place, flushed to the disk, and put there in one step, so a crash leaves the old file
or the new one. New files are linked into place, which fails when something is there. Which conversation a file
belongs to is read from its front matter, again whenever the file has changed: the disk is looked at, no cache is
believed.

Not here: what the files mean.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from triptych.ports.notebook import NotebookFile

__all__ = ["NotebookFiles"]

_TRASH = ".trash"
_HEAD = 1 << 16
_KEY = re.compile(r"^conversation:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_MOST = 1000
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})
"""What file systems without hard links answer."""

Stamp = tuple[int, int, int]
_NEVER: Stamp = (-1, -1, -1)
"""The stamp of no file: what is known under it is looked at again."""


class NotebookFiles:
    """A folder, and another one for recovery copies (best on another disk, or at least not synchronised)."""

    def __init__(self, folder: Path, recovery: Path) -> None:
        self._folder = folder
        self._recovery = recovery
        self._known: dict[str, tuple[Stamp, str | None]] = {}

    async def find(self, conversation_id: str) -> list[NotebookFile]:
        """The files of a conversation, by path."""
        return await asyncio.to_thread(self._find, conversation_id)

    async def write(self, path: str, text: str, *, replaces: str | None) -> None:
        """Put a file there, whole or not at all."""
        await asyncio.to_thread(self._write, self._inside(path), text, replaces)

    async def move(self, path: str, new_path: str) -> None:
        """Give a file another path."""
        await asyncio.to_thread(_move, self._inside(path), self._inside(new_path))

    async def trash(self, path: str) -> str:
        """Move a file to ``.trash`` inside the folder."""
        return await asyncio.to_thread(self._trash, path)

    async def rescue(self, name: str, text: str) -> str:
        """Keep a text in the recovery folder; earlier copies of the same name stay."""
        return await asyncio.to_thread(self._rescue, name, text)

    def _inside(self, path: str) -> Path:
        """The path, or an error when it or a link on its way leads out of the folder."""
        pieces = path.split("/")
        if not path or any(piece in ("", ".", "..") or "\\" in piece or "\0" in piece for piece in pieces):
            raise OSError(errno.EINVAL, "This is no path inside the folder", path)
        whole = self._folder.joinpath(*pieces)
        parent = whole.parent.resolve()
        if not parent.is_relative_to(self._folder.resolve()) or whole.is_symlink():
            raise OSError(errno.EPERM, "The path leads out of the folder", path)
        return whole

    def _find(self, conversation_id: str) -> list[NotebookFile]:
        found: list[NotebookFile] = []
        seen: dict[str, tuple[Stamp, str | None]] = {}
        for path, stamp in _markdown_files(self._folder):
            known = self._known.get(path)
            owner = known[1] if known and known[0] == stamp else _owner(self._folder / path, known)
            seen[path] = (stamp, owner)
            if owner == conversation_id:
                with suppress(FileNotFoundError):
                    found.append(NotebookFile(path=path, text=_read(self._folder / path)))
        self._known = seen
        return sorted(found, key=lambda file: file.path)

    def _write(self, path: Path, text: str, replaces: str | None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if replaces is None:
            _must_be_free(path)
        else:
            _must_hold(path, replaces)
        with _Beside(path, text) as written:
            if replaces is None:
                _put_new(written, path)
            else:
                _must_hold(path, replaces)
                written.replace(path)
        _sync_folder(path.parent)
        self._known[path.relative_to(self._folder).as_posix()] = (_NEVER, _owner_in(text))

    def _trash(self, path: str) -> str:
        source = self._inside(path)
        for number in range(_MOST):
            place = f"{_TRASH}/{_numbered(path.rpartition('/')[2], number)}"
            target = self._inside(place)
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                _move(source, target)
            except FileExistsError:
                continue
            return place
        raise FileExistsError(errno.EEXIST, "The trash is full of files of this name", path)

    def _rescue(self, name: str, text: str) -> str:
        self._recovery.mkdir(parents=True, exist_ok=True)
        clean = re.sub(r"[^\w.-]+", "_", name)[-100:]
        for number in range(_MOST):
            path = self._recovery / _numbered(clean, number)
            with suppress(FileExistsError), _Beside(path, text) as written:
                _put_new(written, path)
                return str(path.resolve())
        raise FileExistsError(errno.EEXIST, "There are too many recovery copies", str(self._recovery))


def _markdown_files(folder: Path) -> Iterator[tuple[str, Stamp]]:
    """Every Markdown file below the folder, hidden folders and links left out, with what tells that it changed."""
    pending = [folder]
    while pending:
        here = pending.pop()
        with suppress(FileNotFoundError), os.scandir(here) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                if entry.is_dir():
                    pending.append(Path(entry.path))
                elif entry.name.endswith(".md"):
                    with suppress(FileNotFoundError):
                        status = entry.stat()
                        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
                        yield Path(entry.path).relative_to(folder).as_posix(), stamp


def _owner(path: Path, known: tuple[Stamp, str | None] | None) -> str | None:
    """The conversation that a file's front matter names.

    A file that cannot be read keeps the owner that it had: it must not be taken for missing.
    """
    try:
        with path.open("rb") as stream:
            return _owner_in(stream.read(_HEAD).decode("utf-8", "replace"))
    except OSError:
        return known[1] if known else None


def _owner_in(text: str) -> str | None:
    head = text[:_HEAD].replace("\r\n", "\n").removeprefix("\ufeff")
    if not head.startswith("---\n"):
        return None
    named = _KEY.search(head[: head.find("\n---", 4) + 1] or head)
    return _unquoted(named[1]) if named else None


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        import json

        with suppress(ValueError):
            return str(json.loads(text))
    return text[1:-1].replace("''", "'") if len(text) > 1 and text[0] == text[-1] == "'" else text


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _must_be_free(path: Path) -> None:
    """Refuse early when something is there, or when the name is none for this file system."""
    with suppress(FileNotFoundError):
        path.lstat()
        raise FileExistsError(errno.EEXIST, "Something is there already", str(path))


def _must_hold(path: Path, text: str) -> None:
    """Refuse when the file is not what it was: somebody has changed it since it was read."""
    try:
        same = _read(path) == text
    except FileNotFoundError:
        same = False
    if not same:
        raise FileExistsError(errno.EEXIST, "The file was changed by somebody else meanwhile", str(path))


class _Beside:
    """A temporary file next to its place, on the disk for sure; it is gone afterwards, moved or not."""

    def __init__(self, path: Path, text: str) -> None:
        self._place = path
        self._path = path.parent / f".triptych-{secrets.token_hex(6)}.tmp"
        self._data = text.encode("utf-8", "replace")

    def __enter__(self) -> Path:
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with suppress(OSError):  # a file keeps its permissions when it is replaced
                self._path.chmod(self._place.stat().st_mode & 0o7777)
            view = memoryview(self._data)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        except BaseException:
            os.close(handle)
            self.__exit__()
            raise
        os.close(handle)
        return self._path

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def _put_new(written: Path, path: Path) -> None:
    """Put a file where nothing is."""
    try:
        os.link(written, path)
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        os.close(handle)
        written.replace(path)


def _move(source: Path, target: Path) -> None:
    if source == target:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    _put_new(source, target)
    with suppress(FileNotFoundError):
        source.unlink()
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last; systems that cannot do that with folders do without."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _numbered(name: str, number: int) -> str:
    stem, dot, ending = name.rpartition(".")
    return name if number == 0 else f"{stem} {number + 1}{dot}{ending}"
