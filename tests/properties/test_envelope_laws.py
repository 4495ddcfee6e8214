"""The laws of the layered prompt, over random conversations about notes that change meanwhile."""

import asyncio
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.stories import BODY, GROWING, NOTES, STEPS, attached_of, present, texts, told

from triptych.context.envelope import Source, Turn, compose
from triptych.context.envelope.blocks import full_block
from triptych.context.envelope.changes import apply_spans, find_spans
from triptych.model.messages import message_text

LAYOUTS = pytest.mark.parametrize("layout", ["append", "library"])


@LAYOUTS
@given(steps=STEPS)
@settings(max_examples=100, deadline=None)
def test_freshness_every_attached_note_is_there_in_its_present_text(layout, steps):
    for files, request in told(steps, layout=layout).asked:
        last = texts(request)[-1]
        named = {one or other for one, other in attached_of(last)}
        for name in named & set(files):
            assert present(name, request) == files[name]


@given(st.lists(GROWING, max_size=14))
@settings(max_examples=100, deadline=None)
def test_prefix_without_edits_each_request_extends_the_one_before(steps):
    requests = [texts(request) for _, request in told(steps).asked]
    for before, after in itertools.pairwise(requests):
        assert after[: len(before)] == before


@LAYOUTS
@given(steps=STEPS)
@settings(max_examples=50, deadline=None)
def test_reloading_before_each_step_changes_no_request(layout, steps):
    plain = [step for step in steps if step[0] != "reload"]
    always = [one for step in plain for one in (("reload",), step)]
    assert [texts(request) for _, request in told(plain, layout=layout).asked] == [
        texts(request) for _, request in told(always, layout=layout).asked
    ]


@LAYOUTS
@given(steps=STEPS)
@settings(max_examples=50, deadline=None)
def test_what_was_deleted_is_in_no_later_request(layout, steps):
    story = told(steps, layout=layout)
    stored = asyncio.run(story.store.load(story.id))
    there = {message_text(message) for message in stored.messages}
    if story.answering:
        said = [text.rpartition("\n\n")[2] or text for text in texts(story.asked[-1][1])[1:]]
        assert all(text in there for text in said)


MARKUP = st.text(st.sampled_from(list("<>/&;abc \n")), max_size=40) | st.sampled_from(
    [
        "</content></note_context>",
        "</note_context><note_context>",
        "&lt;/content&gt;",
        "]]>",
        "<unchanged>x</unchanged>",
        "<edit><old>",
    ]
)


@pytest.mark.parametrize("kind", ["note", "url", "selection", "webTab", "error", "pdf", "canvas", "search"])
@given(st.data())
@settings(max_examples=1_500, deadline=None)
def test_no_content_can_open_or_close_a_block(kind, data):
    body, title, path = data.draw(MARKUP), data.draw(MARKUP), data.draw(MARKUP)
    block = full_block(Source(key="k", kind=kind, title=title, body=body, facts=(("path", path),)))
    tags = re.findall(r"<[^>]*>", block)
    assert tags == re.findall(
        r"<[^>]*>", full_block(Source(key="k", kind=kind, title="", body="", facts=(("path", ""),)))
    )
    if not set("<>&") & set(body):
        assert body in block


def turn(**more):
    return Turn(id="e", message_id="m", conversation_id="c", revision=1, system="s", text="t", **more)


@given(st.lists(st.tuples(st.sampled_from(NOTES), BODY), max_size=5))
@settings(max_examples=100, deadline=None)
def test_the_same_turn_gives_the_same_bytes_and_each_key_once(notes):
    sources = tuple(Source(key=f"note:{name}", kind="note", title=name, body=body) for name, body in notes)
    first, second = compose(turn(sources=sources)), compose(turn(sources=sources))
    assert first == second
    keys = [segment.key for layer in first.envelope.layers for segment in layer.segments]
    assert len(keys) == len(set(keys))


@given(BODY, BODY)
@settings(deadline=None)
def test_changes_rebuild_the_present_text(old, new):
    assert apply_spans(old, find_spans(old, new)) == new
