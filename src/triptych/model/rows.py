"""``Row``: a message as camelCase JSON, the language between storage and people.

Flow, the pipeline's draft, the display face and the pipes speak rows. A row is a plain mapping: keys that
nobody here knows stay where they are, and a missing key is not the same as a null one. The keys named below
are those that Triptych reads or writes; the few snake_case ones are the ecosystem's own spelling.

Not here: turning a message into a row (``views``), and any rule about which rows are shown (``flow``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

__all__ = ["Row", "RowFields"]

Row = Mapping[str, Any]
"""Any message row, ours or foreign. Readers never trust the type of a value in it."""


class RowFields(TypedDict, total=False):
    """What a row may carry. Times are epoch milliseconds; foreign rows may hold ISO strings instead."""

    id: str
    role: str
    parentId: str | None
    content: str
    parts: list[dict[str, Any]]
    createdAt: int
    updatedAt: int
    status: dict[str, Any]
    hidden: bool
    favorite: bool
    agentId: str | None
    groupId: str | None
    targetId: str | None
    threadId: str | None
    sessionId: str | None
    topicId: str | None
    meta: dict[str, Any]
    metadata: dict[str, Any] | None
    model: str | None
    provider: str | None
    usage: dict[str, Any]
    performance: dict[str, Any]
    reasoning: dict[str, Any] | None
    search: dict[str, Any] | None
    error: dict[str, Any] | None
    signal: dict[str, Any]
    tools: list[dict[str, Any]]
    tool_call_id: str
    plugin: dict[str, Any]
    pluginState: Any
    pluginError: Any
    pluginIntervention: Any
    imageList: list[dict[str, Any]]
    fileList: list[dict[str, Any]]
    videoList: list[dict[str, Any]]
    audioList: list[dict[str, Any]]
    children: list[dict[str, Any]]
    extra: dict[str, Any]
    branch: dict[str, Any]
