"""What a run did: how long each step took, and what it changed, looked up only when somebody asks.

Not here: the clock (a timer is handed to the engine), and totals over many runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from triptych.model.rows import Row

__all__ = ["Changes", "RunStats", "StepReport"]

Rows = tuple[Row, ...]


class Changes(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How many rows a step added, removed and edited (the same id in another row)."""

    added: int = 0
    removed: int = 0
    edited: int = 0


class StepReport(msgspec.Struct, frozen=True, kw_only=True):
    """One step of one run.

    Attributes:
        position: its place in the pipeline, from zero.
        name: its name.
        duration: seconds, by the timer that was handed in; zero without one.
        pairs: the rows before and after, for each stretch of the history that it changed.
    """

    position: int
    name: str
    duration: float = 0.0
    pairs: tuple[tuple[Rows, Rows], ...] = ()

    @property
    def key(self) -> str:
        """Position and name, since names may repeat."""
        return f"{self.position}.{self.name}"

    def changes(self) -> Changes:
        """What it changed, counted now."""
        counts = [_changes(before, after) for before, after in self.pairs]
        return Changes(
            added=sum(one.added for one in counts),
            removed=sum(one.removed for one in counts),
            edited=sum(one.edited for one in counts),
        )

    def tokens(self, count: Callable[[Row], int]) -> tuple[int, int]:
        """Tokens of the rows that it changed, before and after, by a counter of rows."""
        gone = [_gone(before, after) for before, after in self.pairs]
        come = [_gone(after, before) for before, after in self.pairs]
        return sum(count(row) for rows in gone for row in rows), sum(
            count(row) for rows in come for row in rows
        )


class RunStats(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Attributes:
        steps: a report for each step that ran, in order.
        total_duration: seconds from the first step to the last.
        reused: rows that were taken over from the run before.
    """

    steps: tuple[StepReport, ...] = ()
    total_duration: float = 0.0
    reused: int = 0

    @property
    def processed_count(self) -> int:
        """How many steps ran; the one that ended the run counts."""
        return len(self.steps)

    @property
    def processor_durations(self) -> Mapping[str, float]:
        """Seconds of each step, by position and name."""
        return {report.key: report.duration for report in self.steps}

    def as_json(self, count: Callable[[Row], int] | None = None) -> dict[str, Any]:
        """The stats as camelCase JSON; with a counter of rows, the tokens that each step changed as well."""
        told: dict[str, Any] = {
            "processedCount": self.processed_count,
            "totalDuration": self.total_duration,
            "processorDurations": dict(self.processor_durations),
            "reused": self.reused,
            "changes": {report.key: msgspec.to_builtins(report.changes()) for report in self.steps},
        }
        if count is not None:
            pairs = {report.key: report.tokens(count) for report in self.steps}
            told["tokens"] = {
                key: {"before": before, "after": after} for key, (before, after) in pairs.items()
            }
        return told


def _gone(before: Iterable[Row], after: Iterable[Row]) -> list[Row]:
    kept = {id(row) for row in after}
    return [row for row in before if id(row) not in kept]


def _changes(before: Rows, after: Rows) -> Changes:
    gone, come = _gone(before, after), _gone(after, before)
    edited = len(_ids(gone) & _ids(come))
    return Changes(added=len(come) - edited, removed=len(gone) - edited, edited=edited)


def _ids(rows: Iterable[Row]) -> set[str]:
    return {row["id"] for row in rows if isinstance(row.get("id"), str)}
