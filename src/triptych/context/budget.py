"""The budget: what fits into a request, and the one decision about what leaves.

Nothing else cuts. ``plan`` decides by whole turns: a turn is a user message and all that answers it, turns that a
tool call ties together count as one, and these always stay: system text, summaries, pinned rows, the last user
turn, and a turn that is still open. It cuts from the oldest, and says why each turn left.

Not here: what takes the place of turns that left (``compaction``), the shares of sources (``shares``), and the
order of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

import msgspec

from triptych.context.compaction.task import Strategy, Task
from triptych.context.draft import Facts
from triptych.context.tokens.counter import Tally, TokenCounter
from triptych.context.units import KeptReason, Unit, always_kept, units_of
from triptych.errors import UsageError
from triptych.model.rows import Row

__all__ = [
    "Budget",
    "Cut",
    "Fitted",
    "Plan",
    "Reason",
    "apply_plan",
    "budget_for",
    "fit",
    "plan",
]

Reason = Literal["over_budget", "over_turns"] | KeptReason

_DEFAULT_WINDOW = 128_000
_RESERVE_SHARE = 0.25
_MOST_RESERVE = 32_000


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What a request may hold, in tokens.

    Attributes:
        window: input and output together.
        reserve: kept free for the answer.
        used: taken already by what is not in the rows: system text of layers, tools, attachments.
        shares: the most that a source of text may take, by its name; a source that is not named has no limit.
    """

    window: int
    reserve: int = 0
    used: int = 0
    shares: Mapping[str, int] = {}

    @property
    def room(self) -> int:
        """What is left for the rows; never less than zero."""
        return max(0, self.window - self.reserve - self.used)


class Cut(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One turn (or turns tied together) and why it left or stayed.

    Attributes:
        start: the place of its first row.
        end: the place behind its last row.
        rows: how many rows it has.
        tokens: what it costs.
        left: whether it left.
        reason: why.
        sentence: the same for people.
    """

    start: int
    end: int
    rows: int
    tokens: int
    left: bool
    reason: Reason
    sentence: str


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The decision.

    Attributes:
        kept: the places of the rows that stay, in order.
        cuts: why each turn left, and why one stayed that would have left; oldest first.
        tokens: what the kept rows cost.
        room: what there was room for.
        before: what all rows cost.
    """

    kept: tuple[int, ...]
    cuts: tuple[Cut, ...] = ()
    tokens: int = 0
    room: int = 0
    before: int = 0

    @property
    def fits(self) -> bool:
        """Whether the kept rows fit; what always stays may be too much on its own."""
        return self.tokens <= self.room

    @property
    def cut_rows(self) -> int:
        """How many rows left."""
        return sum(cut.rows for cut in self.cuts if cut.left)


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """A history made to fit.

    Attributes:
        rows: what is sent of it.
        plan: the last decision, over the rows that the strategies left.
        used: the names of the strategies that made it smaller, in order.
        before: what all rows cost.
    """

    rows: tuple[Row, ...]
    plan: Plan
    used: tuple[str, ...] = ()
    before: int = 0


def budget_for(
    profile: Facts | None,
    *,
    reserve: int | None = None,
    used: int = 0,
    shares: Mapping[str, int] | None = None,
) -> Budget:
    """The budget of a model: its window, and a reserve of a quarter of it (32,000 at most) unless one is given."""
    window = (profile.window if profile is not None else None) or _DEFAULT_WINDOW
    kept = min(_MOST_RESERVE, math.floor(window * _RESERVE_SHARE)) if reserve is None else reserve
    if kept >= window:
        raise UsageError(
            f"A reserve of {kept} tokens leaves nothing of a window of {window}; make it smaller."
        )
    return Budget(window=window, reserve=kept, used=used, shares=shares or {})


def plan(
    rows: Sequence[Row],
    budget: Budget,
    counter: TokenCounter,
    *,
    tally: Tally | None = None,
    most_turns: int | None = None,
    pinned: Collection[str] = (),
    open_turn: bool = False,
    down_to: float = 1.0,
) -> Plan:
    """Decide which rows stay.

    Args:
        rows: the history, oldest first.
        budget: what there is room for.
        counter: counts tokens.
        tally: counts of earlier rows, to count only what is new.
        most_turns: the most turns to keep, whatever they cost; None for no limit.
        pinned: ids of rows whose turn always stays (rows with ``metadata.pinned`` do as well).
        open_turn: whether the last turn is still being answered; then it stays whole.
        down_to: when something has to leave, the share of the room that the rest may take. A half lets the next
            requests begin where this one does, instead of losing a turn each.
    """
    counts = counter.tally(rows, after=tally).counts
    units = units_of(rows)
    keep = always_kept(rows, units, pinned=frozenset(pinned), open_turn=open_turn)
    over = sum(counts) > budget.room
    chosen = _choose(units, counts, keep, int(budget.room * down_to) if over else budget.room, most_turns)
    kept = [place for unit, (left, _) in zip(units, chosen, strict=True) for place in unit if not left]
    cuts = _explain(units, counts, chosen, budget.room)
    return Plan(
        kept=tuple(sorted(kept)),
        cuts=cuts,
        tokens=sum(counts[place] for place in kept),
        room=budget.room,
        before=sum(counts),
    )


def fit(
    rows: Sequence[Row],
    budget: Budget,
    counter: TokenCounter,
    strategies: Mapping[str, Strategy] | None = None,
    *,
    pinned: Collection[str] = (),
    open_turn: bool = False,
) -> Fitted:
    """Make a history fit: strategies in their order while it does not, and whole turns leave if that is not enough.

    A strategy is a view: the rows given stay as they are, and one that would cost more is not taken. So this
    always ends, and never gets larger.
    """
    now = tuple(rows)
    tally = counter.tally(now)
    before = tally.total
    used: list[str] = []
    for name, strategy in (strategies or {}).items():
        if tally.total <= budget.room:
            break
        smaller = strategy(Task(rows=now, room=budget.room, counter=counter, pinned=frozenset(pinned)))
        after = counter.tally(smaller, after=tally)
        if after.total < tally.total:
            now, tally = smaller, after
            used.append(name)
    decided = plan(now, budget, counter, tally=tally, pinned=pinned, open_turn=open_turn)
    return Fitted(rows=apply_plan(now, decided), plan=decided, used=tuple(used), before=before)


def apply_plan(rows: Sequence[Row], decided: Plan) -> tuple[Row, ...]:
    """The rows that stay."""
    return tuple(rows) if len(decided.kept) == len(rows) else tuple(rows[place] for place in decided.kept)


def _choose(
    units: Sequence[Unit],
    counts: Sequence[int],
    keep: Mapping[int, KeptReason],
    room: int,
    most_turns: int | None,
) -> list[tuple[bool, Reason]]:
    """For each unit whether it leaves, and why: from the newest back, until one does not fit; none before that one."""
    costs = [sum(counts[place] for place in unit) for unit in units]
    left = room - sum(costs[number] for number in keep)
    turns = sum(reason in ("kept_last", "kept_open", "kept_pin") for reason in keep.values())
    chosen: list[tuple[bool, Reason]] = [
        (False, keep.get(number, "over_budget")) for number in range(len(units))
    ]
    closed: Reason | None = None
    for number in sorted((one for one in range(len(units)) if one not in keep), reverse=True):
        if closed is None and most_turns is not None and turns >= most_turns:
            closed = "over_turns"
        if closed is None and costs[number] > left:
            closed = "over_budget"
        if closed is not None:
            chosen[number] = (True, closed)
        else:
            left -= costs[number]
            turns += 1
    return chosen


def _explain(
    units: Sequence[Unit], counts: Sequence[int], chosen: Sequence[tuple[bool, Reason]], room: int
) -> tuple[Cut, ...]:
    gone = [number for number, (left, _) in enumerate(chosen) if left]
    if not gone:
        return ()
    told: list[Cut] = []
    for number, (left, reason) in enumerate(chosen[: gone[-1] + 1]):
        if not left and reason == "over_budget":
            continue
        unit = units[number]
        cost = sum(counts[place] for place in unit)
        told.append(
            Cut(
                start=unit[0],
                end=unit[-1] + 1,
                rows=len(unit),
                tokens=cost,
                left=left,
                reason=reason,
                sentence=_SENTENCES[reason](cost, room),
            )
        )
    return tuple(told)


_SENTENCES: Mapping[Reason, Callable[[int, int], str]] = {
    "over_budget": lambda cost, room: (
        f"A turn of {cost} tokens left: newer turns take the room of {room} tokens."
    ),
    "over_turns": lambda cost, _room: f"A turn of {cost} tokens left: only the newest turns were asked for.",
    "kept_system": lambda cost, _room: f"System text of {cost} tokens always stays.",
    "kept_summary": lambda cost, _room: f"A summary of {cost} tokens always stays.",
    "kept_pin": lambda cost, _room: f"A turn of {cost} tokens stays because it is pinned.",
    "kept_open": lambda cost, _room: f"The turn of {cost} tokens that is being answered always stays.",
    "kept_last": lambda cost, _room: f"The last user turn of {cost} tokens always stays.",
}
