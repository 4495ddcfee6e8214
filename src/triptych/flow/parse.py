"""``parse``: rows in, both views out. The flat list is drawn at once, the tree and the map when asked for.

Not here: keeping a parsed conversation up to date while it grows (``live``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from triptych.flow.entries import Place
from triptych.flow.fork import Fork
from triptych.flow.index import ANY_THREAD, Forest, plant
from triptych.flow.reading import calls, metadata, truthy
from triptych.flow.to_list import draw_all
from triptych.flow.to_tree import Node, grow_tree
from triptych.flow.usage import measures
from triptych.flow.walk import Walk, walk_forest
from triptych.model.diagnostics import Diagnostic
from triptych.model.rows import Row

__all__ = ["Flow", "parse"]


class Flow:
    """One topic, read. Rows in it may be the input's own objects: do not change them.

    Attributes:
        walk: which messages are shown, in which order, and why the others are not.
        flat_list: what a person reads, top to bottom.
    """

    def __init__(self, forest: Forest, walk: Walk, flat_list: list[Row]) -> None:
        self._forest = forest
        self.walk = walk
        self.flat_list = flat_list

    @property
    def elsewhere(self) -> dict[str, Place]:
        """Every message that no row shows. Rows and ``elsewhere`` together hold each message exactly once."""
        return self.walk.elsewhere

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the data."""
        return self.walk.diagnostics

    @cached_property
    def context_tree(self) -> list[Node]:
        """Every branch of the main flow as nested nodes. Side threads are not in it."""
        forest = self._forest
        if "threadId" in forest.has and any(
            key not in forest.outside for key, row in forest.rows.items() if truthy(row.get("threadId"))
        ):
            forest = plant(forest.rows.values(), forest.groups.values(), thread=None)
        return grow_tree(forest)

    @cached_property
    def message_map(self) -> dict[str, Row]:
        """Every message by id; of a tool-using assistant's metadata only tokens and timings."""
        rows = self._forest.rows
        return {key: _mapped(row) if "metadata" in row else row for key, row in rows.items()}

    @property
    def rows(self) -> Mapping[str, Row]:
        """The messages by id in stored order; a sub-agent's already speaks under its own name."""
        return self._forest.rows


def parse(
    rows: Iterable[Any],
    groups: Iterable[Any] = (),
    *,
    thread: str | None = ANY_THREAD,
    forks: Mapping[str, Fork] | None = None,
) -> Flow:
    """Read the rows of one topic. Nothing raises, nothing is changed, nothing is lost; linear, without recursion.

    Args:
        rows: messages in stored order; foreign and untrusted.
        groups: message groups; only those of mode ``compare`` have an effect.
        thread: a thread id: the main flow with that thread in place of what it leaves; None: the main flow only;
            left out: the main flow, or everything when every row is in some thread.
        forks: by parent id, the forks of a *window*: rows from some user message on, of whose forks only the
            active sibling is loaded. The rows are then the same as those of the whole topic.
    """
    forest = plant(rows, groups, thread=thread, forks=forks)
    walk = walk_forest(forest)
    return Flow(forest, walk, draw_all(forest, walk.entries))


def _mapped(row: Row) -> Row:
    if row.get("role") != "assistant" or not truthy(row["metadata"]):
        return row
    about = metadata(row)
    if truthy(about.get("isSupervisor")):
        return {**row, "role": "supervisor"}
    if not calls(row):
        return row
    kept = measures(about)
    if not kept:
        return {key: row[key] for key in row if key != "metadata"}
    return row if kept == about else {**row, "metadata": kept}
