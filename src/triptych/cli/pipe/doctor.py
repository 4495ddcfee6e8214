"""``pipe doctor``: ``{"messages", "messageGroups"?}`` to ``{"hiddenCount", "issues", "patch"}``."""

from __future__ import annotations

from typing import Any

__all__ = ["handle"]


def handle(request: dict[str, Any]) -> Any:
    """Diagnose one topic."""
    import msgspec

    from triptych.flow.doctor import diagnose

    return msgspec.to_builtins(diagnose(request.get("messages") or (), request.get("messageGroups") or ()))
