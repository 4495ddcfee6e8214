"""The one pairing of calls and results."""

from triptych.context.pairing import Answered, call_ids, is_result, pair_rows


def call(*ids):
    return {"role": "assistant", "tools": [{"id": key} for key in ids]}


def result(key):
    return {"role": "tool", "tool_call_id": key}


def test_parallel_calls_get_their_own_results_in_any_order():
    pairing = pair_rows([call("a", "b"), result("b"), result("a")])
    assert pairing.calls == (Answered(0, 0, "a", (2,)), Answered(0, 1, "b", (1,)))
    assert pairing.orphans == ()


def test_an_id_that_is_used_again_in_a_later_step_is_answered_step_by_step():
    pairing = pair_rows([call("a"), result("a"), call("a"), result("a")])
    assert [one.results for one in pairing.calls] == [(1,), (3,)]


def test_two_open_calls_of_one_id_take_the_nearest_result_first():
    pairing = pair_rows([call("a"), call("a"), result("a"), result("a")])
    assert [one.results for one in pairing.calls] == [(3,), (2,)]


def test_a_second_result_of_an_answered_call_is_kept_as_an_extra():
    pairing = pair_rows([call("a"), result("a"), result("a")])
    assert pairing.calls[0].results == (1, 2)
    assert pairing.unanswered == ()


def test_a_result_before_its_call_still_answers_it():
    pairing = pair_rows([result("a"), call("a")])
    assert pairing.calls[0].results == (0,)
    assert pairing.orphans == ()


def test_what_fits_to_nothing_is_named():
    pairing = pair_rows([call("a", None, ""), result("b"), result(None), {"role": "tool"}])
    assert pairing.orphans == (1, 2, 3)
    assert pairing.nameless == (0, 0)
    assert [one.id for one in pairing.unanswered] == ["a"]


def test_places_are_closed_over_pairs_both_ways():
    pairing = pair_rows([call("a", "b"), result("a"), result("b"), call("c"), result("c")])
    assert pairing.closed({1}) == {0, 1, 2}
    assert pairing.closed({3}) == {3, 4}
    assert pairing.by_row()[3] == [Answered(3, 0, "c", (4,))]


def test_the_form_of_the_wire_comes_before_ours():
    row = {"role": "assistant", "tools": [{"id": "x"}], "tool_calls": [{"id": "y"}, "no call"]}
    assert call_ids(row) == ["y"]
    assert is_result(result("y"))
    assert not is_result(row)
