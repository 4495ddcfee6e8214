"""Tool chains: one assistant's steps, each with its results, until somebody else speaks.

Both stored forms are followed, in any mix: *tool-anchored* (the next step hangs below a result) and
*assistant-anchored* (results and the next step hang below the assistant).

Not here: what a chain looks like (``nodes``), and what is shown after it (``following``).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, Final, NamedTuple

from triptych.flow.branches import branch_space, choose
from triptych.flow.forest import as_id
from triptych.flow.fork import Fork
from triptych.flow.index import Forest
from triptych.flow.reading import calls, is_council, is_object, signal

__all__ = [
    "MISSING",
    "Chain",
    "Continuation",
    "Step",
    "continuation",
    "is_fan_out",
    "leads_to_tools",
    "pair",
    "results",
    "walk_chain",
]


class _Missing:
    """An absent ``agentId``, which is not the same as a null one."""


MISSING: Final = _Missing()


class Step(NamedTuple):
    """One run of the model.

    Attributes:
        id: the assistant message.
        paired: for each of its calls the result row's id, or None.
        fork: set at the end of the walk when the step is one of several alternatives.
    """

    id: str
    paired: tuple[str | None, ...]
    fork: Fork | None


class Continuation(NamedTuple):
    """What follows a step: the next one, or None; and the alternatives that are not shown."""

    next: str | None
    unchosen: Sequence[str] = ()
    being_created: bool = False


class Chain(NamedTuple):
    """Steps in order, and what their forks leave out as ``{id: (reason, owner)}``."""

    steps: list[Step]
    left_out: dict[str, tuple[str, str]]


_END: Final = Continuation(None)
_FAN_OUTS: Final = frozenset({"agentCouncil", "task"})


def results(step: Step) -> list[str]:
    """The result rows of a step, in call order."""
    return [row for row in step.paired if row is not None]


def pair(forest: Forest, assistant: str, taken: Container[str]) -> tuple[str | None, ...]:
    """The result row of each call: the one it names, else the first child with its call id; each row once."""
    payload = calls(forest.rows[assistant])
    if not payload:
        return ()
    answers = _answers(forest, assistant, taken)
    found: list[str | None] = []
    for call in payload:
        row = None
        if call.__class__ is dict or is_object(call):
            if call.get("result_msg_id"):
                row = _named(forest, call["result_msg_id"], taken, found)
            if row is None:
                row = _answering(answers, call.get("id"), found)
        found.append(row)
    return tuple(found)


def _answers(forest: Forest, assistant: str, taken: Container[str]) -> dict[Any, list[str]]:
    rows = forest.rows
    found: dict[Any, list[str]] = {}
    for key in forest.links.get(assistant) or ():
        row = rows[key]
        if row.get("role") == "tool" and key not in taken:
            call_id = row.get("tool_call_id")
            if call_id.__class__ is str or call_id.__class__ is int:
                found.setdefault(call_id, []).append(key)
    return found


def _named(forest: Forest, name: Any, taken: Container[str], used: Sequence[str | None]) -> str | None:
    key = as_id(name)
    if key is None or key not in forest.rows or key in used or key in taken:
        return None
    return key if forest.role(key) == "tool" and key not in forest.outside else None


def _answering(answers: dict[Any, list[str]], call_id: Any, used: Sequence[str | None]) -> str | None:
    if call_id.__class__ is not str and call_id.__class__ is not int:
        return None
    for row in answers.get(call_id, ()):
        if row not in used:
            return row
    return None


def is_fan_out(forest: Forest, tool_row: str) -> bool:
    """Whether a result row starts work of its own (a council, tasks), so that no step continues below it."""
    if "agentCouncil" in forest.has and is_council(forest.rows[tool_row]):
        return True
    if "task" not in forest.has:
        return False
    return any(forest.role(key) == "task" for key in forest.links.get(tool_row) or ())


def walk_chain(forest: Forest, head: str, taken: set[str]) -> Chain:
    """Follow the head's agent from step to step.

    Rows in ``taken`` are shown or left out already; those that the chain shows or leaves out join them.
    """
    steps: list[Step] = []
    left_out: dict[str, tuple[str, str]] = {}
    agent = forest.rows[head].get("agentId", MISSING)
    current: str | None = head
    while current is not None:
        taken.add(current)
        step = Step(current, pair(forest, current, taken), None)
        steps.append(step)
        taken.update(results(step))
        follow = continuation(forest, step, agent, taken)
        if follow.unchosen:
            taken.update(follow.unchosen)
            reason = "being_created" if follow.being_created else "inactive_branch"
            left_out.update((other, (reason, current)) for other in follow.unchosen)
        current = follow.next
    return Chain(steps, left_out)


def leads_to_tools(forest: Forest, head: str) -> bool:
    """Whether a toolless assistant below a user message is the opening words of a tool chain."""
    below = forest.links.get(head)
    if below is None or (len(below) == 1 and forest.role(below[0]) != "assistant"):
        return False
    above = forest.link(head)
    if above not in forest.rows or forest.role(above) != "user":
        return False
    agent = forest.rows[head].get("agentId", MISSING)
    seen = {head}
    current: str | None = head
    while current is not None:
        current = continuation(forest, Step(current, (), None), agent, seen).next
        if current is not None:
            if calls(forest.rows[current]):
                return True
            seen.add(current)
    return False


def continuation(forest: Forest, step: Step, agent: Any, seen: Container[str]) -> Continuation:
    """The next step of the same agent after ``step``, and the alternatives that lose."""
    candidates = _candidates(forest, step, agent, seen)
    if not candidates:
        return _END
    if len(candidates) == 1 and _is_alone(forest, candidates[0]):
        return Continuation(candidates[0])
    kept = candidates
    by_child = _by_direct_child(forest, step.id, candidates)
    if len(by_child) > 1:
        forest.contested = True
        branch = choose(forest, step.id, list(by_child), branch_space(forest, step.id))
        kept = by_child.get(branch or "", [])
        if not kept:
            return Continuation(None, candidates, being_created=branch is None)
    parent = forest.link(kept[0])
    space = branch_space(forest, parent)
    if len(space) == 1:
        return Continuation(kept[0], [key for key in candidates if key != kept[0]])
    siblings = [key for key in space if key in kept] or kept
    chosen = choose(forest, parent, siblings, space)
    if chosen is None or chosen not in kept:
        return Continuation(None, candidates, being_created=chosen is None)
    return Continuation(chosen, [key for key in candidates if key != chosen])


def _is_alone(forest: Forest, key: str) -> bool:
    """Whether nothing competes with a candidate: an only child."""
    parent = forest.link(key)
    return len(forest.links[parent]) == 1 and parent in forest.rows and parent not in forest.windows


def _candidates(forest: Forest, step: Step, agent: Any, seen: Container[str]) -> list[str]:
    """What the same agent said below a step or its results, oldest first."""
    rows, links, unasked = forest.rows, forest.links, "signal" in forest.has
    found: list[str] = []
    for parent in _open_ends(forest, step):
        for key in links.get(parent, ()):
            row = rows[key]
            if row.get("role") != "assistant" or row.get("agentId", MISSING) != agent:
                continue
            if key not in seen and not (unasked and signal(row) is not None):
                found.append(key)
    if len(found) > 1:
        found.sort(key=lambda key: (forest.time[key], forest.place[key]))
    return found


def _open_ends(forest: Forest, step: Step) -> list[str]:
    """The messages below which a step may go on; a fan-out is waited for elsewhere."""
    answered = results(step)
    if not forest.has.isdisjoint(_FAN_OUTS):
        single = [row for row in answered if not is_fan_out(forest, row)]
        if len(single) < len(answered):
            return single
    return [*answered, step.id]


def _by_direct_child(forest: Forest, step: str, candidates: Sequence[str]) -> dict[str, list[str]]:
    """The candidates by the child of the step that they are or hang below, in the step's child order."""
    by_child: dict[str, list[str]] = {}
    for key in candidates:
        above = forest.link(key)
        by_child.setdefault(key if above is None or above == step else above, []).append(key)
    if len(by_child) == 1:
        return by_child
    first = dict.fromkeys(child for child in forest.children(step) if child in by_child)
    return {child: by_child[child] for child in (first | dict.fromkeys(by_child))}
