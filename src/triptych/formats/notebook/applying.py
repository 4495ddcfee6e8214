"""A hand's edits as operations on the repository: what ``edits`` asks for, done in memory, as change values.

Written so that a session can run it like any other operation, under the conversation's lock, with the store behind
it. Not here: finding out what was changed (``edits``).
"""

from __future__ import annotations

import msgspec

from triptych.errors import UsageError
from triptych.formats.notebook.edits import HandEdits
from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, Message, ToolMessage
from triptych.repository import Change, Repository

__all__ = ["apply_edits"]


def apply_edits(repository: Repository, edits: HandEdits, now: int) -> tuple[Change, ...]:
    """Add, take out and rename what the edits say; nothing that is there already is added again.

    Args:
        repository: the open conversation, changed in place.
        edits: compared with this very conversation.
        now: the time of messages that have none, and of the change.
    """
    if edits.empty:
        return ()
    before = repository.head_id
    done: list[Change] = []
    for message in edits.added:
        placed = _placed(repository, message, now)
        if placed is not None:
            done += repository.append(placed)
    for gone in edits.removed:
        if gone in repository:
            done += repository.remove(gone, splice=True)
    done += _head(repository, edits.head_id or before)
    facts = {"updated_at": now} | ({} if edits.title is None else {"title": edits.title})
    return (*done, *repository.describe(**facts))


def _placed(repository: Repository, message: Message, now: int) -> Message | None:
    """The message as it can be added: below a parent that exists, with a time; None when there is no place for it."""
    if message.id in repository:
        return None
    parent = message.parent_id
    if parent is not None and parent not in repository:
        parent = repository.head_id
    if isinstance(message, ToolMessage) and not _is_reply(repository, parent):
        return None
    return msgspec.structs.replace(
        message, parent_id=parent, created_at=message.created_at or now, updated_at=now
    )


def _is_reply(repository: Repository, parent: MessageId | None) -> bool:
    return parent is not None and isinstance(repository.get(parent), AssistantMessage)


def _head(repository: Repository, head: MessageId | None) -> tuple[Change, ...]:
    """The head where it belongs, when it can stand there."""
    if head is None or head not in repository or head == repository.head_id:
        return ()
    try:
        return tuple(repository.switch(head))
    except UsageError:
        return ()  # a step of a side thread or of a comparison is no place for the head
