"""What a file holds, in numbers and first words: the line that ``triptych import --json`` prints.

The numbers follow the written rules of the formats page: tool messages are folded into the message that called
them, hidden messages count but are not shown, and the path is the shown path of the first conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from triptych.formats.conversation import ImportedConversation
from triptych.formats.folding import Folded, fold, path_to
from triptych.formats.heads import text_head
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, role_of

__all__ = ["ConversationSummary", "summarize", "summarize_conversation"]


class ConversationSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of one conversation, small enough to keep for every one of a large export."""

    id: str
    messages: int
    roots: int
    branch_points: int
    hidden: int
    roles: tuple[str, ...]
    text_heads: tuple[str, ...]
    codes: tuple[str, ...]


def summarize_conversation(imported: ImportedConversation) -> ConversationSummary:
    """Count one conversation and walk its shown path."""
    halves = {message.id for message in imported.messages if _note(message).get("within")}
    counted = [message for message in imported.messages if message.id not in halves]
    folded = fold(imported.messages)
    by_id: dict[str, Message] = {message.id: message for message in imported.messages}
    shown = [by_id[name] for name in _shown(folded, imported.conversation.head_id)]
    visible = [message for message in shown if not message.hidden and message.id not in halves]
    return ConversationSummary(
        id=imported.conversation.id,
        messages=len(counted),
        roots=sum(message.parent_id is None for message in counted),
        branch_points=sum(
            len(listed) > 1 for parent, listed in folded.children.items() if parent is not None
        ),
        hidden=sum(message.hidden for message in counted),
        roles=tuple(_note(message).get("role") or role_of(message) for message in visible),
        text_heads=tuple(text_head(message) for message in visible),
        codes=_codes(imported.diagnostics),
    )


def summarize(
    file: str,
    format_name: str | None,
    conversations: Sequence[ConversationSummary],
    diagnostics: Iterable[Diagnostic] = (),
) -> dict[str, Any]:
    """The line for one given path; zeros for a file that no reader could read."""
    first = conversations[0] if conversations else None
    codes = {code for one in conversations for code in one.codes} | set(_codes(diagnostics))
    return {
        "file": file,
        "format": format_name,
        "conversations": len(conversations),
        "messages": sum(one.messages for one in conversations),
        "roots": sum(one.roots for one in conversations),
        "branch_points": sum(one.branch_points for one in conversations),
        "active_path_roles": list(first.roles) if first else [],
        "active_path_text_heads": list(first.text_heads) if first else [],
        "warnings": sorted(codes),
        "hidden": sum(one.hidden for one in conversations),
    }


def _shown(folded: Folded, head: str | None) -> list[str]:
    """The path to the head, each message followed by the tool messages folded into it."""
    if head is None:
        return []
    return [name for node in path_to(folded, head) for name in (node, *folded.results.get(node, ()))]


def _note(message: Message) -> dict[str, Any]:
    source = (message.metadata or {}).get("source")
    return source if isinstance(source, dict) else {}


def _codes(diagnostics: Iterable[Diagnostic]) -> tuple[str, ...]:
    return tuple(sorted({one.code for one in diagnostics if one.code.startswith("W_")}))
