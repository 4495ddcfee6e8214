import pytest

from triptych.chat.session import Chat
from triptych.context.tokens.counter import TokenCounter
from triptych.stores.memory import MemoryStore
from triptych.testing.clock import StepClock
from triptych.testing.notes import MemoryVault
from triptych.testing.scripted import ScriptedProvider


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def provider():
    return ScriptedProvider([f"answer {n}" for n in range(1, 50)])


@pytest.fixture
def vault():
    return MemoryVault({"launch.md": "The launch date is 4 May.\n", "crew.md": "Three people.\n"})


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
            "counter": TokenCounter(lambda text: len(text) // 4 + 1),
        }
        return Chat(**(options | more))

    return make


@pytest.fixture
async def chat(make_chat):
    chat = make_chat()
    yield chat
    await chat.close()
