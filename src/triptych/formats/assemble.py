"""From the records of one conversation to the value that readers yield: the same steps for every format.

A reader makes typed messages whose ``parent_id`` is what the file says. Here the tree is repaired, nodes without
content are taken out, the shown leaf is found, and what is odd everywhere (empty messages, children older than
their parents, calls without results) is noted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from triptych.formats.conversation import ImportedConversation, Source
from triptych.formats.folding import Folded, descend, fold
from triptych.formats.heads import is_empty
from triptych.formats.problems import problem
from triptych.formats.tree import Dangling, nearest_kept, repair_parents
from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.digest import digest_bytes, digest_text
from triptych.model.ids import ConversationId, MessageId
from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage
from triptych.model.parts import ToolCallPart, ToolResultPart

__all__ = ["Fallback", "Origin", "assemble", "made_id", "settle"]

Fallback = Literal["newest", "lastChild", "last"]
"""The leaf that is shown when the file names none: the newest dated one, the last child of the last root and so
on, or the last leaf of the file (the two former are reported when there is a choice)."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What the reader knows about the file and the conversation as such."""

    format: str
    id: str | None = None
    version: str | None = None
    name: str | None = None
    document: bytes = b""
    lines: bool = False
    title: str = ""
    created_at: int = 0
    updated_at: int = 0
    model: str | None = None
    favorite: bool = False
    metadata: Mapping[str, Any] | None = None


def made_id(*pieces: str) -> str:
    """A short id made from texts; the same texts give the same id."""
    return digest_text("\n".join(pieces)).removeprefix("b2:")[:24]


def settle(
    messages: Sequence[Message],
    found: list[Diagnostic],
    *,
    nodes: Mapping[str, str | None] | None = None,
    dangling: Dangling = "root",
) -> list[Message]:
    """The messages with repaired parents.

    Args:
        messages: in the order of the file.
        found: takes what was repaired.
        nodes: parents of all nodes in the order of the file, those without a message among them.
        dangling: what becomes of messages whose parent does not exist.
    """
    said = nodes or {message.id: message.parent_id for message in messages}
    parents = repair_parents(said, found, dangling)
    if nodes is not None and len(nodes) != len(messages):
        parents = nearest_kept(parents, {message.id for message in messages})
    return [
        message
        if message.parent_id == parents[message.id]
        else msgspec.structs.replace(message, parent_id=parents[message.id])
        for message in messages
    ]


def assemble(
    origin: Origin,
    messages: Sequence[Message],
    found: list[Diagnostic],
    *,
    pointer: str | None = None,
    fallback: Fallback = "newest",
    pairing: bool = True,
) -> ImportedConversation:
    """The finished conversation.

    Args:
        origin: the file and the conversation.
        messages: settled, in the order of the file.
        found: takes what is odd.
        pointer: the message that the file calls the current one.
        fallback: how the shown leaf is found without a pointer.
        pairing: whether calls and results name each other by id in this format.
    """
    folded = fold(messages)
    head = _head(messages, folded, pointer, fallback, found)
    _note_oddities(messages, found)
    if pairing:
        _note_pairing(messages, found)
    digest = digest_bytes(origin.document)
    source = Source(
        format=origin.format,
        id=origin.id,
        document=digest,
        version=origin.version,
        name=origin.name,
        lines=origin.lines,
    )
    name = origin.id or f"{origin.format}-{made_id(origin.name or '', messages[0].id if messages else '')}"
    conversation = Conversation(
        id=ConversationId(name),
        title=origin.title,
        head_id=head,
        created_at=origin.created_at or _earliest(messages),
        updated_at=origin.updated_at or _latest(messages) or origin.created_at,
        model=origin.model,
        favorite=origin.favorite,
        metadata={**(origin.metadata or {}), "source": msgspec.to_builtins(source)},
    )
    return ImportedConversation(
        conversation=conversation,
        messages=tuple(messages),
        source=source,
        document=origin.document,
        diagnostics=tuple(found),
    )


def _earliest(messages: Sequence[Message]) -> int:
    return min((message.created_at for message in messages if message.created_at), default=0)


def _latest(messages: Sequence[Message]) -> int:
    return max((message.created_at for message in messages), default=0)


def _head(
    messages: Sequence[Message],
    folded: Folded,
    pointer: str | None,
    fallback: Fallback,
    found: list[Diagnostic],
) -> MessageId | None:
    if not messages:
        return None
    if pointer is not None and (pointer in folded.parents or pointer in folded.owners):
        return MessageId(descend(folded, pointer))
    if pointer is not None:
        found.append(problem("W_ACTIVE_MISSING", pointer))
    leaves = [message for message in messages if _is_leaf(message, folded)]
    if pointer is None and len(leaves) > 1 and fallback != "last":
        found.append(problem("W_ACTIVE_INFERRED", leaves=len(leaves)))
    match fallback:
        case "newest":
            dated = max((leaf.created_at for leaf in leaves), default=0)
            return [leaf for leaf in leaves if leaf.created_at == dated][-1].id
        case "lastChild":
            return MessageId(descend(folded, folded.children[None][-1]))
        case "last":
            return leaves[-1].id


def _is_leaf(message: Message, folded: Folded) -> bool:
    return message.id in folded.parents and message.id not in folded.children


def _note_oddities(messages: Sequence[Message], found: list[Diagnostic]) -> None:
    times = {message.id: message.created_at for message in messages}
    for message in messages:
        if message.created_at and message.parent_id and times.get(message.parent_id, 0) > message.created_at:
            found.append(problem("W_TIMESTAMP_ORDER", message.id, parent=message.parent_id))
        if not message.hidden and not isinstance(message, SystemMessage) and is_empty(message):
            found.append(problem("W_EMPTY_CONTENT", message.id))


def _note_pairing(messages: Sequence[Message], found: list[Diagnostic]) -> None:
    called: dict[str, str] = {}
    answered: dict[str, str] = {}
    by_server: set[str] = set()
    for message in messages:
        if not isinstance(message, AssistantMessage | ToolMessage):
            continue
        for part in message.parts:
            if isinstance(part, ToolResultPart):
                answered[part.call_id] = message.id
            elif isinstance(part, ToolCallPart):
                called[part.call_id] = message.id
                if part.server_side:
                    by_server.add(part.call_id)
    found.extend(
        problem("W_TOOL_CALL_UNANSWERED", message, call=call)
        for call, message in called.items()
        if call not in answered and call not in by_server
    )
    found.extend(
        problem("W_ORPHAN_TOOL_RESULT", message, call=call)
        for call, message in answered.items()
        if call not in called
    )
