"""The walk in progress: what has been shown, what has been left out and why, and what is still to do.

Work to do is a stack of ``(rule, first, second)``, so that a deep conversation costs no Python stack. Rules are
named here and bound in ``walk``; a rule that needs another one pushes its name.

Not here: any rule about what is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from triptych.flow.branches import branch_space, choose
from triptych.flow.entries import Entry
from triptych.flow.fork import Fork, fork_at
from triptych.flow.index import Forest
from triptych.flow.reading import is_object

__all__ = ["AFTER_TASK", "AMONG", "BESIDE_TASK", "DRAIN", "INTERRUPTIONS", "MEMBER_REPLIES", "ONE", "Visit"]

ONE: Final = 0
"""Show one message: ``(id, fork)``."""
AMONG: Final = 1
"""Show some children of a message: ``(parent, children)``."""
DRAIN: Final = 2
"""Show what follows a group: ``(entry, middle steps with other children)``."""
MEMBER_REPLIES: Final = 3
"""Show what members of an agent group said during a chain: ``(entry, middle steps with other children)``."""
INTERRUPTIONS: Final = 4
"""Show what a person said during a chain: ``(entry, middle steps with other children)``."""
BESIDE_TASK: Final = 5
"""Show a sibling of aggregated tasks: ``(id, None)``."""
AFTER_TASK: Final = 6
"""Show a child of an aggregated task: ``(id, None)``."""


class Visit:
    """One walk in progress.

    Attributes:
        entries: what was met, in visiting order.
        seen: messages that are shown or left out.
        left_out: why a message (and all below it) is not shown: ``(reason, owner)``.
        closed: messages whose remaining children are branches that lost, with the owner of the fork.
        stack: what is still to do, the next on top.
        compare_members: the messages of each compare group, read when first asked for.
    """

    __slots__ = ("closed", "compare_members", "entries", "forest", "left_out", "seen", "stack")

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.entries: list[Entry] = []
        self.seen: set[str] = set()
        self.left_out: dict[str, tuple[str, str | None]] = {}
        self.closed: dict[str, str] = {}
        self.stack: list[tuple[int, Any, Any]] = []
        self.compare_members: dict[str, list[str]] | None = None

    def add(self, kind: str, key: str, fork: Fork | None = None) -> Entry:
        """Show one message as a row of its own."""
        entry = Entry(kind, key, self.forest.time[key], fork)
        self.entries.append(entry)
        self.seen.add(key)
        return entry

    def leave(self, keys: Iterable[str], reason: str, owner: str | None) -> None:
        """Leave messages out, unless they are shown or left out already."""
        for key in keys:
            if key not in self.seen:
                self.left_out[key] = (reason, owner)
                self.seen.add(key)

    def unseen(self, keys: Iterable[str]) -> list[str]:
        """Those of the messages that are neither shown nor left out."""
        seen = self.seen
        return [key for key in keys if key not in seen]

    def has_unseen(self, parent: str) -> bool:
        """Whether a message has children that are neither shown nor left out."""
        seen = self.seen
        return any(key not in seen for key in self.forest.kids.get(parent) or ())

    def push_all(self, rule: int, keys: Sequence[str]) -> None:
        """Put messages on the stack so that the first of them is next."""
        self.stack.extend((rule, key, None) for key in reversed(keys))

    def in_compare_group(self, group_id: Any) -> bool:
        """Whether a message group puts its messages side by side."""
        group = self.forest.groups.get(group_id) if isinstance(group_id, str) else None
        return is_object(group) and group.get("mode") == "compare"

    def window(self, parent: str, only: str) -> Fork | None:
        """The branch mark of an only child whose siblings are not loaded."""
        if parent not in self.forest.windows:
            return None
        return self.mark(only, branch_space(self.forest, parent))

    def pick(self, parent: str, candidates: Sequence[str]) -> tuple[str | None, Fork | None]:
        """The active candidate below a parent and its branch mark; the others are left out."""
        space = branch_space(self.forest, parent)
        units = self._units(candidates)
        alone = len(units) == 1 and len(units) < len(candidates)
        chosen = units[0] if alone else choose(self.forest, parent, units, space)
        company = self._company(chosen, candidates)
        lost = [key for key in candidates if key not in company]
        self.leave(lost, "being_created" if chosen is None else "inactive_branch", parent)
        return chosen, self.mark(chosen, space)

    def mark(self, chosen: str | None, space: Sequence[str]) -> Fork | None:
        """The branch mark of a child some of whose siblings are left out."""
        rows, left_out = self.forest.rows, self.left_out
        if chosen is None or not any(key in left_out or key not in rows for key in space if key != chosen):
            return None
        return fork_at(chosen, space) if chosen in space else None

    def _units(self, candidates: Sequence[str]) -> list[str]:
        """Candidates with the columns of one compare group counted once."""
        if not self.forest.groups:
            return list(candidates)
        units: dict[Any, str] = {}
        for key in candidates:
            group_id = self.forest.rows[key].get("groupId")
            units.setdefault(("group", group_id) if self.in_compare_group(group_id) else key, key)
        return list(units.values())

    def _company(self, chosen: str | None, candidates: Sequence[str]) -> set[str]:
        """The chosen candidate with the columns beside it."""
        if chosen is None:
            return set()
        rows = self.forest.rows
        group_id = rows[chosen].get("groupId")
        if not self.in_compare_group(group_id):
            return {chosen}
        return {key for key in candidates if rows[key].get("groupId") == group_id}
