"""A summary that a model writes: a pure request, and a pure application of what it wrote.

``summary_request`` says which stretch is to be summed up and what to ask; ``apply_summary`` puts the text in its
place. Between them the caller asks a model, and may give up: nothing has changed then.

Not here: calling a model (``chat.run``).
"""

from __future__ import annotations

import msgspec

from triptych.context.compaction.task import Task, group_row, oldest_stretch, replace_stretch
from triptych.context.injectors.wrapper import block
from triptych.context.processors.placeholders import format_value
from triptych.context.rowwork import listed, mapping, text_of, trim
from triptych.model.rows import Row

__all__ = ["SummaryRequest", "apply_summary", "summary_request"]

_ASK = (
    "Sum up the conversation below for someone who has to go on with it and cannot read it. Keep names, numbers, "
    "decisions, open questions and what the user wants, in the language of the conversation. Write only the summary."
)


class SummaryRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked.

    Attributes:
        stretch: the places of the rows that the summary will stand for.
        rows: the request: a system row and a user row.
        most: the tokens that the summary may have.
    """

    stretch: tuple[int, ...]
    rows: tuple[Row, ...]
    most: int


def summary_request(task: Task, *, share: float = 0.5, summary_share: float = 0.1) -> SummaryRequest | None:
    """What to ask so that the rest costs ``share`` of the room; None when all fits or nothing may go."""
    if task.counter.tally(task.rows).total <= task.room:
        return None
    stretch = oldest_stretch(task, target=int(task.room * share))
    if not stretch:
        return None
    most = max(1, int(task.room * summary_share))
    told = "\n".join(_told(task.rows[place]) for place in stretch)
    asked = (
        {"role": "system", "content": f"{_ASK} Use at most {most} tokens."},
        {"role": "user", "content": block("conversation", told)},
    )
    return SummaryRequest(stretch=stretch, rows=asked, most=most)


def apply_summary(task: Task, request: SummaryRequest, text: str) -> tuple[Row, ...]:
    """The rows with the summary in place of the stretch; the rows as they were when it is empty or no smaller."""
    summary = trim(text)
    if not summary:
        return task.rows
    gone = tuple(task.rows[place] for place in request.stretch)
    group = group_row(gone, summary, by="model_summary")
    costs = sum(task.counter.row(row) for row in gone)
    return (
        replace_stretch(task.rows, request.stretch, group) if task.counter.row(group) < costs else task.rows
    )


def _told(row: Row) -> str:
    calls = [
        f"{mapping(call).get('apiName') or mapping(mapping(call).get('function')).get('name')}"
        f"({format_value(mapping(call).get('arguments'))})"
        for call in listed(row.get("tools"))
    ]
    words = [text_of(row.get("content")), *([f"calls: {', '.join(calls)}"] if calls else [])]
    return block(str(row.get("role") or "message"), "\n".join(word for word in words if word))
