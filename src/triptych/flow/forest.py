"""``Forest``: the rows of one topic with the links between them; each question O(1).

Not here: reading the rows into it (``index``), effective times and loops (``lineage``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from triptych.flow.fork import Fork
from triptych.model.diagnostics import Diagnostic
from triptych.model.rows import Row

__all__ = ["Children", "Forest", "as_id", "hang"]

Children = tuple[str] | list[str]
"""An only child in a tuple, several in a list: most messages have one, and such tuples cost the collector nothing."""


class Forest:
    """The indexed rows. Built by ``plant``, read by everybody else, grown only by ``live``.

    Attributes:
        rows: id to row in stored order; a sub-agent's row already speaks as that agent.
        parent: id to effective parent id, or None for a root.
        kids: id (None: the roots) to effective children in scope, in stored order.
        links: id to rows in scope whose stored ``parentId`` it is, in stored order.
        time: id to effective time: the later of its own time and its parent's.
        order: every id, parents before children.
        outside: ids that are not in scope, with the thread they belong to.
        compressed: ids kept inside a compressed group, with that group.
        replaced: ids of the main flow in whose place the thread that was asked for goes on, with the parent.
        redirects: ids that stand for the end of a compressed stretch, with the group row that follows it.
        has: which rare things occur at all (see ``survey``), so that nobody looks in vain.
        contested: whether children of different results were weighed against each other.
        groups: message groups by id.
        windows: forks by parent whose other siblings are not loaded.
        newest: see ``branches.newest_user``; computed when first asked for.
        notes: what was wrong with the data.
    """

    __slots__ = (
        "_place", "compressed", "contested", "groups", "has", "kids", "links", "newest", "notes", "order", "outside",
        "parent", "redirects", "replaced", "rows", "time", "windows",
    )  # fmt: skip

    def __init__(self, rows: dict[str, Row]) -> None:
        self.rows = rows
        self._place: dict[str, int] | None = None
        self.parent: dict[str, str | None] = {}
        self.kids: dict[str | None, Children] = {}
        self.links: dict[str | None, Children] = self.kids
        self.time: dict[str, float] = {}
        self.order: list[str] = []
        self.outside: dict[str, str] = {}
        self.compressed: dict[str, str] = {}
        self.replaced: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.has: set[str] = set()
        self.contested = False
        self.groups: dict[str, Mapping[str, Any]] = {}
        self.windows: Mapping[str, Fork] = {}
        self.newest: dict[str, float] | None = None
        self.notes: list[Diagnostic] = []

    def note(self, code: str, message: str, where: str | None = None) -> None:
        """Remember a problem with the data."""
        self.notes.append(Diagnostic(code=code, message=message, where=where))

    @property
    def place(self) -> Mapping[str, int]:
        """Id to position in stored order; counted when first asked for, as few topics need it."""
        if self._place is None:
            self._place = {key: place for place, key in enumerate(self.rows)}
        return self._place

    def hold(self, key: str, row: Row) -> None:
        """Add a message after all others; its links and its time are the caller's affair."""
        if self._place is not None:
            self._place[key] = len(self.rows)
        self.rows[key] = row

    def children(self, parent: str | None) -> Sequence[str]:
        """The effective children in scope, in stored order."""
        return self.kids.get(parent) or ()

    def link(self, message_id: str) -> str | None:
        """The stored parent id, whether or not such a row exists."""
        return as_id(self.rows[message_id].get("parentId"))

    def role(self, message_id: str) -> Any:
        """The role of a row that exists."""
        return self.rows[message_id].get("role")


def hang(kids: dict[str | None, Children], parent: str | None, key: str) -> None:
    """Add a last child."""
    siblings = kids.get(parent)
    if siblings is None:
        kids[parent] = (key,)
    elif isinstance(siblings, list):
        siblings.append(key)
    else:
        kids[parent] = [*siblings, key]


def as_id(value: Any) -> str | None:
    """Foreign exports number their messages; a number names a message as its digits do."""
    if value.__class__ is str:
        return value
    if isinstance(value, str):
        return str(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
