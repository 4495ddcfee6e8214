"""Old tool results lose their payload, and keep a line that says what was there.

The calls stay, so the model knows what it did; results of the newest turns stay whole.

Not here: shortening results by what they are (``processors.stale_results``).
"""

from __future__ import annotations

from triptych.context.compaction.task import Strategy, Task
from triptych.context.injectors.wrapper import leaf
from triptych.context.rowwork import mapping
from triptych.context.turns import turn_starts
from triptych.model.rows import Row

__all__ = ["drop_tool_payloads"]


def drop_tool_payloads(*, keep_turns: int = 2, over: int = 200) -> Strategy:
    """Results before the last ``keep_turns`` user turns that cost more than ``over`` tokens lose their payload."""

    def smaller(task: Task) -> tuple[Row, ...]:
        starts = turn_starts(task.rows)
        if len(starts) <= keep_turns:
            return task.rows
        edge = starts[-keep_turns] if keep_turns else len(task.rows)
        rows = tuple(
            _without_payload(row, task, over) if place < edge else row for place, row in enumerate(task.rows)
        )
        return task.rows if all(one is other for one, other in zip(rows, task.rows, strict=True)) else rows

    return smaller


def _without_payload(row: Row, task: Task, over: int) -> Row:
    pinned = mapping(row.get("metadata")).get("pinned") is True or row.get("id") in task.pinned
    if row.get("role") != "tool" or pinned:
        return row
    tokens = task.counter.row(row)
    if tokens <= over:
        return row
    told = leaf("left_out", "This result was read in an earlier turn.", tokens=tokens)
    rest = {key: value for key, value in row.items() if key not in ("pluginState", "parts")}
    short = {
        **rest,
        "content": told,
        "metadata": {**mapping(row.get("metadata")), "compacted": "drop_tool_payloads"},
    }
    return short if task.counter.row(short) < tokens else row
