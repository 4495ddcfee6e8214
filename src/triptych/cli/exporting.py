"""The work of ``triptych convert`` and ``triptych export``: read or load, write, put files down in one step.

Not here: the commands' options, and what the formats look like (``formats``).
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from triptych.bootstrap.settings import Settings
from triptych.errors import UsageError
from triptych.formats.conversation import ImportedConversation
from triptych.formats.export import (
    HOLDS_MANY,
    Exported,
    blob_digests,
    document_digest,
    export_conversation,
    export_conversations,
    format_for,
    inline_blobs,
    restored_conversation,
)
from triptych.formats.read import read
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import ConversationId
from triptych.ports.store import Store

__all__ = ["Outcome", "convert_file", "export_stored", "losses_of", "put_file"]

_MOST_TRIES = 10_000


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What was written: the files, in the order of the conversations, and what was wrong with the input."""

    files: tuple[tuple[Path, Exported], ...]
    conversations: int
    diagnostics: tuple[Diagnostic, ...] = ()


def convert_file(
    source: Path, target: Path, *, to: str | None, read_as: str | None = None, force: bool = False
) -> Outcome:
    """Read a file, a folder or a ZIP and write it as another format: one file, or a folder of files."""
    wanted = to or format_for(target.name)
    found, diagnostics = read(source, format_name=read_as)
    if not found:
        raise UsageError(f"Nothing in {source} could be read as a chat.")
    files = _placed(found, wanted, target)
    for path, made in files:
        put_file(path, made.data, force=force)
    own = tuple(one for imported in found for one in imported.diagnostics)
    return Outcome(files=tuple(files), conversations=len(found), diagnostics=(*diagnostics, *own))


async def export_stored(
    settings: Settings,
    ids: Sequence[str],
    *,
    project: str | None,
    format_name: str | None,
    target: Path,
    force: bool = False,
) -> Outcome:
    """Write stored conversations as files: those named, or all of a project when none is."""
    wanted = format_name or _format_of(target)
    from triptych.bootstrap.wiring import open_store
    from triptych.cli.stored import conversations_of

    async with open_store(settings) as store:
        names = list(ids)
        if project is not None:
            names = [one.id for one in await conversations_of(store, project)]
        if not names:
            raise UsageError("There is no conversation to export.")
        found = [await _stored(store, name) for name in names]
    files = _placed(found, wanted, target)
    for path, made in files:
        put_file(path, made.data, force=force)
    return Outcome(files=tuple(files), conversations=len(found))


def _format_of(target: Path) -> str:
    """What the name of a file asks for; a folder asks for nothing, and gets our own Markdown."""
    if target.is_dir() or not target.suffix:
        return "notebook"
    return format_for(target.name, option="--format")


async def _stored(store: Store, name: str) -> ImportedConversation:
    """A stored conversation with its source document and its pictures."""
    stored = await store.load(ConversationId(name))
    if stored is None:
        raise UsageError(f"There is no conversation {name!r}; triptych list shows the conversations.")
    digest = document_digest(stored.conversation)
    documents = await store.get_blobs([digest]) if digest else {}
    document = documents.get(digest) if digest else None
    imported = restored_conversation(stored.conversation, stored.messages, document)
    return inline_blobs(imported, await store.get_blobs(blob_digests(imported)))


def _placed(
    conversations: Sequence[ImportedConversation], format_name: str, target: Path
) -> list[tuple[Path, Exported]]:
    """The files and their places: one file where the target is a file's name, else files in a folder."""
    into_folder = target.is_dir() or not target.suffix
    if not into_folder and (len(conversations) == 1 or format_name in HOLDS_MANY):
        return [(target, export_conversations(conversations, format_name))]
    if not into_folder:
        raise UsageError(
            f"A file of {format_name} holds one conversation, and there are {len(conversations)}; name a folder."
        )
    if format_name in HOLDS_MANY and len(conversations) > 1:
        made = export_conversations(conversations, format_name)
        return [(target / made.name, made)]
    taken: set[str] = set()
    return [_in_folder(target, export_conversation(one, format_name), taken) for one in conversations]


def _in_folder(folder: Path, made: Exported, taken: set[str]) -> tuple[Path, Exported]:
    """A place of its own in the folder: titles repeat."""
    stem, dot, ending = made.name.rpartition(".")
    for number in range(1, _MOST_TRIES):
        name = made.name if number == 1 else f"{stem} {number}{dot}{ending}"
        if name.casefold() not in taken:
            taken.add(name.casefold())
            return folder / name, made
    raise UsageError(f"Too many conversations are called {stem!r}; export them in parts.")


def put_file(path: Path, data: bytes, *, force: bool) -> None:
    """Write a file whole or not at all; one that is there is only replaced with ``force``."""
    if path.exists() and not force:
        raise UsageError(f"{path} exists; name another file, or use --force to replace it.")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".triptych-{secrets.token_hex(6)}.tmp")
    try:
        with beside.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def losses_of(outcome: Outcome) -> list[dict[str, Any]]:
    """Every loss as a JSON value."""
    return [msgspec.to_builtins(loss) for _, made in outcome.files for loss in made.losses]
