"""A message: one node of a conversation, one role, ordered parts. One class a role, each with its own parts.

Times are epoch milliseconds (UTC). ``extra`` holds fields that the reader did not know.

Not here: the tree that messages form (``repository``), and how a message looks to a database, a person or a
model (``views``).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from triptych.model.ids import EnvelopeId, MessageId, RunId, ThreadId
from triptych.model.origins import PLAIN, Origin
from triptych.model.parts import EXTRA, AssistantPart, SystemPart, TextPart, ToolPart, UserPart
from triptych.model.status import COMPLETE, Status
from triptych.model.usage import Performance, Usage

__all__ = [
    "AssistantMessage",
    "Message",
    "Role",
    "SystemMessage",
    "ToolMessage",
    "Trace",
    "UserMessage",
    "message_text",
    "role_of",
]

Role = Literal["system", "user", "assistant", "tool"]


class Trace(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """Names under which observability systems know a message."""

    trace_id: str | None = None
    observation_id: str | None = None
    quota_id: str | None = None
    client_id: str | None = None


class _Message(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="role",
):
    id: MessageId
    parent_id: MessageId | None = None
    created_at: int = 0
    updated_at: int = 0
    active_child_id: MessageId | None = None
    hidden: bool = False
    favorite: bool = False
    origin: Origin = PLAIN
    agent_id: str | None = None
    group_id: str | None = None
    target_id: str | None = None
    thread_id: ThreadId | None = None
    trace: Trace | None = None
    metadata: dict[str, Any] | None = None
    extra: dict[str, Any] | None = msgspec.field(default=None, name=EXTRA)


class SystemMessage(_Message, frozen=True, kw_only=True, tag="system"):
    """Instructions."""

    parts: tuple[SystemPart, ...] = ()


class UserMessage(_Message, frozen=True, kw_only=True, tag="user"):
    """What a person said and attached."""

    parts: tuple[UserPart, ...] = ()


class AssistantMessage(_Message, frozen=True, kw_only=True, tag="assistant"):
    """What a model said.

    Attributes:
        envelope_id: the revision of the user turn's envelope that this reply answers.
    """

    parts: tuple[AssistantPart, ...] = ()
    status: Status = COMPLETE
    model: str | None = None
    provider: str | None = None
    usage: Usage | None = None
    performance: Performance | None = None
    envelope_id: EnvelopeId | None = None
    run_id: RunId | None = None


class ToolMessage(_Message, frozen=True, kw_only=True, tag="tool"):
    """What tools answered; a child of the assistant message that called them."""

    parts: tuple[ToolPart, ...] = ()


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage


def role_of(message: Message) -> Role:
    """The role as the word that JSON uses."""
    match message:
        case SystemMessage():
            return "system"
        case UserMessage():
            return "user"
        case AssistantMessage():
            return "assistant"
        case ToolMessage():
            return "tool"


def message_text(message: Message, separator: str = "\n\n") -> str:
    """The prose of a message: its text parts, in order."""
    return separator.join(part.text for part in message.parts if isinstance(part, TextPart))
