"""The rows of the active path of one conversation, kept current cheaply.

A row is the display face of a message (``views.display``) with two things that only the tree knows: the marker
of its fork (``branch``: which of how many siblings, with their ids) and the results of its tool calls. While a
reply streams, a change set costs the messages that it names; only a change of the tree walks the path.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, Message, ToolMessage
from triptych.model.parts import ReasoningPart, TextPart
from triptych.repository import Change, MessageUpdated, Repository
from triptych.server.patches import AppendText, Patch, ReplaceRow, row_patches
from triptych.views.display import to_row

__all__ = ["PathRows"]


class _Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What a row was made of, and the row."""

    message: Message
    branches: tuple[MessageId, ...]
    results: tuple[ToolMessage, ...]
    row: dict[str, Any]


class PathRows:
    """The rows of one repository's path. ``apply`` brings them up to date and says what changed."""

    def __init__(self, repository: Repository) -> None:
        self._shown: dict[MessageId, _Shown] = {}
        self._order: list[MessageId] = []
        self._settled = False
        self._walk(repository)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows in order, root to head."""
        return [self._shown[name].row for name in self._order]

    def apply(self, repository: Repository, changes: Iterable[Change] | None) -> list[Patch]:
        """Look at the repository again where the changes say so; at first, and when they are lost, everywhere."""
        named = _updated_only(changes) if self._settled and changes is not None else None
        self._settled = True
        return self._walk(repository) if named is None else self._look(repository, named)

    def elsewhere(self, repository: Repository) -> dict[str, dict[str, Any]]:
        """Every message that is in no row, with the reason and the message that owns it."""
        inside = {result.id for shown in self._shown.values() for result in shown.results}
        return {
            message.id: {"reason": _reason(message), "owner": message.parent_id}
            for message in repository.messages
            if message.id not in self._shown and message.id not in inside
        }

    def _walk(self, repository: Repository) -> list[Patch]:
        path = [message for message in repository.path() if not message.hidden]
        before, old = self._order, self._shown
        self._order = [message.id for message in path]
        self._shown = {message.id: _shown(repository, message, old.get(message.id)) for message in path}
        replaced = [
            _difference(old[name], shown)
            for name, shown in self._shown.items()
            if name in old and old[name] is not shown
        ]
        rows: dict[str, dict[str, Any]] = {name: shown.row for name, shown in self._shown.items()}
        return [*row_patches(before, self._order, rows), *replaced]

    def _look(self, repository: Repository, named: set[MessageId]) -> list[Patch]:
        patches: list[Patch] = []
        for name in named:
            before = self._shown.get(self._row_of(repository, name))
            if before is None:
                continue
            shown = _shown(repository, repository.get(before.message.id), before)
            if shown is not before:
                self._shown[shown.message.id] = shown
                patches.append(_difference(before, shown))
        return patches

    def _row_of(self, repository: Repository, name: MessageId) -> MessageId:
        """A tool result is drawn in the row of its call."""
        if name in self._shown or name not in repository:
            return name
        return repository.get(name).parent_id or name


def _updated_only(changes: Iterable[Change]) -> set[MessageId] | None:
    """The messages whose content changed; None when the tree itself, or what is shown of it, did."""
    named: set[MessageId] = set()
    for change in changes:
        if not isinstance(change, MessageUpdated):
            return None
        before, after = change.before, change.message
        if before.active_child_id != after.active_child_id or before.hidden != after.hidden:
            return None
        named.add(after.id)
    return named


def _reason(message: Message) -> str:
    if message.hidden:
        return "hidden"
    return "thread" if message.thread_id is not None else "inactiveBranch"


def _shown(repository: Repository, message: Message, known: _Shown | None) -> _Shown:
    branches = repository.branches(message.id)
    results = tuple(repository.results(message.id)) if isinstance(message, AssistantMessage) else ()
    if (
        known is not None
        and known.message is message
        and known.branches == branches
        and known.results == results
    ):
        return known
    row = to_row(message)
    if len(branches) > 1:
        place = branches.index(message.id)
        row["branch"] = {"activeBranchIndex": place, "count": len(branches), "ids": list(branches)}
    if results and "tools" in row:
        row["tools"] = [_answered(call, results) for call in row["tools"]]
    return _Shown(message=message, branches=branches, results=results, row=row)


def _answered(call: dict[str, Any], results: Sequence[ToolMessage]) -> dict[str, Any]:
    """The call with its result, as the groups of ``flow`` show it."""
    found = next((row for row in map(to_row, results) if row.get("tool_call_id") == call["id"]), None)
    if found is None:
        return call
    result = {"id": found["id"], "content": found["content"]}
    result |= {"error": found["pluginError"]} if "pluginError" in found else {}
    return call | {"result": result, "result_msg_id": found["id"]}


def _difference(before: _Shown, after: _Shown) -> Patch:
    same_place = before.branches == after.branches and before.results == after.results
    grown = _growth(before.message, after.message) if same_place else None
    if grown is None:
        return ReplaceRow(id=after.message.id, row=after.row)
    part, delta = grown
    return AppendText(message_id=after.message.id, part=part, delta=delta)


def _growth(before: Message, after: Message) -> tuple[int, str] | None:
    """The part that grew and by what text, when that is all that happened."""
    if len(before.parts) != len(after.parts):
        return None
    changed = [
        place
        for place, part in enumerate(after.parts)
        if part is not before.parts[place] and part != before.parts[place]
    ]
    if len(changed) != 1:
        return None
    old, new = before.parts[changed[0]], after.parts[changed[0]]
    if not isinstance(old, TextPart | ReasoningPart) or not isinstance(new, TextPart | ReasoningPart):
        return None
    if not new.text.startswith(old.text) or msgspec.structs.replace(new, text=old.text) != old:
        return None
    quiet = msgspec.structs.replace(after, parts=before.parts, updated_at=before.updated_at)
    return (changed[0], new.text[len(old.text) :]) if quiet == before else None
