"""The laws of the layered prompt, over random conversations about notes that change meanwhile."""

import asyncio
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.chat.session import Chat
from triptych.context.envelope import Source, Turn, compose
from triptych.context.envelope.blocks import full_block
from triptych.context.envelope.changes import apply_spans, find_spans
from triptych.context.tokens.counter import TokenCounter
from triptych.model.messages import message_text
from triptych.model.references import NoteReference
from triptych.stores.memory import MemoryStore
from triptych.testing.clock import StepClock
from triptych.testing.notes import MemoryVault
from triptych.testing.scripted import ScriptedProvider

NOTES = ("a.md", "b.md", "c.md")
BODY = st.lists(
    st.sampled_from(["alpha beta", "gamma", "delta epsilon zeta", "", "eta"]), min_size=1, max_size=30
).map("\n".join)
STEP = st.one_of(
    st.tuples(st.just("ask"), st.sets(st.sampled_from(NOTES))),
    st.tuples(st.just("put"), st.sampled_from(NOTES), BODY),
    st.tuples(st.just("again"), st.integers(0, 9)),
    st.tuples(st.just("edit"), st.integers(0, 9)),
    st.tuples(st.just("switch"), st.integers(0, 9)),
    st.tuples(st.just("remove"), st.integers(0, 9)),
    st.tuples(st.just("reload")),
)
GROWING = st.one_of(
    st.tuples(st.just("ask"), st.sets(st.sampled_from(NOTES))),
    st.tuples(st.just("put"), st.sampled_from(NOTES), BODY),
    st.tuples(st.just("reload")),
)
STEPS = st.lists(STEP, max_size=14)


class Story:
    """Drives a real session and remembers, for each request, the notes as they were."""

    def __init__(self):
        self.provider = ScriptedProvider(default="an answer")
        self.vault = MemoryVault({name: f"{name} says nothing yet" for name in NOTES})
        self.store, self.clock = MemoryStore(), StepClock()
        self.asked = []
        self.chat = self.opened()

    def opened(self):
        return Chat(
            store=self.store,
            clock=self.clock,
            open_provider=lambda name: (self.provider, name),
            model="m",
            vault=self.vault,
            counter=TokenCounter(lambda text: len(text) // 4 + 1),
            system="Be brief.",
        )

    async def run(self, steps):
        self.id = (await self.chat.create()).id
        for step in steps:
            await self.step(*step)
            await self.chat.finished(self.id)
        await self.chat.close()

    async def step(self, kind, *facts):
        repository = await self.chat.open(self.id)
        path = repository.path()
        users = [message for message in path if message.__struct_config__.tag == "user"]
        before = len(self.provider.requests)
        match kind:
            case "ask":
                await self.chat.send(
                    self.id, f"question {before}", [NoteReference(path=one) for one in sorted(facts[0])]
                )
            case "put":
                self.vault.files[facts[0]] = facts[1]
            case "again" if users:
                await self.chat.regenerate(self.id, users[facts[0] % len(users)].id)
            case "edit" if users:
                await self.chat.edit(self.id, users[facts[0] % len(users)].id, f"edited {before}")
            case "switch" if path:
                everyone = repository.messages
                await self.chat.switch(self.id, everyone[facts[0] % len(everyone)].id)
            case "remove" if path:
                await self.chat.remove(self.id, path[facts[0] % len(path)].id)
            case "reload":
                await self.chat.close()
                self.chat = self.opened()
        if len(self.provider.requests) > before:
            self.asked.append((dict(self.vault.files), self.provider.requests[-1].messages))


def told(steps):
    story = Story()
    asyncio.run(story.run(steps))
    return story


def texts(request):
    return [message_text(message) for message in request]


def attached_of(text):
    return set(re.findall(r"<(?:path)>(.*?)</path>|<unchanged>(.*?)</unchanged>", text))


def present(name, request):
    """The note as a reader of the request would know it: its last full text, then every change in order."""
    held = None
    for text in texts(request):
        for match in re.finditer(
            r"<note_context>\n<title>.*?</title>\n<path>(.*?)</path>\n<content>\n(.*?)\n</content>"
            r"|<changed_since>\n<title>.*?</title>\n<path>(.*?)</path>\n(.*?)</changed_since>",
            text,
            re.DOTALL,
        ):
            if match[1] == name:
                held = match[2]
            elif match[3] == name:
                for before, old, new, after in re.findall(
                    r"<before>(.*?)</before><old>(.*?)</old><new>(.*?)</new><after>(.*?)</after>",
                    match[4],
                    re.DOTALL,
                )[::-1]:
                    place = held.rindex(before + old + after)
                    held = held[: place + len(before)] + new + held[place + len(before) + len(old) :]
    return held


@given(STEPS)
@settings(max_examples=120, deadline=None)
def test_freshness_every_attached_note_is_there_in_its_present_text(steps):
    for files, request in told(steps).asked:
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


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_reloading_before_each_step_changes_no_request(steps):
    plain = [step for step in steps if step[0] != "reload"]
    always = [one for step in plain for one in (("reload",), step)]
    assert [texts(request) for _, request in told(plain).asked] == [
        texts(request) for _, request in told(always).asked
    ]


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_what_was_deleted_is_in_no_later_request(steps):
    story = told(steps)
    stored = asyncio.run(story.store.load(story.id))
    there = {message_text(message) for message in stored.messages}
    if story.asked and steps[-1][0] in {"ask", "again", "edit"}:
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


@pytest.mark.parametrize("kind", ["note", "url", "selection", "webTab", "error", "pdf", "canvas"])
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
