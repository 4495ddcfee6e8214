"""Summaries of summaries: when the front of a history is many compressed groups, they become one.

The groups are kept inside the new one, so it opens level by level to the very messages.

Not here: making the first summaries (``extractive``, ``model_summary``).
"""

from __future__ import annotations

from triptych.context.compaction.task import Strategy, Task, group_row, is_group, replace_stretch
from triptych.context.rowwork import text_of
from triptych.model.rows import Row

__all__ = ["hierarchical"]


def hierarchical(inner: Strategy, *, most_groups: int = 4, summary_share: float = 0.1) -> Strategy:
    """First what ``inner`` does; then, with more groups than ``most_groups``, one group for all of them."""

    def smaller(task: Task) -> tuple[Row, ...]:
        rows = inner(task)
        places = tuple(place for place, row in enumerate(rows) if is_group(row))
        if len(places) <= most_groups:
            return rows
        groups = tuple(rows[place] for place in places)
        summary = _fitted(groups, task, max(1, int(task.room * summary_share)))
        merged = group_row(groups, summary, by="hierarchical")
        costs = sum(task.counter.row(group) for group in groups)
        return replace_stretch(rows, places, merged) if task.counter.row(merged) < costs else rows

    return smaller


def _fitted(groups: tuple[Row, ...], task: Task, most: int) -> str:
    """The lines of the groups' summaries, the newest that fit, in order."""
    lines = [line for group in groups for line in text_of(group.get("content")).splitlines() if line.strip()]
    kept: list[str] = []
    left = most
    for line in reversed(lines):
        left -= task.counter.text(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join(reversed(kept))
