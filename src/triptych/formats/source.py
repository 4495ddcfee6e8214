"""Where readers get bytes from: one file, a folder, or a ZIP, as a bundle of files that can be opened.

A folder or a ZIP is one source. ZIPs are opened without trust: nothing is ever extracted; members that are
encrypted, links, outside the archive by their name, or bombs (by ratio or by size) are left out with a
diagnostic. Links in folders are not followed.

Not here: which format a file has (``sniff``).
"""

from __future__ import annotations

import gzip
import io
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, cast
from zlib import error as zlib_error

import msgspec

from triptych.formats.jsontext import to_utf8
from triptych.formats.problems import note
from triptych.model.diagnostics import Diagnostic

__all__ = ["Bundle", "SourceFile", "open_source", "read_lines"]

_HEAD = 1 << 16
_MOST_MEMBERS = 200_000
_MOST_BYTES = 64 << 30
_MOST_RATIO = 200
_FREE_BYTES = 1 << 24
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a source.

    Attributes:
        name: its path inside the source, with ``/``; for a single file its bare name.
        size: in bytes, as the file system or the archive says.
        opener: opens it anew.
        siblings: the names of all files of the same source.
        fetch: the bytes of a sibling, for small side files.
    """

    name: str
    size: int
    opener: Callable[[], BinaryIO]
    siblings: frozenset[str] = frozenset()
    fetch: Callable[[str], bytes] = lambda _name: b""

    def open(self) -> BinaryIO:
        """A stream over the file as UTF-8 without a mark (UTF-16 is converted)."""
        stream = self.opener()
        head = stream.read(3)
        if head[:2] in _UTF16:
            return io.BytesIO(to_utf8(head + stream.read()))
        rest = head.removeprefix(b"\xef\xbb\xbf")
        return cast("BinaryIO", _Prefixed(rest, stream))

    def head(self, size: int = _HEAD) -> bytes:
        """The first bytes."""
        with self.open() as stream:
            return stream.read(size)

    def read(self) -> bytes:
        """All of it."""
        with self.open() as stream:
            return stream.read()


class _Prefixed(io.RawIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, prefix: bytes, stream: BinaryIO) -> None:
        self._prefix = prefix
        self._stream = stream

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes; all that is left without one."""
        prefix, self._prefix = self._prefix, b""
        if size < 0:
            return prefix + self._stream.read()
        if len(prefix) > size:
            self._prefix = prefix[size:]
            return prefix[:size]
        return prefix + self._stream.read(size - len(prefix))

    def close(self) -> None:
        self._stream.close()
        super().close()


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """All files of one source, in the order of their names, and what was left out."""

    name: str
    files: tuple[SourceFile, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def open_source(source: Path | str | bytes | BinaryIO, *, name: str = "") -> Bundle:
    """A path, bytes or a seekable stream as a bundle. Only a path that cannot be opened raises (``OSError``)."""
    if isinstance(source, bytes):
        return _open_stream(name, len(source), lambda: io.BytesIO(source))
    if not isinstance(source, Path | str):
        data = source.read()
        return _open_stream(name, len(data), lambda: io.BytesIO(data))
    path = Path(source)
    if path.is_dir():
        return _open_folder(path)
    return _open_stream(name or path.name, path.stat().st_size, lambda: path.open("rb"))


def _open_stream(name: str, size: int, opener: Callable[[], BinaryIO]) -> Bundle:
    with opener() as stream:
        magic = stream.read(4)
    if magic in (b"PK\x03\x04", b"PK\x05\x06"):
        return _open_archive(name, opener)
    if magic[:3] == b"\x1f\x8b\x08":
        most = max(size * _MOST_RATIO, _FREE_BYTES)
        return Bundle(name=name, files=(_gzipped(name.removesuffix(".gz"), most, opener),))
    return Bundle(name=name, files=(SourceFile(name=name, size=size, opener=opener),))


def _gzipped(name: str, most: int, opener: Callable[[], BinaryIO]) -> SourceFile:
    """A gzip file; it never gives more than ``most`` bytes."""
    return SourceFile(
        name=name,
        size=most,
        opener=lambda: cast("BinaryIO", _Bounded(cast("IO[bytes]", gzip.GzipFile(fileobj=opener())), most)),
    )


def _open_folder(folder: Path) -> Bundle:
    files: list[tuple[str, Path]] = []
    found: list[Diagnostic] = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found.append(note("link_skipped", "Links are not followed.", name))
        elif path.is_file():
            files.append((name, path))
    names = frozenset(name for name, _ in files)
    paths = dict(files)
    opened = tuple(
        SourceFile(
            name=name,
            size=path.stat().st_size,
            opener=lambda path=path: path.open("rb"),
            siblings=names,
            fetch=lambda wanted: paths[wanted].read_bytes() if wanted in paths else b"",
        )
        for name, path in files
    )
    return Bundle(name=folder.name, files=opened, diagnostics=tuple(found))


def _open_archive(name: str, opener: Callable[[], BinaryIO]) -> Bundle:
    try:
        archive = zipfile.ZipFile(opener())
        members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        found = Diagnostic(code="bad_zip", message=f"Not readable as a ZIP: {error}.", severity="error")
        return Bundle(name=name, files=(), diagnostics=(found,))
    kept: dict[str, zipfile.ZipInfo] = {}
    skipped: list[Diagnostic] = []
    total = 0
    for member in members[:_MOST_MEMBERS]:
        total += member.file_size
        reason = _distrust(member, total, kept)
        if reason:
            skipped.append(Diagnostic(code="member_skipped", message=reason, where=member.filename))
        elif not member.is_dir():
            kept[member.filename] = member
    return Bundle(name=name, files=_members(archive, kept), diagnostics=tuple(skipped))


def _distrust(member: zipfile.ZipInfo, total: int, kept: dict[str, zipfile.ZipInfo]) -> str:
    """Why a member is not read, or the empty text."""
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in (path.parts or ("",))[0]:
        return "A name that leads out of the archive."
    if stat.S_ISLNK(member.external_attr >> 16):
        return "Links are not followed."
    if member.flag_bits & 1:
        return "Encrypted members cannot be read."
    if member.filename in kept:
        return "A second member with the same name."
    packed = max(member.compress_size, 1)
    if member.file_size > _FREE_BYTES and member.file_size / packed > _MOST_RATIO:
        return "Unpacks to far more than a chat file ever does."
    return "The archive unpacks to too much." if total > _MOST_BYTES else ""


def _members(archive: zipfile.ZipFile, kept: dict[str, zipfile.ZipInfo]) -> tuple[SourceFile, ...]:
    names = frozenset(kept)
    return tuple(
        SourceFile(
            name=name,
            size=kept[name].file_size,
            opener=lambda name=name: _open_member(archive, kept[name]),
            siblings=names,
            fetch=lambda wanted: _fetch_member(archive, kept, wanted),
        )
        for name in sorted(kept)
    )


class _Bounded(io.RawIOBase):
    """A member that never gives more bytes than its entry says, and ends quietly where it is damaged."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream = stream
        self._left = size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes of what is left."""
        wanted = self._left if size < 0 else min(size, self._left)
        try:
            data = self._stream.read(wanted) if wanted else b""
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, zlib_error, NotImplementedError):
            data = b""
        self._left = self._left - len(data) if data else 0
        return data

    def close(self) -> None:
        self._stream.close()
        super().close()


def _open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    try:
        return cast("BinaryIO", _Bounded(archive.open(member), member.file_size))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError):
        return io.BytesIO()


def _fetch_member(archive: zipfile.ZipFile, kept: dict[str, zipfile.ZipInfo], wanted: str) -> bytes:
    if wanted not in kept:
        return b""
    with _open_member(archive, kept[wanted]) as stream:
        return stream.read()


def read_lines(file: SourceFile) -> Iterator[bytes]:
    """The lines of a file, split at line feeds only, without them."""
    with file.open() as stream:
        pending: list[bytes] = []
        while block := stream.read(1 << 20):
            *whole, last = block.split(b"\n")
            if whole:
                pending.append(whole[0])
                yield b"".join(pending)
                yield from whole[1:]
                pending = []
            pending.append(last)
        yield b"".join(pending)
