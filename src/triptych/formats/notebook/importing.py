"""A file of ours as an import: what a hand has changed in it comes under ids of its own.

An untouched file gives exactly what was written. A changed message no longer has its old words, so it must not
come under its old id: a store that has the message would keep its own words and drop the hand's. It comes as a
sibling instead, and what follows it on the shown path with it, as in ``edits``.
"""

from __future__ import annotations

import msgspec

from triptych.formats.conversation import ImportedConversation, native_conversation
from triptych.formats.notebook.edits import compare_page
from triptych.formats.notebook.reading import decode_page, parse_page, read_page
from triptych.formats.problems import note
from triptych.model.messages import Message

__all__ = ["read_import"]


def read_import(data: bytes, *, name: str = "") -> ImportedConversation:
    """Any bytes as a conversation that can be stored beside the one they were written from."""
    imported = read_page(data, name=name)
    page = parse_page(decode_page(data))
    edits = compare_page(page, native_conversation(page.written, page.messages))
    replaced = set(edits.instead_of.values())
    if not replaced:
        return imported
    now = {old: new for new, old in edits.instead_of.items()}
    kept = [
        _under(message, now.get(message.parent_id, message.parent_id) if message.parent_id else None)
        for message in imported.messages
        if message.id not in replaced
    ]
    head = imported.conversation.head_id
    moved = edits.head_id or (now.get(head, head) if head else None)
    found = [
        note("hand_edited", "A hand has changed this message; it is a branch of its own.", new)
        for new in edits.instead_of
    ]
    return msgspec.structs.replace(
        imported,
        conversation=msgspec.structs.replace(imported.conversation, head_id=moved),
        messages=(*kept, *edits.added),
        diagnostics=(*imported.diagnostics, *found),
    )


def _under(message: Message, parent: str | None) -> Message:
    return message if parent == message.parent_id else msgspec.structs.replace(message, parent_id=parent)
