"""A conversation as Markdown for reading in a terminal. Not a format: nothing reads it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["transcript"]

_NAMES = {"user": "You", "assistant": "Assistant", "system": "Instructions", "tool": "Tool"}


def transcript(title: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows one after the other, each under its speaker."""
    blocks = [f"# {title or 'Conversation'}"]
    blocks += [f"## {_NAMES.get(row['role'], row['role'])}\n\n{_said(row)}" for row in rows]
    return "\n\n".join(blocks)


def _said(row: Mapping[str, Any]) -> str:
    attached = [_attached(part) for part in row.get("parts", ()) if part.get("type") == "reference"]
    sources = [
        f"> {part['quote']} ({part.get('path', '')})" for part in row.get("parts", ()) if part.get("quote")
    ]
    status = row.get("status") or {}
    ended = [f"*({status.get('reason')})*"] if status.get("state") == "incomplete" else []
    return "\n\n".join(text for text in (*attached, str(row.get("content", "")), *sources, *ended) if text)


def _attached(part: Mapping[str, Any]) -> str:
    reference = part["reference"]
    return f"*attached: {reference.get('path') or reference.get('url') or reference.get('kind')}*"
