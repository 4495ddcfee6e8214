"""Placeholders: filled in user and system text, from generators, never from values."""

import pytest

from triptych.context.draft import draft_of
from triptych.context.processors.placeholders import (
    fill,
    fill_placeholders,
    format_value,
    render_template,
    tokens_of,
)

GENERATORS = {
    "name": lambda: "Ann",
    "outer": lambda: "in {{name}}",
    "loop": lambda: "{{loop}}x",
    "none": lambda: None,
}


def boom():
    raise ValueError("boom")


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("hi {{ name }}!", "hi Ann!"),
        ("{{name}}{{name}}", "AnnAnn"),
        ("{{outer}}", "in Ann"),
        ("{{loop}}", "{{loop}}xx"),
        ("{{none}} {{missing}}", "{{none}} {{missing}}"),
        ("{{name", "{{name"),
        ("a {{ x {{name}} }}", "a {{ x {{name}} }}"),
        ("", ""),
    ],
)
def test_tokens_are_filled_and_unknown_ones_stay(text, filled):
    assert fill(text, GENERATORS) == filled


def test_a_value_is_not_read_again_in_the_same_pass():
    assert fill("{{a}} {{b}}", {"a": lambda: "{{b}}", "b": lambda: "B"}, 1) == "{{b}} B"


def test_a_generator_that_raises_leaves_the_text():
    assert fill("{{bad}} {{name}}", {**GENERATORS, "bad": boom}) == "{{bad}} {{name}}"


def test_only_user_and_system_text_is_filled():
    rows = [{"role": role, "content": "{{name}}"} for role in ("system", "user", "assistant", "tool")]
    made = fill_placeholders(GENERATORS)(draft_of(rows)).rows
    assert [row["content"] for row in made] == ["Ann", "Ann", "{{name}}", "{{name}}"]


def test_text_parts_are_filled_and_typed_parts_with_them():
    parts = [
        {"type": "text", "text": "{{name}}"},
        {"type": "image_url", "image_url": {"url": "{{name}}"}},
        {"type": "text"},
    ]
    [row] = fill_placeholders(GENERATORS)(draft_of([{"role": "user", "content": parts}])).rows
    assert row["content"] == [{"type": "text", "text": "Ann"}, *parts[1:]]
    [row] = fill_placeholders(GENERATORS)(
        draft_of([{"role": "user", "content": "{{name}}", "parts": parts}])
    ).rows
    assert row["parts"][0]["text"] == "Ann"
    untouched = draft_of([{"role": "user", "content": "x", "parts": [{"type": "text", "text": "y"}]}])
    assert fill_placeholders(GENERATORS)(untouched) is untouched


def test_nothing_to_fill_costs_nothing():
    draft = draft_of([{"role": "user", "content": "{{name}}"}])
    assert fill_placeholders({})(draft) is draft


def test_values_have_plain_forms():
    assert format_value([1, None, ["x", ""], 2.0, 1.5]) == "1, x, 2, 1.5"
    assert format_value({"k": "é"}) == '{"k":"é"}'
    assert format_value(None) == ""
    assert format_value(boom) == ""
    assert format_value(lambda: True) == "true"
    assert render_template("{{a}}|{{b}}", {"a": False, "b": {}}) == "false|{}"


def test_tokens_are_found_from_left_to_right():
    assert tokens_of("a {{ b }} {{c}}") == [("{{ b }}", "b"), ("{{c}}", "c")]


def test_every_role_means_roles_that_nobody_knows_too():
    rows = [{"role": role, "content": "{{name}}"} for role in ("developer", "", "tool")]
    every = fill_placeholders(GENERATORS, roles=None, results=True)(draft_of(rows)).rows
    assert [row["content"] for row in every] == ["Ann", "Ann", "Ann"]
    most = fill_placeholders(GENERATORS, roles=None)(draft_of(rows)).rows
    assert [row["content"] for row in most] == ["Ann", "Ann", "{{name}}"]
