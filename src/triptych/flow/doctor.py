"""Finding what a damaged topic hides, and the smallest changes that bring it back.

``diagnose`` is pure and changes nothing; ``apply`` gives repaired rows. Five kinds of damage are known:

* ``segment-split``: a later question hangs below nothing though a conversation came before it
* ``concurrent-fork``: a question and a run that was still going hang below the same message
* ``orphan-signal-turn``: words about a tool hang below an assistant, where nobody looks for them
* ``stale-branch-index``: the chosen branch does not exist
* ``lost-content``: a run of empty assistant messages whose words were never stored (cannot be repaired)

Not here: reading files and writing them (``cli``), moving messages of a stored conversation (``repository``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from triptych.flow.damage import Kinship
from triptych.flow.forest import as_id
from triptych.flow.parse import Flow, parse
from triptych.flow.reading import active_index, is_object, signal
from triptych.model.rows import Row

__all__ = ["Diagnosis", "Issue", "Reparent", "SetBranchIndex", "apply", "diagnose"]

Kind = Literal["segment-split", "concurrent-fork", "orphan-signal-turn", "stale-branch-index", "lost-content"]


class Reparent(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag="reparent", tag_field="type"):
    """Hang a message, with all below it, under another one."""

    message_id: str
    parent_id: str


class SetBranchIndex(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag="set-branch-index", tag_field="type"
):
    """Choose a branch below a message."""

    message_id: str
    index: int


class Issue(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One finding.

    Attributes:
        kind: which damage.
        message_id: where it is.
        hidden_message_ids: what nobody sees because of it, in the order of the tree.
        repairable: whether the patch mends it.
        reattached_message_ids: of a split segment: what the repair hangs back.
        lost_message_ids: of lost content: the empty messages.
    """

    kind: Kind
    message_id: str
    hidden_message_ids: list[str]
    repairable: bool
    reattached_message_ids: list[str] | None = None
    lost_message_ids: list[str] | None = None


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is wrong with a topic.

    Attributes:
        hidden_count: how many different messages the issues hide.
        issues: the findings, by kind.
        patch: the operations that mend the repairable ones, in order.
    """

    hidden_count: int
    issues: list[Issue]
    patch: list[Reparent | SetBranchIndex]


_Finding = tuple[Issue, Reparent | SetBranchIndex | None]


def diagnose(rows: Iterable[Any], groups: Iterable[Any] = (), *, flow: Flow | None = None) -> Diagnosis:
    """Judge a topic; a message counts as hidden when it is in ``elsewhere``. Side threads are left alone.

    Args:
        rows: messages in stored order; foreign and untrusted.
        groups: message groups.
        flow: the same rows, parsed already.
    """
    flow = flow or parse(rows, groups)
    kin = Kinship(flow.rows, flow.elsewhere)
    findings: list[_Finding] = []
    if kin.sorted:
        for rule in (_split_segments, _concurrent_forks, _orphan_signals, _stale_indexes, _lost_content):
            findings += rule(kin)
    issues = [issue for issue, _ in findings]
    hidden = {key for issue in issues for key in issue.hidden_message_ids}
    return Diagnosis(
        hidden_count=len(hidden), issues=issues, patch=[op for _, op in findings if op is not None]
    )


def apply(rows: Iterable[Any], patch: Iterable[Reparent | SetBranchIndex]) -> list[Any]:
    """The rows after a patch; changed ones are copies, and a moved one keeps its old parent in the metadata."""
    moves = {op.message_id: op.parent_id for op in patch if isinstance(op, Reparent)}
    choices = {op.message_id: op.index for op in patch if isinstance(op, SetBranchIndex)}
    rows = list(rows)
    names = {as_id(row.get("id")): row["id"] for row in rows if is_object(row) and "id" in row}
    moves = {key: names.get(parent, parent) for key, parent in moves.items()}
    return [_mended(row, moves, choices) for row in rows]


def _mended(row: Any, moves: Mapping[str, Any], choices: Mapping[str, int]) -> Any:
    key = as_id(row.get("id")) if is_object(row) else None
    if key is None or (key not in moves and key not in choices):
        return row
    about: dict[str, Any] = dict(row["metadata"]) if is_object(row.get("metadata")) else {}
    changed = {**row, "metadata": about}
    if key in moves:
        about["previousParentId"] = row.get("parentId")
        changed["parentId"] = moves[key]
    if key in choices:
        about["activeBranchIndex"] = choices[key]
    return changed


def _split_segments(kin: Kinship) -> list[_Finding]:
    found: list[_Finding] = []
    for root in kin.roots[1:]:
        below = kin.subtree(root)
        if kin.role(root) != "user" or not any(map(kin.has_substance, below)):
            continue
        anchor = kin.latest_anchor_before(root)
        if anchor is not None:
            issue = Issue(
                kind="segment-split",
                message_id=root,
                hidden_message_ids=[],
                repairable=True,
                reattached_message_ids=list(below),
            )
            found.append((issue, Reparent(message_id=root, parent_id=anchor)))
    return found


def _concurrent_forks(kin: Kinship) -> list[_Finding]:
    found: list[_Finding] = []
    for parent, kids in kin.forks():
        users = [key for key in kids if kin.role(key) == "user"]
        runs = [key for key in kids if kin.role(key) == "assistant"]
        for user in users:
            for run in runs:
                hidden = kin.restorable([user, run]) if kin.overlap(user, run) else []
                if hidden:
                    found.append(_concurrent(parent, user, kin.latest_anchor_in(run), hidden))
    return found


def _concurrent(parent: str, user: str, anchor: str | None, hidden: list[str]) -> _Finding:
    issue = Issue(
        kind="concurrent-fork", message_id=parent, hidden_message_ids=hidden, repairable=anchor is not None
    )
    return issue, None if anchor is None else Reparent(message_id=user, parent_id=anchor)


def _orphan_signals(kin: Kinship) -> list[_Finding]:
    found: list[_Finding] = []
    for key in kin.sorted:
        said = signal(kin.rows[key])
        above = kin.link(key)
        if said is None or not above or (above in kin.rows and kin.role(above) == "tool"):
            continue
        hidden = kin.restorable([key])
        if hidden:
            anchor = kin.tool_before(key, said.get("sourceToolCallId"))
            issue = Issue(
                kind="orphan-signal-turn",
                message_id=key,
                hidden_message_ids=hidden,
                repairable=anchor is not None,
            )
            found.append((issue, None if anchor is None else Reparent(message_id=key, parent_id=anchor)))
    return found


def _stale_indexes(kin: Kinship) -> list[_Finding]:
    found: list[_Finding] = []
    for parent, kids in kin.forks():
        index = active_index(kin.rows[parent])
        hidden = kin.restorable(kids) if index is not None and index >= len(kids) else []
        if hidden:
            issue = Issue(
                kind="stale-branch-index", message_id=parent, hidden_message_ids=hidden, repairable=True
            )
            found.append((issue, SetBranchIndex(message_id=parent, index=len(kids) - 1)))
    return found


def _lost_content(kin: Kinship) -> list[_Finding]:
    shells = kin.shells()
    found: list[_Finding] = []
    for key in shells:
        if kin.link(key) not in shells:
            chain = _empty_run(kin, key, shells)
            if len(chain) > 1:
                issue = Issue(
                    kind="lost-content",
                    message_id=key,
                    hidden_message_ids=[],
                    repairable=False,
                    lost_message_ids=chain,
                )
                found.append((issue, None))
    return found


def _empty_run(kin: Kinship, first: str, shells: Mapping[str, Row]) -> list[str]:
    chain: list[str] = []
    key: str | None = first
    while key is not None:
        chain.append(key)
        kids: Sequence[str] = kin.children.get(key, ())
        key = next((kid for kid in kids if kid in shells), None)
    return chain
