"""Messages as the Vercel AI SDK's hooks keep and store them (``UIMessage``), of today and of version 4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triptych.formats.ai_sdk_parts import attachments, part_list, v4_parts
from triptych.formats.assemble import Origin, assemble
from triptych.formats.conversation import ImportedConversation, Path
from triptych.formats.lists import MessageList, read_lists, record_id
from triptych.formats.making import as_dict, as_list, as_text, make_message, role_from, source_note, time_of
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import AI_SDK
from triptych.formats.tree import claim_id
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message
from triptych.model.status import COMPLETE, Incomplete

__all__ = ["matches", "read", "ui_message"]

_V4 = ("toolInvocations", "experimental_attachments")


def matches(sample: Sample) -> bool:
    """Messages with a role and ``parts``, or with the fields of version 4."""
    held = [item for row in (sample.object, *sample.objects) for item in as_list(row.get("messages"))]
    return any(
        isinstance(row, dict)
        and isinstance(row.get("role"), str)
        and (isinstance(row.get("parts"), list) or any(field in row for field in _V4))
        and "kind" not in row
        for row in (*sample.objects, *held)
    )


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file."""
    for item in read_lists(file):
        yield _conversation(item, file) if isinstance(item, MessageList) else item


def _conversation(listed: MessageList, file: SourceFile) -> ImportedConversation | Diagnostic:
    found = list(listed.found)
    taken: dict[str, Any] = {}
    messages: list[Message] = []
    for index, record in enumerate(listed.records):
        parent = messages[-1].id if messages else None
        if not isinstance(record, dict):
            found.append(problem("W_RECORD_SKIPPED", f"messages[{index}]"))
            continue
        found.extend(odd_fields(record, AI_SDK, *listed.path(index)))
        name = claim_id(taken, as_text(record.get("id")) or record_id(parent, record), record, found)
        if name is not None:
            messages.append(ui_message(name, parent, record, listed.path(index), found))
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", f"{file.name}[{listed.index}]")
    holder = listed.holder
    origin = Origin(
        format="ai_sdk",
        id=as_text(holder.get("id")) or as_text(holder.get("chatId")) or None,
        name=file.name,
        document=listed.document,
        lines=listed.lines,
        title=as_text(holder.get("title")),
    )
    return assemble(origin, messages, found, fallback="last")


def ui_message(
    name: str, parent: str | None, record: dict[str, Any], path: Path, found: list[Diagnostic]
) -> Message:
    """One message; a row of role ``data``, which version 4 streams had, is kept hidden."""
    metadata = as_dict(record.get("metadata"))
    stamp = record.get("createdAt", metadata.get("createdAt"))
    if isinstance(record.get("parts"), list):
        parts = part_list(record["parts"], name, found) + attachments(record, name, found)
    else:
        parts = v4_parts(record, name, found)
    streaming = any(as_dict(part).get("state") == "streaming" for part in as_list(record.get("parts")))
    return make_message(
        role_from(record.get("role"), name, found),
        name,
        parts,
        parent_id=parent,
        created_at=time_of(stamp, "any", name, found),
        hidden=record.get("role") == "data",
        metadata=source_note(path),
        model=as_text(metadata.get("model")) or None,
        status=Incomplete(reason="interrupted") if streaming else COMPLETE,
    )
