"""Rules for an agent's tool chain: its steps, what its tools said meanwhile, and the members it asked.

Not here: what follows the chain (``following``).
"""

from __future__ import annotations

from collections.abc import Sequence

from triptych.flow.chains import results, walk_chain
from triptych.flow.entries import Entry
from triptych.flow.following import leave_tail
from triptych.flow.fork import Fork
from triptych.flow.index import branch_kids
from triptych.flow.reading import calls, is_callback, is_completion, is_council, sequence
from triptych.flow.state import AMONG, DRAIN, INTERRUPTIONS, MEMBER_REPLIES, Visit

__all__ = ["column", "go_on_below", "show_group"]


def show_group(visit: Visit, head: str, fork: Fork | None) -> None:
    """Show a chain as one row, then what follows it."""
    entry = Entry("group", head, visit.forest.time[head], fork)
    visit.entries.append(entry)
    _fold(visit, entry)
    if "signal" in visit.forest.has:
        _attach_signals(visit, entry)
    if "agentCouncil" in visit.forest.has:
        _attach_council(visit, entry)
    leave_tail(visit, entry)
    beside = [step.id for step in entry.steps[:-1] if visit.has_unseen(step.id)]
    if beside:
        visit.stack.append((INTERRUPTIONS, entry, beside))
    visit.stack.append((DRAIN, entry, beside))
    if beside:
        visit.stack.append((MEMBER_REPLIES, entry, beside))
    for member in reversed(entry.members):
        go_on_below(visit, member)


def go_on_below(visit: Visit, member: Entry) -> None:
    """Show what follows a member of a council, or the active column."""
    if member.kind == "group":
        beside = [step.id for step in member.steps[:-1] if visit.has_unseen(step.id)]
        visit.stack.append((DRAIN, member, beside))
    elif member.id in visit.forest.kids:
        visit.stack.append((AMONG, member.id, visit.forest.kids[member.id]))


def column(visit: Visit, key: str) -> Entry:
    """A member or column: a chain of its own when it uses tools, else the message."""
    uses_tools = visit.forest.role(key) == "assistant" and bool(calls(visit.forest.rows[key]))
    entry = Entry("group" if uses_tools else "message", key, visit.forest.time[key])
    visit.seen.add(key)
    if uses_tools:
        _fold(visit, entry)
        leave_tail(visit, entry)
    return entry


def _fold(visit: Visit, entry: Entry) -> None:
    chain = walk_chain(visit.forest, entry.id, visit.seen)
    entry.steps = chain.steps
    visit.closed.update((step.id, step.id) for step in chain.steps[:-1])
    visit.left_out.update(chain.left_out)


def _attach_signals(visit: Visit, entry: Entry) -> None:
    rows, links = visit.forest.rows, visit.forest.links
    callbacks: list[tuple[str, list[str]]] = []
    completions: list[str] = []
    for step in entry.steps:
        for result in results(step):
            if result in links:
                below = visit.unseen(links[result])
                if not below:
                    continue
                said = sorted(
                    (key for key in below if is_callback(rows[key])), key=lambda key: sequence(rows[key])
                )
                if said:
                    callbacks.append((result, said))
                    visit.seen.update(said)
                completions += [key for key in below if is_completion(rows[key])]
    completions.sort(key=visit.forest.time.__getitem__)
    visit.seen.update(completions)
    entry.callbacks, entry.completions = callbacks, completions


def _attach_council(visit: Visit, entry: Entry) -> None:
    rows = visit.forest.rows
    asked = next((row for step in entry.steps for row in results(step) if is_council(rows[row])), None)
    if asked is None:
        return
    above = visit.forest.parent[asked]
    members = _members(visit, above) or _members(visit, asked)
    entry.members = [column(visit, key) for key in members if key not in visit.seen]
    if members:
        anchors = [key for key in visit.forest.children(asked) if rows[key].get("role") == "tool"]
        visit.leave(anchors, "internal", asked)


def _members(visit: Visit, parent: str | None) -> Sequence[str]:
    """Those who were asked: several children that are no people's words."""
    if parent is None:
        return []
    space = [key for key in branch_kids(visit.forest, parent) if visit.forest.role(key) != "user"]
    members = visit.unseen(space)
    return members if len(members) > 1 else []
