"""What must hold in every repository at every moment; each breach is a diagnostic of severity error."""

from __future__ import annotations

from collections.abc import Iterator

from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, Message, ToolMessage
from triptych.repository.repository import Repository
from triptych.repository.tree import is_branch

__all__ = ["invariants"]


def invariants(repository: Repository) -> list[Diagnostic]:
    """Everything that is wrong with a repository; empty when all is well.

    Links and child lists agree; no cycle; the head is a step of a path; at every fork the active branch is one of
    its branches, and on the active path it is the one that the path takes; envelopes hang on messages that exist.
    """
    return [
        Diagnostic(code=code, message=message, severity="error", where=where)
        for code, message, where in (
            *_links(repository),
            *_head(repository),
            *_forks(repository),
        )
    ]


def _links(repository: Repository) -> Iterator[tuple[str, str, MessageId | None]]:
    reached: set[MessageId] = set()
    pending: list[MessageId | None] = [None]
    while pending:
        parent = pending.pop()
        for child in repository.children(parent):
            if child in reached:
                yield "reached_twice", "A message has two places.", child
                continue
            reached.add(child)
            pending.append(child)
            if repository.get(child).parent_id != parent:
                yield "wrong_parent", "A child list names a message of another parent.", child
    for message in repository.messages:
        if message.id not in reached:
            yield "unreachable", "A message hangs nowhere.", message.id


def _head(repository: Repository) -> Iterator[tuple[str, str, MessageId | None]]:
    head = repository.head_id
    if head is None:
        return
    if head not in repository:
        yield "head_missing", "The head is not among the messages.", head
    elif isinstance(repository.get(head), ToolMessage):
        yield "head_is_result", "The head is a tool result.", head


def _forks(repository: Repository) -> Iterator[tuple[str, str, MessageId | None]]:
    for message in repository.messages:
        chosen = message.active_child_id
        if chosen is not None and chosen not in repository.children(message.id):
            yield "active_missing", "A fork names a branch that is not there.", message.id
        yield from _results(repository, message)
    path = repository.path() if repository.head_id in repository else []
    for message in path:
        forked = is_branch(message) and len(repository.branches(message.id)) > 1
        if forked and repository.active_child(message.parent_id) != message.id:
            yield "path_not_active", "The active path takes a branch that its fork does not name.", message.id


def _results(repository: Repository, message: Message) -> Iterator[tuple[str, str, MessageId | None]]:
    if isinstance(message, ToolMessage) and message.parent_id is not None:
        parent = repository.get(message.parent_id)
        if not isinstance(parent, AssistantMessage | ToolMessage):
            yield "result_misplaced", "A tool result hangs under somebody who calls no tools.", message.id
