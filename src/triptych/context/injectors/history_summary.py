"""A summary of earlier messages that are not in the request, as system text.

It moves the prefix only when the summary changes, which is when a new epoch begins.

Not here: making the summary (``compaction``).
"""

from __future__ import annotations

from triptych.context.contract import Step
from triptych.context.injectors.blocks import system_block
from triptych.context.injectors.wrapper import block

__all__ = ["history_summary"]


def history_summary(summary: str | None) -> Step:
    """Add the summary to the system text."""
    text = block("summary_of_earlier_messages", summary) if summary and summary.strip() else None
    return system_block(
        text, name="history_summary", about="adds a summary of earlier messages to the system text"
    )
