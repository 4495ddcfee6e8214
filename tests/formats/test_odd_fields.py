"""Whatever stands where a text, a list or an object should: it is shown, or a finding says that it is not."""

import copy
import json

import msgspec
import pytest
from tests.formats.samples import SAMPLES

from triptych.formats.read import read
from triptych.formats.shapes import ANY, Tagged, odd_fields

ODD = {"novel": "a sentence of another shape"}


def parsed(data):
    try:
        return json.loads(data), False
    except ValueError:
        return [json.loads(line) for line in data.splitlines()], True


def written(value, lines):
    return ("\n".join(map(json.dumps, value)) if lines else json.dumps(value)).encode()


def shown(name, data):
    """All texts of all messages, and the codes of all findings."""
    conversations, diagnostics = read(data, name=f"{name}.x", format_name=name.partition(" ")[0])
    parts = [
        msgspec.to_builtins(part) for one in conversations for each in one.messages for part in each.parts
    ]
    found = [one.code for each in conversations for one in each.diagnostics] + [
        one.code for one in diagnostics
    ]
    return json.dumps(parts), found


def sentences(value, path=()):
    """Every text of more than one word, with its place."""
    if isinstance(value, str) and " " in value:
        yield path, value
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from sentences(inner, (*path, key))


def with_value(value, path, odd):
    changed = copy.deepcopy(value)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = odd
    return changed


def places(name):
    """The fields that are shown: without their text, it is nowhere."""
    value, lines = parsed(SAMPLES[name])
    for path, _ in sentences(value):
        mark = "nowhere else said"
        texts, _ = shown(name, written(with_value(value, path, mark), lines))
        if mark in texts:
            yield value, lines, path


@pytest.mark.parametrize("name", SAMPLES)
def test_a_shown_text_of_another_shape_is_never_passed_over(name):
    tried = 0
    for value, lines, path in places(name):
        for odd in (ODD, [ODD], [[ODD["novel"]]]):
            texts, found = shown(name, written(with_value(value, path, odd), lines))
            assert ODD["novel"] in texts or found, f"{odd} at {path} was dropped without a word"
            tried += 1
    assert tried


@pytest.mark.parametrize("name", SAMPLES)
def test_a_list_or_an_object_of_another_shape_is_never_passed_over(name):
    for value, lines, path in places(name):
        for length in range(1, len(path)):
            texts, found = shown(name, written(with_value(value, path[:length], ODD["novel"]), lines))
            assert ODD["novel"] in texts or found, f"a text at {path[:length]} was dropped without a word"


def everywhere(value, path=()):
    """Every place of a value."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from everywhere(one, (*path, key))


ANYTHING = (None, True, 0, -1.5, "", "x", [], [None], [[]], {}, {"type": {}}, [{"type": []}], {"id": ["a"]})


@pytest.mark.parametrize("name", SAMPLES)
def test_whatever_stands_anywhere_the_file_is_read(name):
    value, lines = parsed(SAMPLES[name])
    for path in everywhere(value):
        for one in ANYTHING:
            shown(name, written(with_value(value, path, one), lines))


@pytest.mark.parametrize("odd", ANYTHING)
@pytest.mark.parametrize("holder", ["langchain", "anthropic", "openai_chat"])
def test_a_block_of_any_kind_is_read(holder, odd):
    block = {"type": odd, "text": "t"}
    roles = {"type": "human"} if holder == "langchain" else {"role": "user"}
    message = {**roles, "content": [block, odd, {"type": "image", "source": odd}]}
    shown(holder, json.dumps([message]).encode())


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sound_file_has_no_odd_field(name):
    assert "odd_field" not in shown(name, SAMPLES[name])[1]


SHAPE = {"a": str, "b": [{"c": str}], "d": (str, {"e": str}), "f": [(str, ANY)], "*?": ANY}


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"a": "t", "b": [{"c": "t"}], "d": {"e": "t"}, "f": ["t", 1], "g": 1}, []),
        ({"a": None, "b": [], "d": {}, "f": None}, []),
        ({"a": 1}, ["base/a"]),
        ({"b": "t"}, ["base/b"]),
        ({"b": [{"c": "t"}, "t", {"c": ["t"]}]}, ["base/b/1", "base/b/2/c"]),
        ({"d": {"e": {"x": 1}}}, ["base/d/e"]),
        ({"d": ["t"]}, ["base/d"]),
        (["t"], ["base"]),
        (None, []),
    ],
)
def test_odd_fields_are_found_where_they_stand(value, where):
    assert sorted(one.where for one in odd_fields(value, SHAPE, "base")) == where


def test_a_tag_chooses_the_shape_and_an_unknown_one_is_not_odd():
    shape = [Tagged("kind", {"text": {"said": str}})]
    value = [{"kind": "text", "said": 1}, {"kind": "novel", "said": 1}, {"kind": ["text"]}, 7]
    assert sorted(one.where for one in odd_fields(value, shape)) == ["0/said", "3"]


def test_a_deep_tree_is_walked_without_recursion():
    node = {"text": str}
    node["replies"] = [node]
    value = {"text": ["odd"]}
    for _ in range(50_000):
        value = {"replies": [value]}
    (finding,) = odd_fields(value, node)
    assert finding.where.endswith("/text")
    assert finding.where.count("replies") == 50_000
