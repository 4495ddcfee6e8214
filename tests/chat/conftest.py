import itertools

import pytest

from triptych.chat.session import Chat
from triptych.model.diagnostics import Diagnostic
from triptych.ports.vault import Note, NoteInfo
from triptych.stores.memory import MemoryStore
from triptych.testing.scripted import ScriptedProvider


class StepClock:
    """Every look at it is a millisecond later; ids count up."""

    def __init__(self):
        self._times = itertools.count(1_000)
        self._names = itertools.count(1)

    def now(self):
        return next(self._times)

    def new_id(self):
        return f"id{next(self._names):04}"


class DictVault:
    """Notes in a dict: path to text."""

    def __init__(self, notes=()):
        self.files = dict(notes)

    def _info(self, path):
        return NoteInfo(path=path, title=path.removesuffix(".md"), size=len(self.files[path]), modified_at=0)

    async def notes(self):
        return [self._info(path) for path in sorted(self.files)]

    async def read(self, path):
        if path not in self.files:
            return None, (Diagnostic(code="note_missing", message=f"{path} is not there.", where=path),)
        text = self.files[path]
        return Note(info=self._info(path), text=text, body=text), ()

    async def read_bytes(self, path):
        return self.files[path].encode(), ()

    async def resolve(self, link, source=None):
        return link if link in self.files else None


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def provider():
    return ScriptedProvider([f"answer {n}" for n in range(1, 50)])


@pytest.fixture
def vault():
    return DictVault({"launch.md": "The launch date is 4 May.\n", "crew.md": "Three people.\n"})


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def make_chat(store, provider, vault):
    clock = StepClock()

    def make(**more):
        options = {
            "store": store,
            "clock": clock,
            "open_provider": lambda name: (provider, name),
            "model": "m",
            "vault": vault,
            "count": lambda text, _profile: len(text) // 4 + 1,
        }
        return Chat(**(options | more))

    return make


@pytest.fixture
async def chat(make_chat):
    chat = make_chat()
    yield chat
    await chat.close()
