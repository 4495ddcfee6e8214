"""The budget: one decision, and a sentence for every cut."""

import pytest

from triptych.context.budget import Budget, apply_plan, budget_for, fit, plan
from triptych.context.compaction.drop_tool_payloads import drop_tool_payloads
from triptych.context.shares import share_out
from triptych.context.tokens.counter import TokenCounter
from triptych.errors import UsageError

COUNTER = TokenCounter(lambda text: len(text.split()))


class Small:
    media = ()
    tools = True
    token_factor = 1.0
    window = 8_000


def turn(number, words=30):
    return [
        {"id": f"u{number}", "role": "user", "content": "ask " * words},
        {"id": f"a{number}", "role": "assistant", "content": "say " * words},
    ]


def history(*numbers):
    return [
        {"id": "s", "role": "system", "content": "rules"},
        *(row for number in numbers for row in turn(number)),
    ]


def kept_ids(rows, decided):
    return [row["id"] for row in apply_plan(rows, decided)]


def test_all_stays_when_all_fits():
    rows = history(1, 2)
    decided = plan(rows, Budget(window=10_000), COUNTER)
    assert apply_plan(rows, decided) == tuple(rows)
    assert decided.fits
    assert decided.cuts == ()


def test_the_oldest_turns_leave_first_and_every_cut_has_a_sentence():
    rows = history(1, 2, 3, 4)
    decided = plan(rows, Budget(window=200), COUNTER)
    assert kept_ids(rows, decided) == ["s", "u3", "a3", "u4", "a4"]
    assert [(cut.reason, cut.left) for cut in decided.cuts] == [
        ("kept_system", False),
        ("over_budget", True),
        ("over_budget", True),
    ]
    assert all(cut.sentence.endswith(".") and str(cut.tokens) in cut.sentence for cut in decided.cuts)
    assert decided.cut_rows == 4
    assert decided.tokens <= decided.room < decided.before


def test_a_cut_can_leave_room_for_the_turns_to_come():
    rows = history(1, 2, 3, 4)
    decided = plan(rows, Budget(window=260), COUNTER, down_to=0.5)
    assert kept_ids(rows, decided) == ["s", "u4", "a4"]
    assert plan(rows[-2:], Budget(window=260), COUNTER, down_to=0.5).cuts == ()
    longer = [*apply_plan(rows, decided), *turn(5), *turn(6)]
    assert plan(longer, Budget(window=260), COUNTER, down_to=0.5).cuts == ()


def test_no_turn_stays_behind_one_that_left():
    rows = [*turn(1, 5), *turn(2, 200), *turn(3, 5)]
    assert kept_ids(rows, plan(rows, Budget(window=100), COUNTER)) == ["u3", "a3"]


def test_the_last_user_turn_stays_even_when_it_does_not_fit():
    rows = history(1, 2)
    decided = plan(rows, Budget(window=10), COUNTER)
    assert kept_ids(rows, decided) == ["s", "u2", "a2"]
    assert not decided.fits


def test_pins_and_summaries_stay():
    rows = [
        {"id": "sum", "role": "compressedGroup", "content": "before"},
        *turn(1),
        *turn(2),
        *turn(3),
        *turn(4),
    ]
    rows[3] = {**rows[3], "metadata": {"pinned": True}}
    decided = plan(rows, Budget(window=10), COUNTER, pinned=["a1"])
    assert kept_ids(rows, decided) == ["sum", "u1", "a1", "u2", "a2", "u4", "a4"]
    assert {cut.reason for cut in decided.cuts} == {"kept_summary", "kept_pin", "over_budget"}


def test_turns_that_a_late_result_ties_together_leave_together():
    call = {
        "id": "c",
        "role": "assistant",
        "content": "",
        "tools": [{"id": "k", "identifier": "fs", "apiName": "read"}],
    }
    late = {"id": "r", "role": "tool", "tool_call_id": "k", "content": "late " * 30}
    rows = [turn(1)[0], call, *turn(2), late, *turn(3)]
    decided = plan(rows, Budget(window=200), COUNTER)
    assert kept_ids(rows, decided) == ["u3", "a3"]


def test_an_open_turn_without_a_user_message_stays():
    rows = [{"id": "a", "role": "assistant", "content": "x" * 400}]
    assert kept_ids(rows, plan(rows, Budget(window=1), COUNTER, open_turn=True)) == ["a"]
    assert apply_plan((), plan((), Budget(window=1), COUNTER)) == ()


def test_a_limit_of_turns_counts_the_ones_that_always_stay():
    rows = history(1, 2, 3)
    decided = plan(rows, Budget(window=10_000), COUNTER, most_turns=2)
    assert kept_ids(rows, decided) == ["s", "u2", "a2", "u3", "a3"]
    assert decided.cuts[-1].reason == "over_turns"


def test_the_budget_of_a_model_keeps_a_quarter_for_the_answer():
    budget = budget_for(Small(), used=1_000)
    assert (budget.reserve, budget.room) == (2_000, 5_000)
    assert budget_for(None).window == 128_000
    assert Budget(window=10, reserve=20).room == 0


def test_a_reserve_that_leaves_nothing_is_refused():
    with pytest.raises(UsageError, match="smaller"):
        budget_for(Small(), reserve=8_000)


def test_sources_share_the_room_and_small_ones_keep_all():
    budget = Budget(window=600, shares={"web": 200})
    shares = share_out({"notes": 900, "web": 500, "memory": 50}, room=budget.room, shares=budget.shares)
    given = {share.source: share.given for share in shares}
    assert given == {"notes": 350, "web": 200, "memory": 50}
    told = {share.source: share.sentence for share in shares}
    assert "its share ends there" in told["web"]
    assert "no more room" in told["notes"]
    assert told["memory"] == ""


def test_strategies_run_only_while_the_history_does_not_fit():
    rows = []
    for number in range(4):
        rows += [
            {"id": f"u{number}", "role": "user", "content": "ask"},
            {
                "id": f"c{number}",
                "role": "assistant",
                "content": "",
                "tools": [{"id": f"k{number}", "identifier": "f", "apiName": "r"}],
            },
            {"id": f"t{number}", "role": "tool", "tool_call_id": f"k{number}", "content": "word " * 300},
        ]
    strategies = {"payloads": drop_tool_payloads(keep_turns=1)}
    assert fit(rows, Budget(window=100_000), COUNTER, strategies).used == ()
    fitted = fit(rows, Budget(window=600), COUNTER, strategies)
    assert fitted.used == ("payloads",)
    assert len(fitted.rows) == len(rows)
    assert fitted.rows[-1] is rows[-1]
    assert fitted.plan.fits
    assert fitted.before > fitted.plan.tokens


def test_a_strategy_that_gets_larger_is_not_taken():
    rows = history(1, 2, 3)
    larger = {"larger": lambda task: (*task.rows, {"role": "user", "content": "more " * 99})}
    fitted = fit(rows, Budget(window=120), COUNTER, larger)
    assert fitted.used == ()
    assert kept_ids(rows, fitted.plan) == ["s", "u3", "a3"]
