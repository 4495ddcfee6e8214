"""The oldest turns leave, in large steps, so that the prefix stays the same for many turns between two steps.

How many leave is a multiple of ``step``, counted from the first turn of the history: while the rest fits, the next
request begins where this one did.

Not here: saying what was in them (``extractive``, ``model_summary``).
"""

from __future__ import annotations

from triptych.context.compaction.task import Strategy, Task, group_row, oldest_stretch, replace_stretch
from triptych.context.injectors.wrapper import leaf
from triptych.context.units import always_kept, units_of
from triptych.model.rows import Row

__all__ = ["window_by_turns"]


def window_by_turns(*, step: int = 8) -> Strategy:
    """The oldest turns leave, a multiple of ``step`` of them, behind one line that says so."""

    def smaller(task: Task) -> tuple[Row, ...]:
        needed = oldest_stretch(task, target=task.room)
        if not needed:
            return task.rows
        stretch = _in_steps(task, needed, step)
        gone = tuple(task.rows[place] for place in stretch)
        told = leaf("left_out", f"{len(gone)} earlier messages are not shown here.")
        return replace_stretch(task.rows, stretch, group_row(gone, told, by="window_by_turns"))

    return smaller


def _in_steps(task: Task, needed: tuple[int, ...], step: int) -> tuple[int, ...]:
    """The stretch, made longer to a multiple of the step, as far as turns may go."""
    units = units_of(task.rows)
    kept = always_kept(task.rows, units, pinned=task.pinned)
    free = [unit for number, unit in enumerate(units) if number not in kept]
    taken = sum(unit[0] in set(needed) for unit in free)
    whole = min(len(free), -(-taken // step) * step)
    return tuple(sorted(place for unit in free[:whole] for place in unit))
