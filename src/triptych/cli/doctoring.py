"""The doctor for conversations that are more than a file of rows: chats of other programs, and stored ones.

The judgement is ``flow.doctor``'s; a repair is done by operations of the repository, so that a move keeps the old
parent in its change and can be undone. A file is never repaired in place: the copy is written in its own format.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_store
from triptych.cli.exporting import put_file
from triptych.cli.stored import loaded
from triptych.errors import UsageError
from triptych.flow.doctor import Diagnosis, Reparent, SetBranchIndex, diagnose
from triptych.flow.parse import Flow, parse
from triptych.formats.conversation import ImportedConversation
from triptych.formats.export import export_conversations
from triptych.formats.read import read
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import ToolMessage
from triptych.repository import Change, Repository
from triptych.views.display import to_row

__all__ = ["Examined", "examine_chats", "examine_stored", "examined", "is_row_file", "mended"]


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation, how it is shown, what the doctor found, and what was wrong with the file it came in."""

    name: str
    repository: Repository
    flow: Flow
    diagnosis: Diagnosis
    notes: tuple[Diagnostic, ...] = ()


def examined(repository: Repository, notes: tuple[Diagnostic, ...] = ()) -> Examined:
    """Judge a conversation by its rows as they are stored."""
    rows = [to_row(message) for message in repository.messages]
    flow = parse(rows)
    name = repository.conversation.title or repository.conversation.id
    diagnosis = diagnose(rows, flow=flow)
    return Examined(name=name, repository=repository, flow=flow, diagnosis=diagnosis, notes=notes)


def mended(repository: Repository, diagnosis: Diagnosis) -> tuple[Change, ...]:
    """Do what the patch says; the changes."""
    done: list[Change] = []
    for operation in diagnosis.patch:
        match operation:
            case Reparent(message_id=message_id, parent_id=parent_id):
                done += repository.move(MessageId(message_id), MessageId(parent_id))
            case SetBranchIndex(message_id=message_id, index=index):
                branches = [
                    child
                    for child in repository.children(MessageId(message_id))
                    if not isinstance(repository.get(child), ToolMessage)
                ]
                done += repository.switch(branches[index]) if index < len(branches) else ()
    return tuple(done)


def examine_chats(file: Path, *, out: Path | None, force: bool = False) -> list[Examined]:
    """Every conversation of a chat file; with ``out`` a repaired copy is written there, in the same format.

    What is wrong with the file as such is told with its first conversation.
    """
    conversations, notes = read(file)
    if not conversations:
        raise UsageError(f"Nothing in {file} could be read as a chat.")
    found = [(one, _examined(one, notes if place == 0 else ())) for place, one in enumerate(conversations)]
    if out is not None:
        repaired = [_repaired(imported, seen) for imported, seen in found]
        put_file(out, export_conversations(repaired, conversations[0].source.format).data, force=force)
    return [seen for _, seen in found]


def _examined(imported: ImportedConversation, notes: tuple[Diagnostic, ...]) -> Examined:
    repository, found = Repository.load(imported.conversation, imported.messages)
    return examined(repository, (*notes, *imported.diagnostics, *found))


def _repaired(imported: ImportedConversation, seen: Examined) -> ImportedConversation:
    repository, _ = Repository.load(imported.conversation, imported.messages)
    mended(repository, seen.diagnosis)
    return msgspec.structs.replace(
        imported, conversation=repository.conversation, messages=tuple(repository.messages)
    )


async def examine_stored(settings: Settings, conversation: str, *, repair: bool) -> Examined:
    """A stored conversation; ``repair`` stores what the patch changes."""
    async with open_store(settings) as store:
        repository = await loaded(store, conversation, what="file or conversation")
        seen = examined(repository)
        if repair and seen.diagnosis.patch:
            await store.commit(repository.conversation.id, mended(repository, seen.diagnosis))
        return seen


def is_row_file(value: Any) -> bool:
    """Whether a JSON value holds message rows as they are, not another program's export."""
    rows = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        return False
    known = [row for row in rows if isinstance(row, dict)]
    return any("id" in row and "role" in row and ("parentId" in row or "createdAt" in row) for row in known)
