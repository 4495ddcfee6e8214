"""Rows of special roles become rows that a model knows: tasks, callbacks, checks, supervisors, summaries.

Each step takes its wording as an argument; the defaults are ours. A wording is a function from the row to the
text, so nothing in a row is ever read as a template again.

Not here: containers (``flatten``), and other agents' rows (``group_roles``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.injectors.wrapper import attributes, block
from triptych.context.rowwork import each_row, mapping, present, text_of, trim, without
from triptych.model.rows import Row

__all__ = [
    "Wording",
    "callback_messages",
    "compressed_groups",
    "restore_supervisors",
    "task_messages",
    "verify_messages",
]

Wording = Callable[[Row], str]
"""The text of a row, for the model."""


def task_messages(wording: Wording | None = None) -> Step:
    """Let the result of a task be said by the assistant, with the task in front of it when it is known."""
    said = wording or _task

    def change(row: Row) -> Row:
        instruction = mapping(row.get("metadata")).get("instruction")
        told = present(instruction) and not isinstance(row.get("content"), list)
        return {**_bare(row), "role": "assistant", "content": said(row) if told else row.get("content") or ""}

    return _step("task_messages", "task", change, "lets a task's result be said by the assistant")


def verify_messages(wording: Wording | None = None) -> Step:
    """Tell the model, as a user would, what a check of its work found; empty checks go."""
    said = wording or _check

    def change(row: Row) -> Row | None:
        return {**_bare(row), "role": "user", "content": said(row)} if _says(row) else None

    return _step(
        "verify_messages", "verify", change, "tells the model what a check of its work found", drops=True
    )


def callback_messages(wording: Wording | None = None) -> Step:
    """Tell the model, as a user would, how a task ended that ran elsewhere; empty ones go."""
    said = wording or _callback

    def change(row: Row) -> Row | None:
        return {**_bare(row), "role": "user", "content": said(row)} if _says(row) else None

    return _step("callback_messages", "taskCallback", change, "tells the model how a task ended", drops=True)


def restore_supervisors() -> Step:
    """Let a supervisor that holds nothing be an assistant."""
    return _step(
        "restore_supervisors",
        "supervisor",
        lambda row: {**row, "role": "assistant"},
        "lets a supervisor be an assistant",
    )


def compressed_groups(wording: Wording | None = None, *, keep_empty: bool = False) -> Step:
    """Let a compressed stretch of the history speak by its summary; without one it goes, unless kept empty."""
    said = wording or _summary

    def change(row: Row) -> Row | None:
        if not present(row.get("content")):
            return {**_bare(row), "role": "user", "content": ""} if keep_empty else None
        return {**_bare(row), "role": "user", "content": said(row)}

    return _step(
        "compressed_groups",
        "compressedGroup",
        change,
        "lets a compressed stretch speak by its summary",
        drops=True,
    )


def _step(
    name: str, role: str, change: Callable[[Row], Row | None], about: str, *, drops: bool = False
) -> Step:
    def run(draft: Draft) -> Draft:
        after = each_row(draft, change, (role,))
        return (
            after
            if after is draft
            else note(after, name, rows=sum(row.get("role") == role for row in draft.rows))
        )

    return Step(
        Contract(
            name=name,
            reads=frozenset({"flat"}),
            writes=frozenset({"roles"}),
            may_drop=drops,
            scope="message",
            roles=frozenset({role}),
            about=about,
        ),
        run,
    )


def _bare(row: Row) -> Row:
    """The row without typed parts: they would still say what the content does not say any more."""
    return without(row, "parts") if "parts" in row else row


def _says(row: Row) -> bool:
    content = row.get("content")
    return isinstance(content, str) and bool(trim(content))


def _check(row: Row) -> str:
    return block("check_feedback", trim(row["content"]))


def _summary(row: Row) -> str:
    return block("summary_of_earlier_messages", text_of(row.get("content")))


def _task(row: Row) -> str:
    agent = row.get("agentName") or mapping(row.get("meta")).get("title") or "an agent"
    task = block("task", str(mapping(row.get("metadata"))["instruction"]), by=agent)
    return f"{task}\n{block('task_result', str(row.get('content') or ''))}"


def _callback(row: Row) -> str:
    facts: Mapping[str, object] = mapping(mapping(row.get("metadata")).get("taskCallback"))
    named = attributes(task=facts.get("identifier"), status=facts.get("reason") or "done")
    return f"<finished_task{named}>\n{trim(row['content'])}\n</finished_task>"
