import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.context.envelope.foreign_blocks import (
    content_of,
    escape_attribute,
    kept_text,
    read_blocks,
    source_of,
    tag_of,
    unescape,
)
from triptych.context.envelope.shorten import shorten, shorten_sections

PIECES = st.lists(
    st.sampled_from(
        [
            "<note_context>",
            "</note_context>",
            "<selected_text>",
            "</selected_text>",
            '<prior_context source="x">',
            "</prior_context>",
            "<path>a.md</path>",
            "<content>",
            "</content>",
            "words. ",
            "\n\n",
            "# Head\n",
            "<",
            "&amp;",
            "😀",
        ]
    ),
    max_size=24,
).map("".join)


@given(PIECES | st.text(max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_and_blocks_lie_in_it_in_order(text):
    place = 0
    for block in read_blocks(text):
        assert block.start >= place
        assert text[block.start : block.end] == block.text
        assert tag_of(block.text) == block.tag
        assert block.key
        place = block.end
    assert isinstance(source_of(text), str)
    assert content_of(text) in text


@given(PIECES)
@settings(max_examples=300, deadline=None)
def test_what_is_kept_holds_no_selection_of_its_own(text):
    kept = read_blocks(kept_text(text))
    assert "selected_text" not in {one.tag for one in kept}
    assert [one.text for one in kept] == [one.text for one in read_blocks(text) if one.tag != "selected_text"]


@given(st.text(st.sampled_from(list("&<>\"'ab;amplt")), max_size=40))
@settings(max_examples=300, deadline=None)
def test_an_escaped_text_comes_back_and_holds_no_markup(text):
    assert unescape(escape_attribute(text)) == text
    assert not set("<>\"'") & set(escape_attribute(text))


@given(st.text(max_size=80) | PIECES, st.integers(0, 60))
@settings(max_examples=400, deadline=None)
def test_a_shortened_text_begins_like_the_text_and_is_no_longer_than_asked(text, most):
    short = shorten(text, most)
    if short != text:
        assert short.endswith("...")
        assert text.startswith(short.removesuffix("...").rstrip())
        assert len(short.encode("utf-16-le", "surrogatepass")) // 2 <= most + 5


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [
        ("Teas.\ufeffCake for all", 7, "Teas. ..."),
        ("Tea.\x1cCake for all", 7, "Tea.\x1cCa..."),
        ("Tea.\x85Cake for all", 7, "Tea.\x85Ca..."),
        ("😀😀! Then more", 7, "😀😀! ..."),
        ("😀😀😀\n\nThen more", 10, "😀😀😀\n\n..."),
    ],
)
def test_units_and_white_space_are_those_of_note_programs(text, most, short):
    assert shorten(text, most) == short


def test_white_space_of_note_programs_in_blocks_and_sections():
    assert tag_of("<note_context\ufeffa>") == "note_context"
    assert tag_of("<note_context\x1ca>") is None
    assert [one.key for one in read_blocks("<note_context\x1ca><path>a</path></note_context>")] == []
    assert kept_text("\ufeff\x85 words \u00a0") == "\x85 words"
    assert shorten_sections("# One\n\ufeffa\u2028# Two\n\x85b", 10) == "# One\na\n\n# Two\n\x85b"


def test_each_section_keeps_its_heading():
    text = "# One\n" + "a " * 100 + "\n# Two\nb\n# Three\nc"
    assert (
        shorten_sections(text, 10, 2) == "# One\na a a a a ...\n\n# Two\nb\n\n[1 more sections are left out]"
    )


def test_many_blocks_that_never_end_are_read_in_linear_time():
    text = "<note_context>" * 60_000
    begun = time.process_time()
    assert read_blocks(text) == []
    assert time.process_time() - begun < 2
