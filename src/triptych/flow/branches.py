"""Which of several siblings is shown: the one that somebody chose, else the one that looks most alive.

Not here: when siblings are alternatives at all (``walk``, ``chains``); members, tasks and columns are not.
"""

from __future__ import annotations

from collections.abc import Sequence

from triptych.flow.fork import Fork
from triptych.flow.index import Forest, branch_kids
from triptych.flow.reading import active_index
from triptych.flow.rivals import is_rival

__all__ = ["branch_space", "choose", "chosen_index", "newest_user"]

_NEVER = float("-inf")


def branch_space(forest: Forest, owner: str | None) -> list[str]:
    """The children that an active index counts: all but tool rows; in a window also those that are not loaded."""
    loaded = branch_kids(forest, owner)
    if owner is None or owner not in forest.windows:
        return loaded
    return _window_space(forest.windows[owner], loaded)


def _window_space(fork: Fork, loaded: list[str]) -> list[str]:
    """The siblings that a store left unloaded, around the one that it loaded."""
    if fork.siblings or len(loaded) != 1:
        return list(fork.siblings) or loaded
    space = [f"?{place}" for place in range(fork.count)]
    space[fork.index] = loaded[0]
    return space


def chosen_index(forest: Forest, owner: str | None, count: int) -> int | None:
    """The explicit choice at a parent: a place, ``count`` for a branch being created, or None."""
    index = None if owner is None else active_index(forest.rows[owner])
    if index is None or index > count or index != int(index):
        return None
    return int(index)


def choose(
    forest: Forest, owner: str | None, candidates: Sequence[str], space: Sequence[str] | None = None
) -> str | None:
    """The active one of ``candidates`` below ``owner``; None while a new branch is being created.

    An explicit index counts in ``space`` (default: the candidates) and may name a sibling that is no candidate,
    but means nothing where it names company, which is shown in any case, or a sibling that a window left out.
    Without one: the candidate whose subtree holds the newest user message, the earlier of equals; else the first
    that has children; else the first.
    """
    numbered = candidates if space is None else space
    index = chosen_index(forest, owner, len(numbered))
    if index == len(numbered):
        return None
    if index is not None and (numbered[index] in candidates or _can_be_chosen(forest, numbered[index])):
        return numbered[index]
    if len(candidates) == 1:
        return candidates[0]
    return _most_alive(forest, candidates)


def _can_be_chosen(forest: Forest, key: str) -> bool:
    return key in forest.rows and is_rival(forest.rows[key])


def newest_user(forest: Forest) -> dict[str, float]:
    """For each message the effective time of the newest user message in its subtree; threads do not count."""
    if forest.newest is None:
        forest.newest = _gather(forest)
    return forest.newest


def _most_alive(forest: Forest, candidates: Sequence[str]) -> str:
    newest = newest_user(forest)
    best = max(candidates, key=lambda key: newest.get(key, _NEVER))
    if newest.get(best, _NEVER) > _NEVER:
        return best
    return next((key for key in candidates if forest.children(key)), candidates[0])


def _gather(forest: Forest) -> dict[str, float]:
    newest: dict[str, float] = {}
    rows, parent, time = forest.rows, forest.parent, forest.time
    for key in reversed(forest.order):
        row = rows[key]
        if row.get("threadId"):
            newest.pop(key, None)
            continue
        best = newest.get(key, _NEVER)
        if row.get("role") == "user" and time[key] > best:
            best = newest[key] = time[key]
        above = parent[key]
        if above is not None and best > newest.get(above, _NEVER):
            newest[above] = best
    return newest
