"""Patterns for projects and exclusions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.vault.patterns import Candidate, decode_patterns, encode_patterns, matches_any, matches_pattern

NOTE = Candidate(
    path="Work/deep/Plan.md",
    tags=("Urgent", "area/home"),
    front_matter={"state": "Open", "people": ["Ada", "Bo"], "empty": None, "done": False, "n": 3},
)


@pytest.mark.parametrize(
    "pattern",
    [
        "#urgent",
        "#AREA/home",
        "*.md",
        "*.MD",
        "[[Plan]]",
        "[state:open]",
        "[people: bo ]",
        "[empty:]",
        "[done:false]",
        "[n:3]",
        "Work",
        "Work/",
        "Work/deep",
        "Work/deep/Plan.md",
    ],
)
def test_patterns_that_name_the_note(pattern):
    assert matches_pattern(pattern, NOTE)


@pytest.mark.parametrize(
    "pattern",
    [
        "#area",
        "#urg",
        "*.txt",
        "[[plan]]",
        "[[Work/deep/Plan]]",
        "[State:open]",
        "[state:op]",
        "[missing:]",
        "work",
        "Wor",
        "/",
        "",
        "deep",
        "W*",
        "[state]",
    ],
)
def test_patterns_that_do_not(pattern):
    assert not matches_pattern(pattern, NOTE)
    assert matches_any([pattern, "*.md"], NOTE)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=12).map(str.strip).filter(bool), max_size=6))
def test_lists_travel_as_text(patterns):
    try:
        text = encode_patterns(patterns)
    except UnicodeEncodeError:
        return
    assert sorted(decode_patterns(text)) == sorted(patterns)
