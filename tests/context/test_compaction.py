"""Compaction: views that get smaller, keep what must stay, and open again."""

from triptych.context.compaction.drop_tool_payloads import drop_tool_payloads
from triptych.context.compaction.extractive import extract, extractive
from triptych.context.compaction.hierarchical import hierarchical
from triptych.context.compaction.model_summary import apply_summary, summary_request
from triptych.context.compaction.task import Task, group_row, is_group, open_group
from triptych.context.compaction.window_by_turns import window_by_turns
from triptych.context.draft import draft_of
from triptych.context.pipelines import chat
from triptych.context.tokens.counter import TokenCounter

COUNTER = TokenCounter(lambda text: len(text.split()))


def turn(number, words=40):
    return [
        {"id": f"u{number}", "role": "user", "content": f"Question {number}? More " + "w " * words},
        {"id": f"a{number}", "role": "assistant", "content": "w " * words + f". Answer {number}."},
    ]


def task(rows, room=250, pinned=()):
    return Task(rows=tuple(rows), room=room, counter=COUNTER, pinned=frozenset(pinned))


def turns(count):
    return [
        {"id": "s", "role": "system", "content": "rules"},
        *(row for number in range(count) for row in turn(number)),
    ]


def test_old_payloads_go_and_new_ones_stay():
    rows = []
    for number in range(3):
        call = {"id": f"k{number}", "identifier": "fs", "apiName": "read"}
        rows += [
            {"id": f"u{number}", "role": "user", "content": "ask"},
            {"id": f"a{number}", "role": "assistant", "content": "", "tools": [call]},
            {
                "id": f"t{number}",
                "role": "tool",
                "tool_call_id": f"k{number}",
                "content": "w " * 300,
                "pluginState": {},
            },
        ]
    rows[5] = {**rows[5], "metadata": {"pinned": True}}
    made = drop_tool_payloads(keep_turns=1)(task(rows))
    assert [len(row["content"]) < 200 for row in made if row["role"] == "tool"] == [True, False, False]
    assert made[2]["metadata"] == {"compacted": "drop_tool_payloads"}
    assert "pluginState" not in made[2]
    assert drop_tool_payloads(keep_turns=3)(task(rows)) == tuple(rows)
    few = task(rows[:2])
    assert drop_tool_payloads()(few) is few.rows


def test_a_window_moves_in_large_steps_so_the_prefix_stays():
    smaller = window_by_turns(step=3)
    shown = [[row["id"] for row in smaller(task(turns(count), room=480))] for count in range(5, 11)]
    edges = [ids[1] for ids in shown]
    assert edges[0] == "u0"
    assert len(set(edges[1:])) < len(edges[1:])
    assert all(ids[0] == "s" and ids[-1].startswith("a") for ids in shown)


def test_a_window_tells_what_is_left_out_and_opens():
    rows = turns(6)
    made = window_by_turns(step=2)(task(rows))
    group = next(row for row in made if is_group(row))
    assert "earlier messages" in group["content"]
    assert [row for kept in made for row in open_group(kept)] == rows


def test_extracts_are_in_the_words_of_the_conversation():
    rows = turns(6)
    made = extractive()(task(rows))
    group = next(row for row in made if is_group(row))
    assert "<asked>Question" in group["content"]
    assert "Answer" in group["content"]
    assert made[0]["id"] == "s"
    assert COUNTER.tally(made).total < COUNTER.tally(rows).total
    fits = task(turns(1))
    assert extractive()(fits) is fits.rows


def test_extracts_keep_the_newest_lines_that_fit():
    rows = tuple(row for number in range(9) for row in turn(number, 3))
    assert "Question 8" in extract(rows, COUNTER, most=20)
    assert "Question 0" not in extract(rows, COUNTER, most=20)
    assert extract(({"role": "tool", "content": "x"}, {"role": "user", "content": ""}), COUNTER, most=9) == ""


def test_a_model_is_asked_for_the_oldest_turns_and_its_words_stand_for_them():
    given = task(turns(6))
    request = summary_request(given)
    assert request is not None
    assert "Question 0" in request.rows[1]["content"]
    assert str(request.most) in request.rows[0]["content"]
    made = apply_summary(given, request, "  They spoke of five questions.  ")
    group = next(row for row in made if is_group(row))
    assert group["content"] == "They spoke of five questions."
    assert made[-1] is given.rows[-1]
    assert [row for kept in made for row in open_group(kept)] == list(given.rows)


def test_an_empty_or_longer_summary_changes_nothing():
    given = task(turns(6))
    request = summary_request(given)
    assert apply_summary(given, request, " \n") is given.rows
    assert apply_summary(given, request, "w " * 9_000) is given.rows


def test_nothing_is_asked_when_all_fits_or_nothing_may_go():
    assert summary_request(task(turns(1))) is None
    assert summary_request(task([*turns(1)[:1], *turn(1, 900)], room=20)) is None


def test_calls_are_told_to_the_model_that_sums_up():
    rows = turns(6)
    rows[2] = {
        **rows[2],
        "tools": [{"apiName": "read", "arguments": {"a": 1}}, {"function": {"name": "look"}}],
    }
    assert 'calls: read({"a":1}), look()' in summary_request(task(rows)).rows[1]["content"]


def test_many_groups_become_one_that_opens_level_by_level():
    groups = [
        group_row(tuple(turn(number)), f"Summary {number} " + "w " * 9, by="test") for number in range(5)
    ]
    rows = (*groups, *turn(9))
    made = hierarchical(lambda given: given.rows, most_groups=2)(task(rows))
    assert [is_group(row) for row in made] == [True, False, False]
    assert [row["id"] for row in open_group(made[0])] == [
        f"{kind}{number}" for number in range(5) for kind in "ua"
    ]
    few = task((*groups[:2], *turn(9)))
    assert hierarchical(lambda given: given.rows, most_groups=2)(few) is few.rows


def test_a_group_speaks_to_the_model_by_its_summary():
    group = group_row(tuple(turn(1)), "They spoke.", by="test")
    rows = chat().run(draft_of([group, *turn(2)])).rows
    assert rows[0]["role"] == "user"
    assert "They spoke." in rows[0]["content"]
    assert "compressedMessages" not in rows[0]


def test_rows_without_ids_make_a_group_all_the_same():
    assert group_row(({"role": "user"},), "S", by="test")["id"] == "compressed-history-history"
