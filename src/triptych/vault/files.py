"""The files below a folder, and nothing outside of it: no ``..``, no absolute path, no symlink that leads away.

Files and folders whose name starts with a dot are not there. Reading never raises on what the disk holds.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import msgspec

from triptych.model.diagnostics import Diagnostic

__all__ = ["FileInfo", "find_file", "list_files", "problem", "read_file"]

Found = tuple[Path | None, tuple[Diagnostic, ...]]


class FileInfo(msgspec.Struct, frozen=True):
    """A file: its path below the folder with ``/``, size in bytes, times in epoch nanoseconds."""

    path: str
    size: int
    modified: int
    created: int


def problem(code: str, message: str, where: str) -> Diagnostic:
    """A diagnostic about a file that could not be read."""
    return Diagnostic(code=code, message=message, severity="error", where=where)


def list_files(root: Path) -> Iterator[FileInfo]:
    """Every visible file, in no order. Links are followed as long as they stay inside, each folder once."""
    real_root = os.path.realpath(root)
    waiting, seen = [""], {real_root}
    while waiting:
        folder = waiting.pop()
        for entry in _entries(os.path.join(root, folder)):  # noqa: PTH118 # thousands of them: plain text is quick
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith(".") or (entry.is_symlink() and not _inside(entry.path, real_root)):
                continue
            if _is_folder(entry):
                real = os.path.realpath(entry.path)
                if real not in seen:
                    seen.add(real)
                    waiting.append(path)
            elif (found := _file_info(entry, path)) is not None:
                yield found


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _inside(path: str, real_root: str) -> bool:
    real = os.path.realpath(path)
    return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)


def _file_info(entry: os.DirEntry[str], path: str) -> FileInfo | None:
    try:
        facts = entry.stat()
        path.encode()
    except (OSError, UnicodeEncodeError):
        return None
    if not stat.S_ISREG(facts.st_mode):
        return None
    return FileInfo(path, facts.st_size, facts.st_mtime_ns, _created(facts))


def _created(facts: os.stat_result) -> int:
    born = getattr(facts, "st_birthtime", None)
    return int(born * 1e9) if born is not None else min(facts.st_mtime_ns, facts.st_ctime_ns)


def find_file(root: Path, path: str) -> Found:
    """Where a file of the vault is on the disk, or why it cannot be read."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith(("/", "~")) or ".." in parts or "\0" in path:
        return None, (problem("note_outside", "The path leads out of the vault.", path),)
    if any(part.startswith(".") for part in parts):
        return None, (problem("note_missing", "There is no such file in the vault.", path),)
    try:
        real = (root / path).resolve()
        if not real.is_relative_to(root.resolve()):
            return None, (problem("note_outside", "The path leads out of the vault.", path),)
        mode = real.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None, (problem("note_missing", "There is no such file in the vault.", path),)
    except (OSError, ValueError, RuntimeError):
        return None, (problem("note_unreadable", "The file cannot be read.", path),)
    if stat.S_ISREG(mode):
        return real, ()
    what = (
        "The path names a folder, not a file." if stat.S_ISDIR(mode) else "The path names no ordinary file."
    )
    return None, (problem("note_unreadable", what, path),)


def read_file(root: Path, path: str, *, most: int) -> tuple[bytes | None, tuple[Diagnostic, ...]]:
    """The bytes of a file of the vault; None with the reason when it is not there, not readable or too big."""
    real, found = find_file(root, path)
    if real is None:
        return None, found
    try:
        with real.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError:
        return None, (problem("note_unreadable", "The file cannot be read.", path),)
    if len(data) <= most:
        return data, ()
    size = f"{most / 1_000_000:g} MB"
    return None, (problem("note_too_big", f"The file is bigger than {size}; attach a part of it.", path),)
