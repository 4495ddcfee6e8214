import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.context.envelope.changes import apply_spans, find_spans
from triptych.context.envelope.line_differences import differing_lines

LINES = st.lists(st.sampled_from(["one two three", "four five", "", "six", "one two"]), max_size=12).map(
    "\n".join
)


@given(st.one_of(LINES, st.text("ab \n", max_size=40)), st.one_of(LINES, st.text("ab \n", max_size=40)))
@settings(max_examples=500, deadline=None)
def test_the_spans_turn_the_old_text_into_the_new_one(old, new):
    spans = find_spans(old, new)
    assert apply_spans(old, spans) == new
    for span in spans:
        around = span.before + span.old + span.after
        assert old.count(around) == 1 or around == old
        assert old[span.start : span.start + len(span.old)] == span.old


def test_a_change_inside_a_long_line_is_a_short_span_of_whole_words():
    old = "Once upon a time the lamp said little and the sea said much. " * 40
    new = old[:1000] + "quite suddenly " + old[1000:]
    (span,) = find_spans(old, new)
    assert len(span.old) + len(span.new) < 60


def test_equal_texts_have_no_spans():
    assert find_spans("same", "same") == []


LONG_NOTES = {
    "lines that all repeat": (
        "- [ ] water\n" * 20_000,
        "- [ ] water\n" * 9_999 + "- [x] water\n" + "- [ ] water\n" * 10_000,
    ),
    "a blank line after each": (
        "".join(f"Day {n}.\n\n" for n in range(20_000)),
        "".join(f"Day {n}.\n\n" for n in range(5, 20_000)),
    ),
    "every second line edited": (
        "".join(f"Day {n}.\n" for n in range(20_000)),
        "".join(f"Day {n}{'!' * (n % 2)}.\n" for n in range(20_000)),
    ),
    "turned around": (
        "".join(f"Day {n}.\n" for n in range(20_000)),
        "".join(f"Day {n}.\n" for n in reversed(range(20_000))),
    ),
}


@pytest.mark.parametrize("name", LONG_NOTES)
def test_a_long_note_is_compared_in_time_that_grows_with_its_length(name):
    old, new = LONG_NOTES[name]
    started = time.process_time()
    spans = find_spans(old, new)
    assert time.process_time() - started < 5
    assert apply_spans(old, spans) == new


def test_edits_far_apart_in_a_long_note_are_spans_of_their_own():
    lines = [f"Day {n} of the log.\n\n" for n in range(3_000)]
    edited = list(lines)
    for place in (10, 1_500, 2_990):
        edited[place] = lines[place].replace("log", "old log")
    spans = find_spans("".join(lines), "".join(edited))
    assert [(span.old, span.new) for span in spans] == [("log", "old log")] * 3


@given(st.lists(st.sampled_from("abcde"), max_size=30), st.lists(st.sampled_from("abcde"), max_size=30))
def test_what_lies_between_differences_is_the_same(old, new):
    place, other = 0, 0
    for a, b, c, d in differing_lines(old, new):
        assert old[place:a] == new[other:c]
        assert old[a:b] != new[c:d]
        place, other = b, d
    assert old[place:] == new[other:]


def test_lines_moved_about_still_come_out_right():
    chance = random.Random(7)
    lines = [f"{n}\n" for n in range(400)]
    for _ in range(20):
        moved = [line for line in lines if chance.random() < 0.9]
        chance.shuffle(moved) if chance.random() < 0.3 else moved.insert(chance.randrange(300), "fresh\n")
        assert apply_spans("".join(lines), find_spans("".join(lines), "".join(moved))) == "".join(moved)
