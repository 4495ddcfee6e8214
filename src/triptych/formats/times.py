"""Times as chat programs spell them, as epoch milliseconds (UTC).

A time without a zone is read as UTC: the reader's own zone is no fact about the file.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Literal

__all__ = ["Unit", "read_time"]

Unit = Literal["s", "ms", "iso", "any"]
_LATEST = 253_402_300_799_000
_ABSURD = 10**20
_SLIP = 100_000_000_000
"""Seconds beyond the year 5138: a number this large is in milliseconds."""
_FORMS = (
    "%B %d, %Y %I:%M%p",
    "%B %d, %Y %I:%M:%S%p",
    "%Y-%m-%d@%Hh%Mm%Ss",
    "%Y-%m-%d @%Hh %Mm %Ss %fms",
    "%Y-%m-%d@%Hh%Mm%Ss%fms",
    "%Y/%m/%d %H:%M:%S",
    "%Y-%m-%d %H:%M:%S",
)
_MILLISECONDS = re.compile(r"(\d+)ms$")


def read_time(value: Any, unit: Unit = "any") -> tuple[int, str | None]:
    """The time and, when the spelling is not the expected one, a diagnostic code.

    Args:
        value: a number, a text or None (unknown: 0 without a code).
        unit: what the format writes; ``any`` accepts every spelling silently.
    """
    if value is None or value == "":
        return 0, None
    time, kind = _read(value, unit)
    if time is None:
        return 0, "W_BAD_TIMESTAMP"
    return time, None if unit in ("any", kind) else "W_TIMESTAMP_COERCED"


def _read(value: Any, unit: Unit) -> tuple[int | None, str]:
    if isinstance(value, bool):
        return None, ""
    if isinstance(value, int | float):
        return _from_number(value, unit)
    if not isinstance(value, str):
        return None, ""
    text = value.strip()
    try:
        number = float(text)
    except ValueError:
        return _from_text(text), "iso"
    return _from_number(number, unit)[0], "text"


def _from_number(value: float, unit: Unit) -> tuple[int | None, str]:
    if not 0 <= value < _ABSURD:
        return None, ""
    kind = "ms" if value >= _SLIP else "s"
    while value > _LATEST:
        value /= 1000
        kind = "us"
    if unit == "ms" and kind == "s":
        kind = "ms" if value == 0 else "s"
    return round(value if kind in ("ms", "us") else value * 1000), kind


def _from_text(text: str) -> int | None:
    try:
        return _milliseconds(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        pass
    padded = _MILLISECONDS.sub(lambda match: f"{match[1].zfill(3)[:6]}ms", text)
    for form in _FORMS:
        try:
            return _milliseconds(datetime.strptime(padded, form))  # noqa: DTZ007 # made UTC below
        except (ValueError, OverflowError):
            continue
    return None


def _milliseconds(moment: datetime) -> int | None:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)
