import itertools
import json

import pytest

from triptych.cli.pipe import answer_line
from triptych.cli.pipe.turns import handle

LONG = "\n".join(f"Line {n} of the garden book tells of beds and weather." for n in range(40))
SCENARIO = {
    "name": "garden",
    "system": "You answer briefly.",
    "notes": {"beds.md": LONG, "seeds.md": "Seeds are in the tin."},
    "turns": [
        {"put": {}, "attach": ["beds.md"], "question": "Which beds?", "reply": "Three."},
        {"put": {}, "attach": ["beds.md", "seeds.md"], "question": "Which seeds?", "reply": "Peas."},
        {
            "put": {"beds.md": LONG.replace("Line 20 of", "Line 20 in")},
            "attach": ["beds.md"],
            "question": "And now?",
            "reply": "Still.",
        },
        {"put": {}, "attach": [], "question": "Thanks", "reply": "Gladly."},
    ],
}


def test_each_request_extends_the_one_before():
    out = handle(SCENARIO)
    for before, after in itertools.pairwise(out["requests"]):
        assert after[: len(before)] == before
    assert [one["firstDifference"] for one in out["forecast"]] == [None] * 4
    last = out["forecast"][-1]["totalBytes"]
    assert sum(one["totalBytes"] - one["reusedBytes"] for one in out["forecast"]) == last


def test_every_attached_note_is_there_in_full_once():
    out = handle(SCENARIO)
    text = "\n".join(message["content"] for message in out["requests"][-1])
    assert text.count(LONG) == 1
    assert text.count("Seeds are in the tin.") == 1
    assert "<new>in</new>" in text


def test_system_is_the_whole_of_the_first_layer():
    assert handle(SCENARIO)["requests"][0][0] == {"role": "system", "content": "You answer briefly."}


def test_a_small_window_breaks_the_prefix_once_an_epoch():
    turns = [{"put": {}, "attach": [], "question": "word " * 60, "reply": "word " * 60} for _ in range(24)]
    out = handle({"system": "s", "notes": {}, "turns": turns, "window": 2_000})
    breaks = [place for place, one in enumerate(out["forecast"]) if one["firstDifference"]]
    assert breaks
    assert all(later - earlier > 3 for earlier, later in itertools.pairwise(breaks))


def test_a_note_that_is_deleted_and_put_back_is_told_and_not_sent_again():
    steps = [({}, "one"), ({"beds.md": None}, "two"), ({"beds.md": LONG}, "three")]
    turns = [{"put": put, "attach": ["beds.md"], "question": words, "reply": "r"} for put, words in steps]
    out = handle(SCENARIO | {"turns": turns})
    gone, back = (request[-1]["content"] for request in out["requests"][1:])
    assert "note_context_error" in gone
    assert back == "<unchanged>beds.md</unchanged>\n\nthree"


@pytest.mark.parametrize(
    "wrong", [{"turns": None}, {"turns": [1]}, {"window": "large"}, {"window": True}, {"layout": "sideways"}]
)
def test_a_scenario_of_another_shape_is_refused_with_a_sentence(wrong):
    answer = json.loads(answer_line(handle, json.dumps(SCENARIO | wrong).encode()))
    assert answer["error"]["name"] == "UsageError"


def test_what_a_turn_leaves_out_is_empty():
    bare = {"system": None, "notes": None, "turns": [{"question": "one"}, {"attach": "a", "put": {"a": 1}}]}
    out = handle(bare)
    assert out["requests"][0] == [{"role": "user", "content": "one"}]
    assert out["requests"][1][-1]["content"].startswith("<note_context>")


def test_the_pipe_answers_one_line_for_a_line():
    line = answer_line(handle, json.dumps(SCENARIO).encode())
    assert line.endswith(b"\n")
    assert line.isascii()
    assert set(json.loads(line)) == {"requests", "forecast"}
