"""Dates, where they do not move the prefix: each user message says on which day it was written.

A date in the system text changes the first bytes of every request once a day. A message's own day never
changes, so it goes there, from the time that the row carries. ``system_date`` exists for short conversations
and for models that ignore dates elsewhere.

Not here: any clock. Times are in the rows, or in the draft.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft
from triptych.context.injectors.blocks import system_block
from triptych.context.injectors.places import with_text
from triptych.context.injectors.wrapper import leaf
from triptych.context.rowwork import each_row, mapping
from triptych.errors import UsageError
from triptych.model.rows import Row

__all__ = ["day_of", "message_dates", "system_date", "zone_named"]


def message_dates(zone: str = "UTC") -> Step:
    """Add to each user message the day on which it was written; rows without a time are left alone."""
    where = zone_named(zone)

    def change(row: Row) -> Row:
        day = None if mapping(row.get("meta")).get("systemInjection") else day_of(row.get("createdAt"), where)
        return row if day is None else with_text(row, leaf("written", day=day, zone=zone))

    def run(draft: Draft) -> Draft:
        return each_row(draft, change, ("user",))

    return Step(
        Contract(
            name="message_dates",
            reads=frozenset({"history", "template"}),
            writes=frozenset({"user.each"}),
            scope="message",
            idempotent=False,
            roles=frozenset({"user"}),
            about="adds to each user message the day on which it was written",
        ),
        run,
    )


def system_date(zone: str = "UTC") -> Step:
    """Add today's date, by the draft's clock, to the system text. It moves the prefix once a day."""
    where = zone_named(zone)

    def text(draft: Draft) -> str | None:
        day = day_of(draft.clock, where)
        return None if day is None else leaf("today", date=day, zone=zone)

    made = system_block(
        text, name="system_date", about="adds today's date to the system text; moves it once a day"
    )
    return Step(msgspec.structs.replace(made.contract, moves_prefix=True), made.run)


def day_of(moment: Any, zone: tzinfo = UTC) -> str | None:
    """The day (``2026-11-30``) of epoch milliseconds or an ISO time; None when it is no time."""
    try:
        read = datetime.fromisoformat(moment) if isinstance(moment, str) else _from_milliseconds(moment)
    except (ValueError, OverflowError, OSError):
        return None
    if read is None:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(zone).strftime("%Y-%m-%d")


def zone_named(name: str) -> tzinfo:
    """The time zone of this name (``UsageError`` when there is none)."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            f"There is no time zone {name!r}; use a name such as 'Europe/Berlin' or 'UTC'."
        ) from None


def _from_milliseconds(moment: Any) -> datetime | None:
    usable = isinstance(moment, int | float) and not isinstance(moment, bool)
    return datetime.fromtimestamp(moment / 1000, UTC) if usable else None
