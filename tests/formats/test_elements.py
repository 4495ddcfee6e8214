"""The scanner against the standard library, on any JSON and in blocks of any size."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.formats import elements
from triptych.formats.elements import scan_elements
from triptych.formats.jsontext import parse_json, read_prefix

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


class Drip(io.BytesIO):
    """A stream that never gives more than a few bytes at once."""

    def __init__(self, data, size):
        super().__init__(data)
        self.portion = size

    def read(self, size=-1):
        return super().read(min(size, self.portion) if size >= 0 else size)


@pytest.mark.parametrize("skipper", [True, False])
@given(st.lists(VALUES, max_size=6), st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
@settings(max_examples=80, deadline=None)
def test_the_elements_are_those_of_the_list(skipper, values, portion, indent, held):
    listed = {"before": [1, {"items": [2]}], "items": values, "after": 3} if held else values
    data = json.dumps(listed, indent=indent).encode()
    kept = elements._skipped_end
    if not skipper:
        elements._skipped_end = lambda _window: None
    try:
        found = list(scan_elements(Drip(data, portion), frozenset({"items"})))
    finally:
        elements._skipped_end = kept
    assert [json.loads(one.data) for one in found] == values
    assert all(one.whole for one in found)


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_bytes_end(data):
    assert len(list(scan_elements(io.BytesIO(b"[" + data)))) <= len(data)


def test_msgspec_still_says_where_the_first_value_ends():
    window = elements._Window(io.BytesIO(b'{"a": [1]} , {"b": 2}]'))
    window.grow()
    assert elements._skipped_end(window) == len(b'{"a": [1]} ')


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_the_beginning_of_a_text_is_a_beginning_of_its_value(value):
    data = json.dumps([value, value]).encode()
    for cut in range(1, len(data)):
        got = read_prefix(data[:cut])
        assert isinstance(got, list)
        assert len(got) <= 2


def test_a_text_deeper_than_the_stack_is_read():
    depth = 20_000
    value, found = parse_json(b'{"a":[' * depth + b"1" + b"]}" * depth)
    assert not found
    for _ in range(depth):
        value = value["a"][0]
    assert value == 1
