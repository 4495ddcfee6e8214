"""What a person asks of an answer beside the words: its language, its length, the date it is asked on.

Directives are kept with the message (``metadata.directives``) and stand in L5 behind its words, so that an edit, a
regeneration and a reload send them again and history never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from triptych.model.messages import UserMessage

__all__ = ["directives_of", "with_date"]


def directives_of(user: UserMessage) -> tuple[str, ...]:
    """The directives of a message, in order; whatever has another shape is none."""
    kept = (user.metadata or {}).get("directives")
    return (
        tuple(one for one in kept if isinstance(one, str) and one.strip()) if isinstance(kept, list) else ()
    )


def with_date(directives: Sequence[str], now: int) -> tuple[str, ...]:
    """The directives and the day of ``now`` (epoch milliseconds), in UTC."""
    day = datetime.fromtimestamp(now // 1000, UTC).date().isoformat()
    return (*directives, f"Today is {day} (UTC).")
