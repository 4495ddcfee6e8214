"""The laws of the context engine."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.context.histories import WORDS, histories, turns, wild_rows

from triptych.context import pipelines
from triptych.context.budget import Budget, apply_plan, fit, plan
from triptych.context.compaction.drop_tool_payloads import drop_tool_payloads
from triptych.context.compaction.extractive import extractive
from triptych.context.compaction.hierarchical import hierarchical
from triptych.context.compaction.task import Task, open_group
from triptych.context.compaction.window_by_turns import window_by_turns
from triptych.context.draft import draft_of
from triptych.context.engine import ContextEngine
from triptych.context.pairing import pair_rows
from triptych.context.reference import catalogue
from triptych.context.rowwork import text_of
from triptych.context.tokens.counter import TokenCounter

STEPS = {step.name: step for step in catalogue()}
COUNTER = TokenCounter()
STRATEGIES = {
    "drop_tool_payloads": drop_tool_payloads(keep_turns=1, over=2),
    "extractive": extractive(),
    "window_by_turns": window_by_turns(step=3),
    "hierarchical": hierarchical(window_by_turns(step=2), most_groups=1),
}


def written(rows):
    return [json.dumps(row, sort_keys=True, ensure_ascii=False) for row in rows]


@pytest.mark.parametrize("name", sorted(STEPS))
@settings(max_examples=12, deadline=None)
@given(rows=st.one_of(histories(agents=("me", "you")), wild_rows()))
def test_a_step_never_changes_its_input_and_never_raises(name, rows):
    before = copy.deepcopy(rows)
    after = STEPS[name](draft_of(rows, clock=0))
    assert rows == before
    assert all(isinstance(row, dict) for row in after.rows)


@pytest.mark.parametrize("name", sorted(name for name, step in STEPS.items() if step.contract.idempotent))
@settings(max_examples=12, deadline=None)
@given(rows=st.one_of(histories(agents=("me", "you")), wild_rows()))
def test_a_step_twice_is_a_step_once_unless_it_says_otherwise(name, rows):
    once = STEPS[name](draft_of(rows, clock=0))
    assert STEPS[name](once).rows == once.rows


@pytest.mark.parametrize("name", sorted(name for name, step in STEPS.items() if not step.may_drop))
@settings(max_examples=12, deadline=None)
@given(rows=histories(agents=("me", "you")))
def test_a_step_that_may_not_drop_keeps_every_row(name, rows):
    assert len(STEPS[name](draft_of(rows, clock=0)).rows) >= len(rows)


@pytest.mark.parametrize("name", sorted(name for name, step in STEPS.items() if not step.moves_prefix))
@settings(max_examples=12, deadline=None)
@given(rows=histories(agents=("me", "you"), summaries=False), more=turns(number=99, agents=("me", "you")))
def test_a_step_that_does_not_move_the_prefix_leaves_what_was_sent(name, rows, more):
    step = STEPS[name]
    sent = step(draft_of(rows, clock=0))
    following = step(draft_of((*rows, *more), clock=1))
    stable = sent.rows[: len(sent.rows) - sent.tail]
    assert written(following.rows)[: len(stable)] == written(stable)


@settings(max_examples=40, deadline=None)
@given(rows=histories(), more=turns(number=99))
def test_the_chat_pipeline_keeps_the_prefix(rows, more):
    engine = pipelines.chat(instructions="Be brief.", todos=[{"text": "x"}], zone="UTC")
    sent = engine.run(draft_of(rows)).draft
    following = engine.run(draft_of((*rows, *more))).draft
    stable = sent.rows[: len(sent.rows) - sent.tail]
    assert written(following.rows)[: len(stable)] == written(stable)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_taking_over_settled_turns_changes_nothing_in_the_result(data):
    engine = data.draw(
        st.sampled_from(
            [
                pipelines.chat(instructions="Be brief.", todos=[{"text": "x"}]),
                pipelines.agents(members={"me": {"name": "Me"}, "you": {"name": "You"}}, current="me"),
            ]
        )
    )
    rows = data.draw(histories(agents=("me", "you"), least=2))
    run = engine.run(draft_of(rows))
    for number in range(3):
        rows = _edited(data, rows, number)
        run = engine.run(draft_of(rows), after=run)
        cold = engine.run(draft_of(rows))
        assert written(run.rows) == written(cold.rows)


def _edited(data, rows, number):
    """A new turn, more rows of the last turn, an edited row, or a cut."""
    kind = data.draw(st.sampled_from(["turn", "answer", "edit", "cut", "reaction"]))
    if kind == "turn" or not rows:
        return (*rows, *data.draw(turns(number=100 + number, agents=("me", "you"))))
    if kind == "answer":
        return (*rows, {"id": f"more{number}", "role": "assistant", "content": data.draw(WORDS)})
    place = data.draw(st.integers(0, len(rows) - 1))
    if kind == "cut":
        return rows[:place]
    if not rows or kind == "edit":
        return (
            (*rows[:place], {**rows[place], "content": data.draw(WORDS)}, *rows[place + 1 :])
            if rows
            else rows
        )
    reacted = {**rows[place], "metadata": {"reactions": [{"emoji": "👍"}]}}
    return (*rows[:place], reacted, *rows[place + 1 :])


@settings(max_examples=50, deadline=None)
@given(rows=histories(agents=("me", "you")))
def test_the_pipelines_leave_no_call_without_its_result_and_no_user_text_out(rows):
    for engine in (
        pipelines.chat(instructions="Be brief."),
        pipelines.agents(members={"me": {"name": "Me"}, "you": {"name": "You"}}, current="me"),
    ):
        made = engine.run(draft_of(rows)).rows
        pairing = pair_rows(made)
        assert pairing.orphans == ()
        assert pairing.unanswered == ()
        spoken = "\n".join(text_of(row.get("content")) for row in made if row["role"] == "user")
        assert all(row["content"] in spoken for row in rows if row["role"] == "user")


@settings(max_examples=40, deadline=None)
@given(rows=wild_rows())
def test_the_pipelines_take_any_rows(rows):
    for engine in (
        pipelines.chat(instructions="Be brief.", tools=[{"identifier": "x", "api": [{"name": "y"}]}]),
        pipelines.agents(members={"me": {"name": "Me"}, "you": {"name": "You"}}, current="me"),
        pipelines.original({"systemRole": "R", "enableHistoryCount": True, "historyCount": 3}),
    ):
        engine.run(draft_of(rows, clock=0))


@settings(max_examples=200, deadline=None)
@given(
    rows=histories(most=10),
    room=st.integers(0, 400),
    open_turn=st.booleans(),
    turns_kept=st.none() | st.integers(0, 5),
)
def test_cutting_breaks_no_pair_and_loses_no_system_text_and_no_last_user_turn(
    rows, room, open_turn, turns_kept
):
    decided = plan(rows, Budget(window=room), COUNTER, open_turn=open_turn, most_turns=turns_kept)
    kept = apply_plan(rows, decided)
    assert pair_rows(kept).orphans == ()
    assert len(pair_rows(kept).unanswered) <= len(pair_rows(rows).unanswered)
    assert [row for row in kept if row["role"] in ("system", "compressedGroup")] == [
        row for row in rows if row["role"] in ("system", "compressedGroup")
    ]
    last = max(place for place, row in enumerate(rows) if row["role"] == "user")
    assert kept[-(len(rows) - last) :] == rows[last:]
    assert decided.tokens == sum(COUNTER.row(row) for row in kept)
    assert decided.cut_rows == len(rows) - len(kept)
    spoken = [row for row in kept if row["role"] not in ("system", "compressedGroup")]
    assert spoken[0]["role"] == "user"


@settings(max_examples=50, deadline=None)
@given(rows=histories(most=10), room=st.integers(10, 300), name=st.sampled_from(sorted(STRATEGIES)))
def test_a_compaction_is_a_view_that_gets_smaller_and_ends(rows, room, name):
    before = copy.deepcopy(rows)
    now = rows
    for _ in range(4):
        smaller = STRATEGIES[name](Task(rows=now, room=room, counter=COUNTER))
        if COUNTER.tally(smaller).total >= COUNTER.tally(now).total:
            break
        now = smaller
    assert rows == before
    opened = [row for kept in now for row in open_group(kept)]
    assert {row["id"] for row in opened} == {row["id"] for row in rows}
    assert pair_rows(now).orphans == ()
    last = max(place for place, row in enumerate(rows) if row["role"] == "user")
    assert rows[last] in now
    assert all(row in now for row in rows if row["role"] == "system")


@settings(max_examples=50, deadline=None)
@given(rows=histories(most=10), room=st.integers(0, 300))
def test_fitting_never_makes_a_history_larger(rows, room):
    fitted = fit(rows, Budget(window=room), COUNTER, STRATEGIES)
    assert COUNTER.tally(fitted.rows).total <= fitted.before
    again = fit(fitted.rows, Budget(window=room), COUNTER, STRATEGIES)
    assert COUNTER.tally(again.rows).total <= COUNTER.tally(fitted.rows).total


@settings(max_examples=50, deadline=None)
@given(rows=wild_rows())
def test_pairing_names_every_result_exactly_once(rows):
    pairing = pair_rows(rows)
    found = [place for call in pairing.calls for place in call.results] + list(pairing.orphans)
    assert sorted(found) == [place for place, row in enumerate(rows) if row.get("role") == "tool"]


@settings(max_examples=40, deadline=None)
@given(rows=histories(), more=turns(number=99))
def test_counting_only_the_new_rows_is_counting_all(rows, more):
    counter = TokenCounter()
    tally = counter.tally(rows)
    assert counter.tally((*rows, *more), after=tally) == TokenCounter().tally((*rows, *more))


@settings(max_examples=30, deadline=None)
@given(rows=histories(), names=st.permutations(sorted(STEPS)[:6]))
def test_any_order_of_any_steps_is_either_right_or_named(rows, names):
    steps = [STEPS[name] for name in names]
    engine = ContextEngine(steps)
    settled = {
        mark: max(place for place, step in enumerate(steps) if mark in step.writes)
        for step in steps
        for mark in step.writes
    }
    wrong = any(settled.get(mark, -1) > place for place, step in enumerate(steps) for mark in step.reads)
    assert any(problem.code == "wrong_order" for problem in engine.validate()) == wrong
    engine.run(draft_of(rows))
