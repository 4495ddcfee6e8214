"""``display``: a message in any of its forms in, the row that a page draws out.

The request is a typed message (``{"id", "role", "parts": [{"type": "text", …}], …}``), a record as the database
keeps it (columns in snake_case, or the flat item with ``userId`` and ISO times), or a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from triptych.model.messages import Message
from triptych.model.tolerant import parse_message
from triptych.views.display import from_row, to_row
from triptych.views.record import Record, from_record

__all__ = ["handle"]

_TYPED_ONLY = {"origin", "activeChildId", "trace", "envelopeId", "runId"}
_ROW_ONLY = {
    "content",
    "tools",
    "plugin",
    "pluginState",
    "tool_call_id",
    "imageList",
    "fileList",
    "meta",
    "userId",
}


def handle(request: dict[str, Any]) -> dict[str, Any]:
    """The row of a message. What the row cannot show otherwise is in it under its own name."""
    value = request.get("message", request)
    return to_row(_timed(_message(value)))


def _message(value: Any) -> Message:
    if not isinstance(value, Mapping):
        return parse_message(value)[0]
    if "conversation_id" in value or "created_at" in value:
        return from_record(_record(value))[0]
    if _ROW_ONLY & value.keys() or ("parts" not in value and not _TYPED_ONLY & value.keys()):
        return from_row(value)[0]
    return parse_message(dict(value))[0]


def _record(value: Mapping[str, Any]) -> Record:
    filled = {"parent_id": None, "conversation_id": "", "project_id": "", "user_id": ""} | dict(value)
    filled.setdefault("updated_at", filled.get("created_at"))
    return msgspec.convert(filled, Record, strict=False)


def _timed(message: Message) -> Message:
    """A row shows times as numbers: an ISO text that was understood gives way to its number."""
    extra = message.extra or {}
    read = {"createdAt": message.created_at, "updatedAt": message.updated_at}
    kept = {key: item for key, item in extra.items() if not (read.get(key) and isinstance(item, str))}
    return message if kept == extra else msgspec.structs.replace(message, extra=kept or None)
