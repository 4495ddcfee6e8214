"""The laws of small windows: what leaves, leaves in one step; what stays, stays readable and fresh."""

import asyncio
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.stories import GROWING, STEPS, attached_of, present, texts, told

from triptych.model.messages import UserMessage

WINDOW = 512 + 1_100
"""Tokens: the reserve, and room for a few turns and the longest bodies."""

LONG = "an answer with quite a number of words " * 12
LAYOUTS = pytest.mark.parametrize("layout", ["append", "library"])


TINY = 512 + 150
"""Too little for three long bodies: sources are shortened."""


def small(steps, layout="append", window=WINDOW):
    return told(steps, layout=layout, window=window, answer=LONG)


@LAYOUTS
@given(steps=STEPS)
@settings(max_examples=80, deadline=None)
def test_freshness_holds_in_a_small_window(layout, steps):
    for files, request in small(steps, layout).asked:
        named = {one or other for one, other in attached_of(texts(request)[-1])}
        for name in named & set(files):
            assert present(name, request) == files[name]


@given(st.lists(GROWING, min_size=6, max_size=22))
@settings(max_examples=80, deadline=None)
def test_a_prefix_breaks_only_where_an_epoch_begins_and_its_library_stays(steps):
    story = small(steps)
    stored = asyncio.run(story.store.load(story.id))
    envelopes = {one.message_id: one for one in stored.envelopes}
    users = [one for one in stored.messages if one.id in envelopes]
    told_epochs = [envelopes[one.id] for one in users]
    requests = [texts(request) for _, request in story.asked]
    for place, (before, after) in enumerate(itertools.pairwise(requests)):
        one, other = told_epochs[place : place + 2]
        if one.epoch == other.epoch:
            assert after[: len(before)] == before
            assert one.layers[1] == other.layers[1]
        else:
            assert other.epoch == one.epoch + 1


@LAYOUTS
@given(steps=st.lists(GROWING, max_size=16))
@settings(max_examples=60, deadline=None)
def test_nothing_in_a_request_refers_to_a_body_that_is_not_there(layout, steps):
    for _, request in small(steps, layout).asked:
        whole = texts(request)
        for text in whole if layout == "append" else whole[-1:]:
            for name in re.findall(r"<unchanged>(.*?)</unchanged>", text):
                gone = f"<no_longer_attached>{name.removesuffix('.md')}</no_longer_attached>"
                assert present(name, request) is not None or gone in whole[0]


@LAYOUTS
@pytest.mark.parametrize("window", [WINDOW, TINY])
@given(steps=st.lists(GROWING, max_size=16))
@settings(max_examples=30, deadline=None)
def test_a_request_fits_its_window_and_a_reload_changes_nothing(layout, window, steps):
    plain = [step for step in steps if step[0] != "reload"]
    always = [one for step in plain for one in (("reload",), step)]
    requests = [texts(request) for _, request in small(plain, layout, window).asked]
    assert requests == [texts(request) for _, request in small(always, layout, window).asked]
    for request in requests:
        assert sum(len(text) // 4 for text in request) <= window - 512


async def rebuilt(story):
    """Every request of a conversation without branches as an inspection builds it again, after a reload."""
    chat = story.opened()
    users = [one for one in (await chat.open(story.id)).path() if isinstance(one, UserMessage)]
    found = [(await chat.inspect(story.id, user.id)).messages for user in users]
    await chat.close()
    return [[row["content"] for row in rows] for rows in found]


@LAYOUTS
@given(steps=st.lists(GROWING, max_size=14))
@settings(max_examples=40, deadline=None)
def test_every_past_request_is_built_again_as_it_was_sent(layout, steps):
    story = small(steps, layout)
    assert asyncio.run(rebuilt(story)) == [texts(request) for _, request in story.asked]
