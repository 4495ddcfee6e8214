"""Conversations in which words stand. Runs inside the caller's transaction.

The tables are read page by page, newest first, and the texts are compared here: so every script folds its letters
alike in every database, and nothing but the messages themselves has to be kept in step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec
from sqlalchemy import Connection, Text, cast, false, select

from triptych.model.conversations import Conversation
from triptych.model.ids import ConversationId, ProjectId, UserId
from triptych.stores.said import holds
from triptych.stores.sql import schema
from triptych.stores.sql.reading import list_conversations

__all__ = ["find_conversations"]

_PAGE = 200
_messages = schema.messages.c


def find_conversations(
    connection: Connection,
    project_id: ProjectId,
    user_id: UserId,
    limit: int,
    before: tuple[int, ConversationId | None] | None,
    *,
    words: str,
) -> list[Conversation]:
    """One project's conversations with the words in title or messages, newest change first."""
    found: list[Conversation] = []
    while len(found) < limit:
        page = list_conversations(connection, project_id, user_id, _PAGE, before)
        if not page:
            break
        found += _those_with(connection, page, words)
        before = (page[-1].updated_at, page[-1].id)
    return found[:limit]


def _those_with(connection: Connection, page: Sequence[Conversation], words: str) -> Iterator[Conversation]:
    untitled = [one.id for one in page if not holds(words, [one.title])]
    said = _said_in(connection, untitled, words)
    names = set(untitled)
    return (one for one in page if one.id not in names or one.id in said)


def _said_in(connection: Connection, names: Collection[ConversationId], words: str) -> set[str]:
    """Those of the conversations in whose visible messages the words stand."""
    statement = select(_messages.conversation_id, cast(_messages.parts, Text)).where(
        _messages.conversation_id.in_(names), _messages.hidden.is_(false())
    )
    written = msgspec.json.encode(words).decode()[1:-1].casefold()
    found: set[str] = set()
    for name, parts in connection.execute(statement):
        if name not in found and written in parts.casefold() and holds(words, _texts(parts)):
            found.add(name)
    return found


def _texts(parts: str) -> list[str]:
    return [part["text"] for part in msgspec.json.decode(parts) if part.get("type") == "text"]
