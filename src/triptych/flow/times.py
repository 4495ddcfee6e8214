"""When a message happened, whatever the row says: numbers, numeric strings and ISO 8601 alike, as epoch ms.

Not here: the *effective* time of a message (``index``), which also looks at its parent. No clock is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

__all__ = ["UNKNOWN", "created_at", "earliest", "known", "latest", "parse_time"]

UNKNOWN = math.nan
"""A time that the row does not tell. It compares as neither earlier nor later than anything."""


def parse_time(value: Any) -> int | float:
    """Epoch milliseconds of a stored time; ``null`` is 0 as the ecosystem reads it; ``UNKNOWN`` if unreadable.

    A number is taken as it is, however far out; compare times and never calculate with them.
    """
    if type(value) is int:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else UNKNOWN
    if isinstance(value, str):
        return _from_text(value.strip())
    return 0 if value is None else UNKNOWN


def created_at(row: Any) -> int | float:
    """The time the row itself names; a missing key is ``UNKNOWN``, a null one is 0."""
    return parse_time(row.get("createdAt", UNKNOWN))


def known(time: float) -> bool:
    """Whether a time says anything."""
    return time == time  # noqa: PLR0124 # NaN is the one value unequal to itself


def earliest(times: Iterable[int | float]) -> int | float:
    """The smallest time, ``UNKNOWN`` as soon as one of them is."""
    return _extreme(list(times), min)


def latest(times: Iterable[int | float]) -> int | float:
    """The largest time, ``UNKNOWN`` as soon as one of them is."""
    return _extreme(list(times), max)


def _extreme(times: list[int | float], pick: Any) -> int | float:
    return pick(times) if times and all(map(known, times)) else UNKNOWN


def _from_text(text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        return _from_iso(text)
    if not math.isfinite(number):
        return UNKNOWN
    return int(number) if number.is_integer() else number


def _from_iso(text: str) -> int | float:
    """A moment without an offset is read as UTC, so that the same rows order alike on every machine."""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return round(moment.timestamp() * 1000)
    except (OverflowError, ValueError):
        return UNKNOWN
