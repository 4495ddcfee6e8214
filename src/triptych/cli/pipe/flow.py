"""``pipe flow``: ``{"messages", "messageGroups"?, "threadId"?}`` to both views of the conversation.

Answers ``{"contextTree", "flatList", "messageMap", "elsewhere", "diagnostics"}``, and ``"continuations"`` when
branches are nested too deeply for JSON. ``threadId``: null for the main flow only.
"""

from __future__ import annotations

from typing import Any

__all__ = ["handle"]


def handle(request: dict[str, Any]) -> dict[str, Any]:
    """Parse one topic."""
    from triptych.flow.edge import to_json
    from triptych.flow.index import ANY_THREAD
    from triptych.flow.parse import parse

    thread = request.get("threadId", ANY_THREAD)
    flow = parse(request.get("messages") or (), request.get("messageGroups") or (), thread=thread)
    return to_json(flow)
