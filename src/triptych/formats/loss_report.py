"""What formats commonly cannot hold, found by comparing a message with the words that a format has.

A format names the part types and fields that it carries; everything else that is set becomes a loss. Not here:
losses of a format's own (clipped ids, merged texts), which its writer adds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec

from triptych.formats.conversation import ImportedConversation
from triptych.formats.written import Loss
from triptych.model.messages import Message

__all__ = ["FIELDS", "branch_losses", "conversation_losses", "lost", "message_losses", "unique"]

FIELDS = (
    "created_at",
    "hidden",
    "favorite",
    "origin",
    "agent_id",
    "group_id",
    "target_id",
    "thread_id",
    "trace",
    "status",
    "model",
    "provider",
    "usage",
    "performance",
    "envelope_id",
    "run_id",
    "extra",
)
"""Fields that a person could miss. Ids, links and update times are a format's own business."""

_CONVERSATION_FIELDS = ("title", "model", "favorite", "extra")


def lost(imported: ImportedConversation, message: Message | None, field: str, why: str) -> Loss:
    """A loss of one message, or of the conversation itself."""
    return Loss(
        conversation=imported.conversation.id, message=message.id if message else None, field=field, why=why
    )


def message_losses(
    imported: ImportedConversation,
    messages: Iterable[Message],
    *,
    parts: Collection[str],
    fields: Collection[str],
) -> Iterator[Loss]:
    """Losses of messages, for a format that carries these part types and these fields."""
    for message in messages:
        for kind in dict.fromkeys(_kind(part) for part in message.parts):
            if kind not in parts:
                yield lost(imported, message, kind, f"The format has no place for a part of type {kind}.")
        for name in _set_fields(message):
            if name not in fields:
                yield lost(imported, message, name, f"The format has no place for {name.replace('_', ' ')}.")


def _kind(part: msgspec.Struct) -> str:
    return str(part.__struct_config__.tag)


def _set_fields(message: Message) -> Iterator[str]:
    for field in msgspec.structs.fields(type(message)):
        if field.name not in FIELDS:
            continue
        value = getattr(message, field.name)
        if value != field.default and value is not None:
            yield field.name
    if set(message.metadata or {}) - {"source"}:
        yield "metadata"


def conversation_losses(imported: ImportedConversation, *, fields: Collection[str]) -> Iterator[Loss]:
    """Losses of the conversation's own fields."""
    for name in _CONVERSATION_FIELDS:
        if getattr(imported.conversation, name) and name not in fields:
            yield lost(imported, None, name, f"The format has no place for the conversation's {name}.")


def branch_losses(imported: ImportedConversation, written: Iterable[Message]) -> Iterator[Loss]:
    """Messages that a linear format leaves out: those on other branches."""
    shown = {message.id for message in written}
    for message in imported.messages:
        if message.id not in shown:
            yield lost(imported, message, "branch", "The format holds one line; this message is not on it.")


def unique(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """The losses without repeats, in order of first appearance."""
    return tuple({(one.message, one.field, one.why): one for one in losses}.values())
