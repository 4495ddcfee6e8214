"""A conversation and a project as things with names; the messages are elsewhere."""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.model.ids import ConversationId, MessageId, ProjectId, UserId

__all__ = ["DEFAULT_PROJECT", "DEFAULT_USER", "Conversation", "Project"]

DEFAULT_USER = UserId("local")
DEFAULT_PROJECT = ProjectId("default")


class Conversation(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """A tree of messages with a head.

    Attributes:
        head_id: the tip of the active path; None when there is no message.
        active_root_id: the root that the active path starts at, for trees with several.
        model: the model chosen for it, as ``provider:name``.
    """

    id: ConversationId
    project_id: ProjectId = DEFAULT_PROJECT
    user_id: UserId = DEFAULT_USER
    title: str = ""
    head_id: MessageId | None = None
    active_root_id: MessageId | None = None
    created_at: int = 0
    updated_at: int = 0
    model: str | None = None
    favorite: bool = False
    metadata: dict[str, Any] | None = None
    extra: dict[str, Any] | None = None


class Project(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """An isolation boundary: its conversations, memory and context are its own.

    Attributes:
        instructions: a system text of its own.
        include, exclude: notes, ``folder/``, ``#tag`` and ``*.ext`` patterns of the vault.
        urls: pages that belong to it.
    """

    id: ProjectId
    user_id: UserId = DEFAULT_USER
    name: str = ""
    instructions: str = ""
    model: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    created_at: int = 0
    updated_at: int = 0
    parameters: dict[str, Any] | None = None
    extra: dict[str, Any] | None = None
