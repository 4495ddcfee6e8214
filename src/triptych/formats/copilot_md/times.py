"""Time lines: ``2026/01/02 03:04:05`` in the writer's zone, which the file does not name.

Where the front matter's epoch belongs to the first message, the two together tell the zone, and the epoch gives
back the milliseconds. Not here: the clock; the reader's own zone is used only when nothing tells another.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

__all__ = ["UNKNOWN_TIME", "display_time", "parse_time", "zone_between"]

UNKNOWN_TIME = "Unknown time"
_TIME = re.compile(
    r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(Z|[+-]\d{2}:?\d{2})?\Z"
)
_WIDEST = timedelta(hours=14)
_STEP = 900


def parse_time(value: str, zone: tzinfo | None) -> int | None:
    """Epoch milliseconds of a time line, whole seconds; None when it is no time. ``zone`` None = this machine's."""
    found = _TIME.match(value.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second, named = found.groups()
    try:
        moment = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))  # noqa: DTZ001 - the zone is attached below
        return int(_placed(moment, _named_zone(named) or zone).timestamp()) * 1000
    except (ValueError, OverflowError, OSError):
        return None


def _placed(moment: datetime, zone: tzinfo | None) -> datetime:
    return moment.astimezone() if zone is None else moment.replace(tzinfo=zone)


def _named_zone(named: str | None) -> tzinfo | None:
    if named is None:
        return None
    if named == "Z":
        return UTC
    digits = named[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if named[0] == "-" else offset)


def zone_between(stamp: str, epoch: int) -> tzinfo | None:
    """The writer's zone, when this local time and this epoch are the same moment; None when they cannot be."""
    local = parse_time(stamp, UTC)
    if local is None or _TIME.match(stamp.strip())[7]:  # type: ignore[index]  # parse_time matched it
        return None
    seconds = local // 1000 - epoch // 1000
    if seconds % _STEP or abs(seconds) > _WIDEST.total_seconds():
        return None
    return timezone(timedelta(seconds=seconds))


def display_time(milliseconds: int, zone: tzinfo | None) -> str:
    """The time line of a moment; 0 and what no calendar holds are the unknown time."""
    if not milliseconds:
        return UNKNOWN_TIME
    try:
        moment = datetime.fromtimestamp(milliseconds // 1000, zone or UTC)
        shown = moment.astimezone() if zone is None else moment
    except (ValueError, OverflowError, OSError):
        return UNKNOWN_TIME
    return f"{shown.year:04d}/{shown.month:02d}/{shown.day:02d} {shown:%H:%M:%S}"
