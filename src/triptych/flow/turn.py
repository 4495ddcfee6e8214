"""``Turn``: the open tool chain at the end of a live conversation, whose totals grow without being summed again.

Not here: when a chain may grow (``live``), and how a whole chain is drawn (``to_list``).
"""

from __future__ import annotations

from typing import Any

from triptych.flow.chains import Step
from triptych.flow.entries import Entry
from triptych.flow.index import Forest
from triptych.flow.reading import metadata
from triptych.flow.to_list import draw_block, group_metadata
from triptych.flow.usage import Totals, other_metadata

__all__ = ["Turn"]

_PER_BLOCK = "finishType"


class Turn:
    """A group row that is drawn already, with the sums over all its blocks but the last.

    Attributes:
        entry: what the row shows.
        row: the drawn row, changed in place.
        first_changed: whether the last change put other metadata on the first block, which carries that of all.
    """

    def __init__(self, forest: Forest, entry: Entry, row: dict[str, Any]) -> None:
        self.entry = entry
        self.row = row
        self._head = forest.rows[entry.id]
        self._totals = Totals()
        self._merged: dict[str, Any] = {}
        self._about: dict[str, Any] = {}
        self.first_changed = False
        self._steps: list[Step] = list(entry.steps)
        entry.steps = self._steps
        for block in row["children"][:-1]:
            self._totals.add(block)
        for step in entry.steps[:-1]:
            self._merge(_said(forest, step))

    def add(self, forest: Forest, step: Step) -> tuple[dict[str, Any], dict[str, Any]]:
        """Draw one more step; returns its block and the fields of the row that changed."""
        blocks: list[dict[str, Any]] = self.row["children"]
        self._totals.add(blocks[-1])
        self._merge(_said(forest, self._steps[-1]))
        self._steps.append(step)
        blocks.append(_bare(draw_block(forest, step)))
        return blocks[-1], self._refresh(forest)

    def redraw(self, forest: Forest, step: Step) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Draw the last step anew; returns its block and the changed fields, or None when a field must go."""
        blocks: list[dict[str, Any]] = self.row["children"]
        before = set(self.row)
        self._steps[-1] = step
        blocks[-1] = _bare(draw_block(forest, step))
        changed = self._refresh(forest)
        sums = self._totals.with_block(blocks[-1])
        gone = {"usage", "performance"}.intersection(before).difference(sums)
        return None if gone or ("metadata" in before and not self._about) else (blocks[-1], changed)

    def _merge(self, said: dict[str, Any]) -> None:
        self._merged.update((key, value) for key, value in said.items() if key != _PER_BLOCK)

    def _refresh(self, forest: Forest) -> dict[str, Any]:
        """Bring totals and metadata of row and first block up to date."""
        blocks: list[dict[str, Any]] = self.row["children"]
        fields = self._totals.with_block(blocks[-1])
        said = _said(forest, self._steps[-1])
        merged = {**self._merged, **{key: value for key, value in said.items() if key != _PER_BLOCK}}
        own = _said(forest, self._steps[0])
        _set(blocks[-1], {key: value for key, value in said.items() if key == _PER_BLOCK})
        before = blocks[0].get("metadata")
        _set(blocks[0], {**({_PER_BLOCK: own[_PER_BLOCK]} if _PER_BLOCK in own else {}), **merged})
        self.first_changed = len(blocks) > 1 and blocks[0].get("metadata") != before
        self._about = fields["metadata"] = group_metadata(self._head, merged)
        fields.update(self._names(forest))
        changed = {key: value for key, value in fields.items() if value and self.row.get(key) != value}
        self.row.update(changed)
        return changed

    def _names(self, forest: Forest) -> dict[str, Any]:
        """Model and provider of the last step, for a head that names none."""
        last = forest.rows[self._steps[-1].id]
        return {key: last.get(key) for key in ("model", "provider") if not self._head.get(key)}


def _said(forest: Forest, step: Step) -> dict[str, Any]:
    about = metadata(forest.rows[step.id])
    return other_metadata(about) if about else {}


def _bare(block: dict[str, Any]) -> dict[str, Any]:
    block.pop("metadata", None)
    return block


def _set(block: dict[str, Any], about: dict[str, Any]) -> None:
    if about:
        block["metadata"] = about
    else:
        block.pop("metadata", None)
