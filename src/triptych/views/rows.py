"""The display face of a whole conversation: one row a message, with the active branch named at every fork.

Heuristics about which branch is active serve foreign rows; ours always say it. The index counts the children that are
no tool results and in no side thread; at a message whose next reply is only being created it equals their number.

Law: ``flow.walk(to_rows(repository))`` walks ``repository.path()``, for conversations without fan-outs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from triptych.flow import walk
from triptych.model.ids import MessageId
from triptych.model.messages import Message, ToolMessage
from triptych.model.origins import PLAIN
from triptych.repository import Repository
from triptych.repository.tree import is_branch
from triptych.views.display import to_row

__all__ = ["active_index", "inactive", "row_in", "shown_path", "to_rows"]


def to_rows(repository: Repository) -> list[dict[str, Any]]:
    """The messages below the active root as rows, in the order of arrival.

    Foreign conversations with several roots show them one after the other; in ours they are branches of the first
    message, so that the others are ``inactive`` and not for flow to see.
    """
    left = inactive(repository)
    return [row_in(repository, message) for message in repository.messages if message.id not in left]


def inactive(repository: Repository) -> dict[MessageId, MessageId]:
    """The messages below the roots that are not active, each with the active root that is shown instead."""
    roots = [root for root in repository.children(None) if is_branch(repository.get(root))]
    active = repository.active_child(None)
    if active is None or repository.conversation.active_root_id is None:
        return {}
    left: dict[MessageId, MessageId] = {}
    pending = [root for root in roots if root != active]
    while pending:
        current = pending.pop()
        left[current] = active
        pending.extend(repository.children(current))
    return left


def row_in(repository: Repository, message: Message) -> dict[str, Any]:
    """One message as a row, in its place in the tree."""
    row = to_row(message)
    index = active_index(repository, message.id)
    if index is None:
        return row
    return row | {"metadata": (row.get("metadata") or {}) | {"activeBranchIndex": index}}


def active_index(repository: Repository, message_id: MessageId) -> int | None:
    """The index of the active branch below a message; None where there is no fork and nothing being created."""
    below = [
        child
        for child in repository.children(message_id)
        if not isinstance(one := repository.get(child), ToolMessage) and one.thread_id is None
    ]
    if below and repository.head_id == message_id and repository.active_child(message_id) is not None:
        return len(below)
    active = repository.active_child(message_id)
    return None if active is None or len(below) < 2 or active not in below else below.index(active)


def shown_path(repository: Repository, tip: MessageId | None = None) -> Sequence[Message]:
    """The messages that display and prompt agree on, root to tip, without tool results.

    A conversation without fan-outs is its path; one with councils, tasks or signals is walked by flow.
    """
    path = repository.path(tip)
    if all(message.origin == PLAIN for message in repository.messages):
        return path
    walked = [MessageId(step.id) for step in walk(to_rows(repository)).path]
    there = set(walked)
    last = path[-1].id if path else None
    if last is None or last not in there:
        return path
    return [repository.get(one) for one in walked[: walked.index(last) + 1] if _speaks(repository, one)]


def _speaks(repository: Repository, message_id: MessageId) -> bool:
    return message_id in repository and not isinstance(repository.get(message_id), ToolMessage)
