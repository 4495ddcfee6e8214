"""Old turns give way to what was asked in them and how each answer ended, in their own words.

No model is needed: sentences are taken, never written.

Not here: a summary in new words (``model_summary``).
"""

from __future__ import annotations

import re

from triptych.context.compaction.task import (
    Strategy,
    Task,
    group_row,
    is_group,
    oldest_stretch,
    replace_stretch,
)
from triptych.context.injectors.wrapper import leaf
from triptych.context.rowwork import text_of, trim
from triptych.context.tokens.counter import TokenCounter
from triptych.model.rows import Row

__all__ = ["extract", "extractive"]

_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_LONGEST = 240


def extractive(*, share: float = 0.5, summary_share: float = 0.1) -> Strategy:
    """Replace the oldest turns, until the rest costs ``share`` of the room, by extracts of ``summary_share`` of it."""

    def smaller(task: Task) -> tuple[Row, ...]:
        if task.counter.tally(task.rows).total <= task.room:
            return task.rows
        stretch = oldest_stretch(task, target=int(task.room * share))
        if not stretch:
            return task.rows
        gone = tuple(task.rows[place] for place in stretch)
        summary = extract(gone, task.counter, most=max(1, int(task.room * summary_share)))
        return replace_stretch(task.rows, stretch, group_row(gone, summary, by="extractive"))

    return smaller


def extract(rows: tuple[Row, ...], counter: TokenCounter, *, most: int) -> str:
    """First sentences of questions and last ones of answers, the newest that fit into ``most`` tokens, in order."""
    lines: list[str] = []
    left = most
    for line in reversed([line for line in map(_line, rows) if line]):
        left -= counter.text(line) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def _line(row: Row) -> str:
    if is_group(row):
        return text_of(row.get("content"))
    sentences = [trim(one) for one in _SENTENCE.findall(text_of(row.get("content"))) if trim(one)]
    if not sentences or row.get("role") not in ("user", "assistant"):
        return ""
    chosen = sentences[0] if row["role"] == "user" else sentences[-1]
    return leaf("asked" if row["role"] == "user" else "answered", chosen[:_LONGEST])
