"""The drawn rows of one conversation, kept current cheaply: ``flow.LiveFlow`` driven by a repository.

What flow draws is dressed with what only the repository knows: the ids behind a branch mark (so that the arrows
can name where they lead), and where the last step of a group stands. While a reply streams, a change set costs the
messages that it names; a change of the tree reads the rows again and compares.

Law: after any change sets, the patches applied to the rows before give the rows of a fresh look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from triptych.flow.edge import places_json
from triptych.flow.live import LiveFlow
from triptych.flow.patches import AppendText, InsertBlock, InsertRow, Patch, ReplaceBlock, ReplaceRow
from triptych.flow.splice import splice
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, Message
from triptych.repository import (
    Change,
    ConversationUpdated,
    EnvelopeAttached,
    MessageAdded,
    MessageUpdated,
    Repository,
)
from triptych.server.growth import growth
from triptych.views.rows import active_index, inactive, row_in

__all__ = ["FlowRows"]

_ENCODER = msgspec.json.Encoder()
Row = Mapping[str, Any]


class FlowRows:
    """The rows of one repository.

    ``apply`` brings them up to date and gives the patches, written at once: what a patch carries may change in place
    with the next one.
    """

    def __init__(self, repository: Repository) -> None:
        self._seen: dict[MessageId, tuple[Message, int | None, dict[str, Any]]] = {}
        self._settled = False
        self._read(repository)

    @property
    def rows(self) -> list[Row]:
        """What a person reads, top to bottom."""
        return self._drawn

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the shape of the conversation."""
        return self._flow.diagnostics

    def elsewhere(self, repository: Repository) -> dict[str, dict[str, Any]]:
        """Every message that is in no row, with the reason and the one under which it is found."""
        beside = {
            str(name): {"reason": "inactive_branch", "owner": owner}
            for name, owner in inactive(repository).items()
        }
        return places_json(self._flow.elsewhere) | beside

    def apply(self, repository: Repository, changes: Iterable[Change] | None) -> list[msgspec.Raw]:
        """Follow the changes; at first, and when they are lost (None), look everywhere."""
        followed = list(changes) if self._settled and changes is not None else None
        self._settled = True
        if followed is None or not all(self._is_in_place(repository, change) for change in followed):
            return self._again(repository)
        return [written for change in followed for written in self._follow(repository, change)]

    # -- everywhere -------------------------------------------------------------------------------------------

    def _again(self, repository: Repository) -> list[msgspec.Raw]:
        before = self._drawn
        self._read(repository)
        return [_written(patch) for patch in splice(before, self._drawn)]

    def _read(self, repository: Repository) -> None:
        left = inactive(repository)
        shown = [message for message in repository.messages if message.id not in left]
        old, self._seen = self._seen, {}
        for message in shown:
            self._seen[message.id] = _seen(repository, message, old.get(message.id))
        self._flow = LiveFlow(row for _, _, row in self._seen.values())
        self._drawn = [_dressed(repository, row) for row in self._flow.flat_list]

    # -- in place ---------------------------------------------------------------------------------------------

    def _is_in_place(self, repository: Repository, change: Change) -> bool:
        """Whether a change leaves every message where it is, or adds one where nothing else moves."""
        match change:
            case MessageAdded(message=message):
                above = message.parent_id
                known = message.id in self._seen
                simple = above is not None and above in self._seen and self._index_stands(repository, above)
                return message.id in repository and (known or simple)
            case MessageUpdated(before=before, message=message):
                same = before.origin == message.origin and before.metadata == message.metadata
                return same and self._index_stands(repository, message.id)
            case ConversationUpdated(before=before, conversation=after):
                tips = [tip for tip in (before.head_id, after.head_id) if tip is not None]
                stands = all(self._index_stands(repository, tip) for tip in tips)
                return before.active_root_id in (None, after.active_root_id) and stands
            case EnvelopeAttached():
                return True
            case _:
                return False

    def _index_stands(self, repository: Repository, name: MessageId) -> bool:
        """Whether the message names the same branch as when it was seen; one that is not drawn never does harm."""
        if name not in self._seen:
            return True
        return name in repository and active_index(repository, name) == self._seen[name][1]

    def _follow(self, repository: Repository, change: Change) -> list[msgspec.Raw]:
        if not isinstance(change, MessageAdded | MessageUpdated) or change.message.id not in repository:
            return []
        now = repository.get(change.message.id)
        before = self._seen.get(now.id)
        if before is None:
            return self._appended(repository, now) if isinstance(change, MessageAdded) else []
        return [] if before[0] is now else self._updated(repository, before[0], now)

    def _appended(self, repository: Repository, now: Message) -> list[msgspec.Raw]:
        seen = self._seen[now.id] = _seen(repository, now, None)
        return self._noted(repository, self._flow.append(seen[2]))

    def _updated(self, repository: Repository, before: Message, now: Message) -> list[msgspec.Raw]:
        seen = _seen(repository, now, None)
        old, self._seen[now.id] = self._seen[now.id][2], seen
        grown = growth(before, now)
        if grown is not None:
            part, delta = grown
            return self._noted(repository, self._flow.append_text(now.id, delta, part))
        if not old.keys() <= seen[2].keys():
            return self._again(repository)
        changed = {key: value for key, value in seen[2].items() if key not in old or old[key] != value}
        return self._noted(repository, self._flow.update(now.id, changed))

    def _noted(self, repository: Repository, patches: list[Patch]) -> list[msgspec.Raw]:
        """The patches as they go out, and the drawn rows after them."""
        drawn, flat = list(self._drawn), self._flow.flat_list
        written: list[msgspec.Raw] = []
        for patch in patches:
            dressed = _dressed_patch(repository, patch, flat)
            written.append(_written(dressed))
            _place(drawn, dressed, flat)
        self._drawn = drawn
        return written


def _seen(
    repository: Repository, message: Message, known: tuple[Message, int | None, dict[str, Any]] | None
) -> tuple[Message, int | None, dict[str, Any]]:
    index = active_index(repository, message.id)
    if known is not None and known[0] is message and known[1] == index:
        return known
    return message, index, row_in(repository, message)


def _written(patch: Patch) -> msgspec.Raw:
    return msgspec.Raw(_ENCODER.encode(patch))


def _dressed(repository: Repository, row: Row) -> Row:
    """A drawn row or block with the ids of its branches and the status of its last step."""
    more = _branch(repository, row) | _last_status(repository, row)
    blocks = row.get("children")
    if row.get("role") == "assistantGroup" and blocks:
        more["children"] = [block | _branch(repository, block) for block in blocks]
    return {**row, **more} if more else row


def _branch(repository: Repository, row: Row) -> dict[str, Any]:
    name = row.get("id")
    if not isinstance(name, str) or name not in repository:
        return {}
    ids = repository.branches(MessageId(name))
    if len(ids) < 2 or name not in ids:
        return {}
    return {"branch": {"activeBranchIndex": ids.index(MessageId(name)), "count": len(ids), "ids": list(ids)}}


def _last_status(repository: Repository, row: Row) -> dict[str, Any]:
    blocks = row.get("children")
    if row.get("role") != "assistantGroup" or not blocks:
        return {}
    last = blocks[-1].get("id")
    step = repository.get(last) if last in repository else None
    return {"status": msgspec.to_builtins(step.status)} if isinstance(step, AssistantMessage) else {}


def _dressed_patch(repository: Repository, patch: Patch, flat: list[Row]) -> Patch:
    match patch:
        case InsertRow() | ReplaceRow():
            return msgspec.structs.replace(patch, value=_dressed(repository, patch.value))
        case InsertBlock() | ReplaceBlock():
            fields = patch.fields | _last_status(repository, flat[patch.row])
            value = patch.value | _branch(repository, patch.value)
            return msgspec.structs.replace(patch, value=value, fields=fields)
        case _:
            return patch


def _place(drawn: list[Row], patch: Patch, flat: list[Row]) -> None:
    """Bring our own list up to date with one patch."""
    match patch:
        case InsertRow():
            drawn.insert(patch.row, patch.value)
        case ReplaceRow():
            drawn[patch.row] = patch.value
        case InsertBlock() | ReplaceBlock():
            blocks = list(drawn[patch.row]["children"])
            end = patch.block if isinstance(patch, InsertBlock) else patch.block + 1
            blocks[patch.block : end] = [patch.value]
            drawn[patch.row] = {**drawn[patch.row], "children": blocks, **patch.fields}
        case AppendText():
            drawn[patch.row] = _spoken(drawn[patch.row], flat[patch.row], patch)
        case _:
            del drawn[patch.row]


def _spoken(row: Row, flat: Row, patch: AppendText) -> Row:
    """The row whose text grew: flow's own, with what it was dressed in."""
    if patch.block is None:
        return {**flat, "branch": row["branch"]} if "branch" in row else flat
    blocks = list(row["children"])
    worn = {key: value for key, value in blocks[patch.block].items() if key == "branch"}
    blocks[patch.block] = {**flat["children"][patch.block], **worn}
    return {**row, "children": blocks}
