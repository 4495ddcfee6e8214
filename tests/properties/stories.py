"""Random conversations about notes that change meanwhile, driven through a real session."""

import asyncio
import re

import msgspec
from hypothesis import strategies as st

from triptych.chat.session import Chat
from triptych.context.tokens.counter import TokenCounter
from triptych.model.messages import message_text
from triptych.model.references import NoteReference
from triptych.stores.memory import MemoryStore
from triptych.testing.clock import StepClock
from triptych.testing.notes import MemoryVault
from triptych.testing.scripted import SCRIPTED, ScriptedProvider

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
    st.tuples(st.just("splice"), st.integers(0, 9)),
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

    def __init__(self, layout="append", window=1_000_000, answer="an answer"):
        self.layout = layout
        profile = msgspec.structs.replace(SCRIPTED, window=window)
        self.provider = ScriptedProvider(default=answer, profile=profile)
        self.vault = MemoryVault({name: f"{name} says nothing yet" for name in NOTES})
        self.store, self.clock = MemoryStore(), StepClock()
        self.asked = []
        self.answering = False
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
            layout=self.layout,
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
            case "splice" if path:
                await self.chat.remove(self.id, path[facts[0] % len(path)].id, splice=True)
            case "reload":
                await self.chat.close()
                self.chat = self.opened()
        self.answering = len(self.provider.requests) > before
        if self.answering:
            self.asked.append((dict(self.vault.files), self.provider.requests[-1].messages))


def told(steps, **more):
    story = Story(**more)
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
            r"|<changed_since>\n<path>(.*?)</path>\n(.*?)</changed_since>",
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
