"""History truncation by a count of groups, as the original does it. For stand-alone pipelines only.

A group is a chain of tool steps, a council with its members, a comparison with its answers, a set of parallel
tasks, or any other single row. The last ``count`` groups stay. This is the original's rule with its weak sides:
it finds a result by *message id = call id*, rows without ids fall into one group, and it may cut a summary, the
last user turn, or start in the middle of a turn. ``keep_summaries`` takes the worst of that away.
``truncate_by_turns`` is the step to use; a session cuts by ``budget``.

Not here: anything that counts tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.rowwork import listed, mapping
from triptych.model.rows import Row

__all__ = ["last_groups", "truncate_by_count"]

Key = Any


def truncate_by_count(count: int | None, *, keep_summaries: bool = False) -> Step:
    """Keep the last ``count`` groups of rows; None keeps all."""

    def run(draft: Draft) -> Draft:
        kept = last_groups(draft.rows, count, keep_summaries=keep_summaries)
        if len(kept) == len(draft.rows):
            return draft
        after = draft.with_rows(kept)
        return note(after, "truncate_by_count", removed=len(draft.rows) - len(kept))

    return Step(
        Contract(
            name="truncate_by_count",
            reads=frozenset({"residue"}),
            writes=frozenset({"history"}),
            may_drop=True,
            moves_prefix=True,
            idempotent=False,
            about="keeps the last groups of rows, counted as the original counts them",
        ),
        run,
    )


def last_groups(rows: Sequence[Row], count: int | None, *, keep_summaries: bool = False) -> Sequence[Row]:
    """The rows of the last ``count`` groups, in their order; none for a count of zero or less."""
    if count is None:
        return rows
    kept = _places_of_last_groups(rows, count) if count > 0 else set[int]()
    if keep_summaries:
        kept |= {place for place, row in enumerate(rows) if row.get("role") == "compressedGroup"}
    return [row for place, row in enumerate(rows) if place in kept]


def _places_of_last_groups(rows: Sequence[Row], count: int) -> set[int]:
    group_of = _groups(rows)
    wanted: set[int] = set()
    for row in reversed(rows):
        wanted.add(group_of[_key(row)])
        if len(wanted) == count:
            break
    return {place for place, row in enumerate(rows) if group_of[_key(row)] in wanted}


def _groups(rows: Sequence[Row]) -> dict[Key, int]:
    """The number of the group that each id is in, in the order of their first rows."""
    by_id = {_key(row): row for row in rows}
    children: dict[Key, list[Row]] = {}
    for row in rows:
        if row.get("parentId"):
            children.setdefault(_hashable(row.get("parentId")), []).append(row)
    found: dict[Key, int] = {}
    number = 0
    for row in rows:
        if _key(row) in found:
            continue
        found[_key(row)] = number
        found.update((member, number) for member in _members(row, by_id, children))
        number += 1
    return found


def _members(row: Row, by_id: dict[Key, Row], children: dict[Key, list[Row]]) -> Iterator[Key]:
    facts = mapping(row.get("metadata"))
    if row.get("role") == "assistant" and listed(row.get("tools")):
        yield from _chain(row, by_id, children)
    elif row.get("role") == "tool" and facts.get("agentCouncil") is True:
        yield from _council(row, children)
    elif facts.get("compare") is True:
        yield _key(row)
        yield from (_key(child) for child in children.get(_key(row), []))
    else:
        yield from _parallel_tasks(row, children)


def _chain(row: Row, by_id: dict[Key, Row], children: dict[Key, list[Row]]) -> Iterator[Key]:
    """A chain of tool steps of one agent, step by step; a loop, since chains are long."""
    seen: set[Key] = set()
    waiting = [row]
    while waiting:
        now = waiting.pop()
        if _key(now) in seen:
            continue
        seen.add(_key(now))
        yield _key(now)
        for call in listed(now.get("tools")):
            result = by_id.get(_hashable(mapping(call).get("id")))
            if result is None:
                continue
            yield _key(result)
            following = None if _fans_out(result, children) else _next_step(row, result, children)
            waiting.extend([] if following is None else [following])


def _fans_out(result: Row, children: dict[Key, list[Row]]) -> bool:
    tasks = [child for child in children.get(_key(result), []) if child.get("role") == "task"]
    return mapping(result.get("metadata")).get("agentCouncil") is True or len(tasks) > 1


def _next_step(first: Row, result: Row, children: dict[Key, list[Row]]) -> Row | None:
    child = next(iter(children.get(_key(result), [])), None)
    same = (
        child is not None
        and child.get("role") == "assistant"
        and child.get("agentId") == first.get("agentId")
    )
    return child if same else None


def _council(row: Row, children: dict[Key, list[Row]]) -> Iterator[Key]:
    yield _key(row)
    for child in children.get(_key(row), []):
        yield _key(child)
        yield from (_hashable(mapping(call).get("id")) for call in listed(child.get("tools")))


def _parallel_tasks(row: Row, children: dict[Key, list[Row]]) -> Iterator[Key]:
    parent = _hashable(row.get("parentId"))
    tasks = [child for child in children.get(parent, []) if child.get("role") == "task"]
    if row.get("role") == "task" and parent and len(tasks) > 1:
        yield parent
        yield from (_key(task) for task in tasks)


def _key(row: Row) -> Key:
    return _hashable(row.get("id"))


def _hashable(value: Any) -> Key:
    return value if isinstance(value, str | int | float | None) else repr(value)
