"""Repairing trees: small cases as drawings, and the size that broke another program's importer."""

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.formats.folding import descend, fold, path_to
from triptych.formats.tree import check_children, claim_id, nearest_kept, order_siblings, repair_parents
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage

NAMES = st.sampled_from([*"abcdefghij", None, "lost"])
PARENTS = st.dictionaries(st.sampled_from("abcdefghij"), NAMES, max_size=10)


def codes(found):
    return [one.code for one in found]


@given(PARENTS, st.sampled_from(["root", "previous"]))
@settings(max_examples=300, deadline=None)
def test_a_repaired_tree_is_a_tree_and_what_was_good_stays(parents, dangling):
    found = []
    repaired = repair_parents(parents, found, dangling)
    assert list(repaired) == list(parents)
    for start in repaired:
        seen = set()
        place = start
        while place is not None:
            assert place not in seen
            seen.add(place)
            place = repaired[place]
    changed = [name for name in parents if repaired[name] != parents[name]]
    assert len(changed) <= len(found)
    assert repair_parents(repaired, []) == repaired


@given(PARENTS, st.sets(st.sampled_from("abcdefghij")))
@settings(max_examples=200, deadline=None)
def test_the_nearest_kept_ancestor_is_found_as_a_walk_finds_it(parents, kept):
    tree = repair_parents(parents, [])
    kept &= tree.keys()
    nearest = nearest_kept(tree, kept)
    for name in tree:
        place = tree[name]
        while place is not None and place not in kept:
            place = tree[place]
        assert nearest[name] == place


def test_a_circle_is_cut_at_its_first_record_even_when_a_tail_comes_before():
    found = []
    assert repair_parents({"t": "b", "a": "b", "b": "a"}, found) == {"t": "b", "a": None, "b": "a"}
    assert codes(found) == ["W_CYCLE"]


def test_a_message_that_is_its_own_parent_becomes_a_root():
    found = []
    assert repair_parents({"a": "a"}, found) == {"a": None}
    assert codes(found) == ["W_SELF_PARENT"]


def test_a_lost_parent_is_the_record_before_in_logs():
    found = []
    assert repair_parents({"a": None, "b": "lost"}, found, "previous") == {"a": None, "b": "a"}
    assert codes(found) == ["W_PARENT_MISSING"]


def test_the_same_record_twice_is_one_and_another_record_gets_another_name():
    taken, found = {}, []
    assert [claim_id(taken, "a", record, found) for record in (1, 1, 2, 2, 3)] == [
        "a",
        None,
        "a~2",
        None,
        "a~3",
    ]
    assert codes(found) == ["W_DUPLICATE_RECORD", "W_DUPLICATE_ID", "W_DUPLICATE_RECORD", "W_DUPLICATE_ID"]


def test_links_that_only_one_side_has_are_reported():
    found = []
    parents = {"a": None, "b": "a", "c": "a"}
    named = check_children(parents, {"a": ["b", "ghost"], "b": [], "c": []}, found)
    assert named == {"b": "a"}
    assert codes(found) == ["W_CHILD_MISSING", "W_CHILD_UNLISTED"]


def test_siblings_stand_as_their_parent_lists_them_and_all_else_stays():
    assert order_siblings(["r", "x", "m", "y"], {"r": ["y", "x"]}) == ["r", "y", "m", "x"]


def test_forty_thousand_messages_listed_deepest_first_take_no_time():
    names = [f"m{number}" for number in range(40_000)]
    parents = {name: names[number - 1] if number else None for number, name in enumerate(names)}
    deepest_first = dict(reversed(parents.items()))
    shuffled = dict(random.Random(1).sample(list(parents.items()), len(parents)))
    began = time.process_time()
    for tree in (deepest_first, shuffled):
        assert repair_parents(tree, []) == tree
        assert set(nearest_kept(tree, {"m0"}).values()) == {None, "m0"}
    assert time.process_time() - began < 5


def test_tool_messages_are_folded_into_their_call_whichever_way_they_hang():
    messages = [
        UserMessage(id="u"),
        AssistantMessage(id="a", parent_id="u"),
        ToolMessage(id="t2", parent_id="a"),
        ToolMessage(id="t1", parent_id="t2"),
        AssistantMessage(id="b", parent_id="t1"),
        ToolMessage(id="orphan"),
    ]
    folded = fold(messages)
    assert folded.children == {None: ["u", "orphan"], "u": ["a"], "a": ["b"]}
    assert folded.results == {"a": ["t2", "t1"]}
    assert descend(folded, "t2") == "b"
    assert path_to(folded, "t1") == ["u", "a"]
