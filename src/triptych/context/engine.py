"""``ContextEngine``: steps in order, over a frozen draft.

    engine = ContextEngine([drop_residue(), into_tool_calls(), order_results(), clean_up()])
    run = engine.run(draft_of(rows))
    run = engine.run(draft_of(rows + new), after=run)     # settled turns are taken over

The engine is a value too: ``add``, ``remove``, ``replace``, ``insert_before`` and ``clear`` give a new engine.
It is pure: no clock (a timer is handed in), no I/O, no memory of its own (the run before is handed in).

Not here: what steps do, and running anything asynchronous (``chat.run``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import iscoroutinefunction
from itertools import groupby
from typing import Any

import msgspec

from triptych.context.contract import Contract, Step, StepLike
from triptych.context.draft import Draft
from triptych.context.order import check_order
from triptych.context.reuse import Block, BlockMemory, run_block
from triptych.context.stats import RunStats, StepReport
from triptych.errors import PipelineError, UsageError
from triptych.model.diagnostics import Diagnostic
from triptych.model.rows import Row

__all__ = ["ContextEngine", "Run", "as_step"]

Timer = Callable[[], float]
AnyStep = Step | StepLike


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one run.

    Attributes:
        draft: the draft behind the last step that ran.
        stats: how long the steps took and what they changed.
        steps: the steps that ran, by which a later run knows whether it may take over from this one.
        memories: what the blocks of local steps made of which rows.
    """

    draft: Draft
    stats: RunStats
    steps: tuple[Step, ...] = ()
    memories: tuple[BlockMemory, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows for the model."""
        return self.draft.rows

    @property
    def aborted(self) -> str | None:
        """Why the run ended early, or None."""
        return self.draft.aborted


class ContextEngine:
    """Steps in order. Two engines of equal steps are interchangeable."""

    def __init__(self, steps: Iterable[AnyStep] = ()) -> None:
        self._steps = tuple(as_step(step) for step in steps)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in order."""
        return self._steps

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the steps, in order; they may repeat."""
        return tuple(step.name for step in self._steps)

    def add(self, *steps: AnyStep) -> ContextEngine:
        """An engine with these steps at the end."""
        return ContextEngine((*self._steps, *steps))

    def remove(self, name: str) -> ContextEngine:
        """An engine without any step of this name."""
        return ContextEngine(step for step in self._steps if step.name != name)

    def replace(self, name: str, step: AnyStep) -> ContextEngine:
        """An engine with another step in the place of each one of this name (``UsageError`` if there is none)."""
        self._place(name)
        return ContextEngine(step if one.name == name else one for one in self._steps)

    def insert_before(self, name: str, *steps: AnyStep) -> ContextEngine:
        """An engine with these steps before the first one of this name (``UsageError`` if there is none)."""
        place = self._place(name)
        return ContextEngine((*self._steps[:place], *steps, *self._steps[place:]))

    def clear(self) -> ContextEngine:
        """An engine without steps."""
        return ContextEngine()

    def clone(self) -> ContextEngine:
        """Another engine of the same steps."""
        return ContextEngine(self._steps)

    def validate(self) -> tuple[Diagnostic, ...]:
        """Every problem with the steps and their order; none means that the engine is right."""
        return check_order(self._steps)

    def run(self, draft: Draft, *, after: Run | None = None, timer: Timer | None = None) -> Run:
        """Run the steps over the draft.

        The rows of the result are the same with and without ``after``, the run before: it only spares the work
        on turns that have not changed, for neighbouring local steps that are the same ones as in that run (its
        other steps may be others: a new engine for each request can share them). ``timer`` gives seconds. A step that raises ends in ``PipelineError``.
        """
        watch = _Watch(self._steps, timer)
        memories = after.memories if after is not None and self._fits(after, draft) else ()
        draft, made, reused = _run(self._steps, draft, memories, watch)
        stats = RunStats(steps=watch.reports(), total_duration=watch.total(), reused=reused)
        return Run(draft=draft, stats=stats, steps=self._steps, memories=made)

    @staticmethod
    def _fits(run: Run, draft: Draft) -> bool:
        return run.draft.profile == draft.profile and run.draft.aborted is None

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise UsageError(f"There is no step {name!r} in this pipeline; it has: {', '.join(self.names)}.")
        return self.names.index(name)


def as_step(step: Any) -> Step:
    """A step of anything callable that carries the promises of a contract as attributes (else ``UsageError``)."""
    if isinstance(step, Step):
        return _not_async(step)
    names = Contract.__struct_fields__
    promises: dict[str, Any] = {name: getattr(step, name) for name in names if hasattr(step, name)}
    if not callable(step) or not isinstance(promises.get("name"), str):
        raise UsageError(f"{step!r} is no step: give it a contract with @step(name, ...).")
    promises.update({name: frozenset(promises[name]) for name in ("reads", "writes") if name in promises})
    run: Any = step
    return _not_async(Step(Contract(**promises), run))


def _not_async(step: Step) -> Step:
    run = step.run
    if iscoroutinefunction(run) or iscoroutinefunction(getattr(run, "__call__", None)):  # noqa: B004
        raise UsageError(
            f"Step {step.name!r} is async, and the engine waits for nothing: do the waiting before the run, and "
            "give the step what came of it."
        )
    return step


class _Watch:
    """Times steps and collects what they changed, for one run."""

    def __init__(self, steps: tuple[Step, ...], timer: Timer | None) -> None:
        self._steps = steps
        self._timer = timer or float
        self._began = self._timer()
        self._durations: dict[int, float] = {}
        self._pairs: dict[int, list[tuple[tuple[Row, ...], tuple[Row, ...]]]] = {}

    def run(self, place: int, draft: Draft) -> Draft:
        step = self._steps[place]
        began = self._timer()
        try:
            after = step.run(draft)
        except Exception as problem:
            raise PipelineError(step.name, problem) from problem
        if not isinstance(after, Draft):
            raise PipelineError(step.name, UsageError("A step has to return a Draft."))
        self._durations[place] = self._durations.get(place, 0.0) + self._timer() - began
        if after.rows is not draft.rows:
            self._pairs.setdefault(place, []).append((draft.rows, after.rows))
        if after.aborted is not None:
            self._steps = self._steps[: place + 1]
        return after

    def none_ran(self) -> int:
        self._steps = ()
        return 0

    def total(self) -> float:
        return self._timer() - self._began

    def reports(self) -> tuple[StepReport, ...]:
        return tuple(
            StepReport(
                position=place,
                name=step.name,
                duration=self._durations.get(place, 0.0),
                pairs=tuple(self._pairs.get(place, ())),
            )
            for place, step in enumerate(self._steps)
        )


def _run(
    steps: tuple[Step, ...], draft: Draft, memories: tuple[BlockMemory, ...], watch: _Watch
) -> tuple[Draft, tuple[BlockMemory, ...], int]:
    made: list[BlockMemory] = []
    reused = 0
    if draft.aborted is not None:
        return draft, (), watch.none_ran()
    for kind, group in groupby(enumerate(steps), key=_kind):
        places = list(group)
        if kind:
            block, first = _block([step for _, step in places]), places[0][0]
            draft, memory, taken = run_block(
                block,
                draft,
                _memory_of(block, memories),
                lambda place, now, first=first: watch.run(first + place, now),
            )
            made.append(memory)
            reused = max(reused, taken)
        else:
            draft = _whole(places, draft, watch)
        if draft.aborted is not None:
            break
    return draft, tuple(made), reused


def _whole(places: list[tuple[int, Step]], draft: Draft, watch: _Watch) -> Draft:
    for place, _ in places:
        if draft.aborted is not None:
            return draft
        draft = watch.run(place, draft)
    return draft


def _memory_of(block: Block, memories: tuple[BlockMemory, ...]) -> BlockMemory:
    return next((memory for memory in memories if memory.steps == block.steps), BlockMemory())


def _kind(item: tuple[int, Step]) -> int:
    """0 for a step that looks at everything; the same number for steps that run together."""
    place, step = item
    if step.scope == "whole":
        return 0
    return place + 2 if step.contract.lookback else 1


def _block(steps: list[Step]) -> Block:
    return Block(tuple(steps), steps[0].contract.lookback)
