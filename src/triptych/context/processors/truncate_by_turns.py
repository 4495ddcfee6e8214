"""History truncation by whole turns and a budget of tokens, for stand-alone pipelines.

The decision is ``budget.plan``'s; this step only carries it out. A session does not use it: there the plan is made
once, before the envelope.

Not here: what takes the place of turns that left (``compaction``).
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from triptych.context.budget import Budget, apply_plan, plan
from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.tokens.counter import TokenCounter

__all__ = ["truncate_by_turns"]


def truncate_by_turns(
    budget: Budget,
    counter: TokenCounter,
    *,
    most_turns: int | None = None,
    pinned: Collection[str] = (),
    open_turn: bool = False,
) -> Step:
    """Keep the newest turns that fit. System text, summaries, pins, the open and the last user turn always stay."""

    def run(draft: Draft) -> Draft:
        decided = plan(draft.rows, budget, counter, most_turns=most_turns, pinned=pinned, open_turn=open_turn)
        if not decided.cut_rows:
            return draft
        cuts = msgspec.to_builtins(decided.cuts)
        after = draft.with_rows(apply_plan(draft.rows, decided))
        return note(after, "truncate_by_turns", removed=len(draft.rows) - len(after.rows), cuts=cuts)

    return Step(
        Contract(
            name="truncate_by_turns",
            reads=frozenset({"residue"}),
            writes=frozenset({"history"}),
            may_drop=True,
            moves_prefix=True,
            about="keeps the newest whole turns that fit into a budget",
        ),
        run,
    )
