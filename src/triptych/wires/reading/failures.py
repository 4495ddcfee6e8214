"""What a server says when it refuses or breaks off, as one ``Failure`` value.

Understands the error bodies of every wire here: ``{"error": {"message", "type", "code", "status"}}``,
``{"type": "error", "error": …}``, ``{"error": "text"}``, ``{"message": …}``, ``{"detail": …}``, a list of any of
these, and text that is no JSON at all.

Not here: deciding to try again (``providers``).
"""

from __future__ import annotations

import re
from typing import Any

from triptych.model.events import Failure
from triptych.wires.reading.values import (
    as_count,
    as_list,
    as_map,
    as_text,
    first_text,
    kept_json,
    read_value,
)

__all__ = ["INTERRUPTED", "failure_from", "failure_from_response", "is_retryable"]

_RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_RETRYABLE_WORDS = (
    "overloaded",
    "rate_limit",
    "server_error",
    "unavailable",
    "timeout",
    "exhausted",
    "throttl",
)
_LONGEST = 600
_TITLE = re.compile("<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

INTERRUPTED = Failure(
    message="The connection ended before the reply did.", retryable=True, code="interrupted"
)
"""A stream that just stops."""


def is_retryable(status: int | None, code: str = "") -> bool:
    """Whether the same request may succeed later, by HTTP status or by the provider's own word."""
    return status in _RETRYABLE or any(word in code.lower() for word in _RETRYABLE_WORDS)


def failure_from_response(status: int, body: str) -> Failure:
    """An answer whose HTTP status says that it failed."""
    value = read_value(body)
    failure = failure_from(value, status=status) if value is not None else None
    if failure is not None:
        return failure
    page = _TITLE.search(body) if body.lstrip().startswith("<") else None
    said = _short(page[1] if page else "" if body.lstrip().startswith("<") else body)
    sentence = f"The server answered {status}: {said}" if said else f"The server answered {status}"
    return Failure(message=f"{sentence.rstrip('.')}.", status=status, retryable=is_retryable(status))


def failure_from(value: Any, *, status: int | None = None) -> Failure | None:
    """The failure that a JSON value tells of, or None when it holds no sentence that tells of one."""
    outer = as_map(next(iter(as_list(value)), None)) or as_map(value)
    told = outer.get("error") or outer.get("message") or outer.get("Message") or outer.get("detail")
    inner = as_map(told)
    message = _short(as_text(told) or first_text(inner, "message", "msg", "detail") or _shown(told))
    if not message:
        return None
    codes = (inner.get("code"), outer.get("status"), outer.get("code"))
    number = status if status is not None else _http_status(*codes)
    code = first_text(inner, "type", "code", "status") or first_text(
        outer, "code", "__type", "type", "object"
    )
    return Failure(
        message=message,
        status=number,
        code=None if code in ("", "error") else code,
        retryable=is_retryable(number, code),
        detail=as_map(kept_json(outer)) or None,
    )


def _http_status(*values: Any) -> int | None:
    return next((one for value in values if (one := as_count(value)) and 400 <= one < 600), None)  # HTTP


def _shown(value: Any) -> str:
    return "" if value is None or value is True else str(value)[:_LONGEST]


def _short(text: str) -> str:
    flat = " ".join(text[: 4 * _LONGEST].split())
    return flat if len(flat) <= _LONGEST else flat[:_LONGEST] + "…"
