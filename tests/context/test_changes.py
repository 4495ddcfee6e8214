from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.context.envelope.changes import apply_spans, find_spans

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
