"""A real llama.cpp server over the three wires that it speaks: random numbers for form, SmolLM2 for sense."""

import json
import os
import signal
import subprocess
import sys
from contextlib import aclosing

import anyio
import httpx2
import pytest
from msgspec.structs import replace
from tests.providers.tiny_model import CALLING_TEMPLATE, write_tiny_model

from triptych.model.events import PartDelta
from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import TextPart, ToolCallPart, ToolResultPart
from triptych.model.reply import Reply, reduce_event, reduce_events
from triptych.model.status import Complete, Incomplete
from triptych.model.tools import ToolDefinition
from triptych.ports.provider import ModelRequest
from triptych.providers.anthropic import messages_endpoint
from triptych.providers.endpoint import WireProvider
from triptych.providers.keys import Secret
from triptych.providers.llama_server import LlamaServer
from triptych.providers.openai_compatible import chat_endpoint
from triptych.providers.openai_responses import responses_endpoint
from triptych.providers.weights import small_model_path
from triptych.wires.profiles import find_profile

pytestmark = pytest.mark.model
pytest.importorskip("xllamacpp")

WIRES = ["openai_chat", "openai_responses", "anthropic"]
TOOL = ToolDefinition(
    name="search_notes",
    description="Search the notes.",
    parameters={
        "type": "object",
        "properties": {
            "folder": {"type": "string", "enum": ["diary", "recipes"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 99},
        },
        "required": ["folder", "limit"],
        "additionalProperties": False,
    },
)


@pytest.fixture(scope="module")
def tiny_weights(tmp_path_factory):
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf", seed=2)


@pytest.fixture(scope="module")
def tiny(tiny_weights):
    server = LlamaServer(tiny_weights, context=4096, threads=1, template=CALLING_TEMPLATE, alias="tiny")
    yield server
    server.close()


@pytest.fixture(scope="module")
def small():
    weights = small_model_path()
    if weights is None:
        pytest.skip("the weights are not installed")
    server = LlamaServer(weights, context=2048, threads=1, alias="small")
    yield server
    server.close()


def provider(wire, address, secret):
    if wire == "openai_chat":
        profile = find_profile("llama-cpp", "openai_chat")
        return WireProvider(chat_endpoint("llama", f"{address}/v1", profile=profile, secret=secret))
    if wire == "openai_responses":
        profile = find_profile("openai-responses-plain", "openai_responses")
        return WireProvider(responses_endpoint("llama", f"{address}/v1", profile=profile, secret=secret))
    profile = replace(find_profile("anthropic", "anthropic"), name="llama-anthropic")
    endpoint = messages_endpoint("llama", address, profile=profile, secret=secret)
    bearer = {"Authorization": f"Bearer {secret.reveal()}"}
    return WireProvider(replace(endpoint, headers=lambda: endpoint.headers() | bearer))


def user(text, name="u1"):
    return UserMessage(id=MessageId(name), parts=(TextPart(text=text),))


def ask(wire, server, *messages, tools=(), **options):
    """The whole reply to these messages."""

    async def story():
        client = provider(wire, server.address, server.secret)
        request = ModelRequest(model="m", messages=messages, tools=tools, options=options)
        async with aclosing(client.send(client.prepare(request))) as events:
            told = [event async for event in events]
        await client.close()
        return reduce_events(told), told

    return anyio.run(story)


def text_of(reply):
    return "".join(part.text for part in reply.parts if isinstance(part, TextPart))


@pytest.mark.parametrize("wire", WIRES)
def test_a_reply_streams_word_by_word(wire, small):
    reply, told = ask(wire, small, user("What colour is the sea? Answer in one sentence."), max_tokens=40)
    assert reply.failure is None
    assert len(text_of(reply)) > 5
    assert sum(isinstance(event, PartDelta) for event in told) > 3
    assert reply.usage.input_tokens > 5
    assert reply.usage.output_tokens > 3


@pytest.mark.parametrize("wire", WIRES)
def test_a_reply_at_the_limit_is_incomplete(wire, tiny):
    reply, _ = ask(wire, tiny, user("go on and on"), max_tokens=20)
    whole = Complete() if wire == "openai_responses" else Incomplete(reason="length")
    assert reply.status == whole  # llama.cpp says "completed" over the Responses wire whatever happened


@pytest.mark.parametrize("wire", WIRES)
def test_a_forced_call_is_read(wire, tiny):
    options = {"max_tokens": 400, "temperature": 0, "tool_choice": "required", "parallel_tool_calls": False}
    reply, _ = ask(wire, tiny, user("Search my notes for the sea."), tools=(TOOL,), **options)
    assert reply.failure is None
    calls = [part for part in reply.parts if isinstance(part, ToolCallPart)]
    if wire == "anthropic":  # over this wire llama.cpp lets the model call until the limit
        calls = calls[:-1] if reply.status == Incomplete(reason="length") else calls
    else:
        assert len(calls) == 1
        assert reply.status == Complete(reason="toolCalls")
    for call in calls:
        assert call.name == "search_notes"
        arguments = json.loads(call.arguments)
        assert arguments["folder"] in ("diary", "recipes")
        assert 1 <= arguments["limit"] <= 99


@pytest.mark.parametrize("wire", WIRES)
def test_the_result_of_a_call_is_taken(wire, small):
    call = ToolCallPart(call_id="c1", name="search_notes", arguments='{"folder":"diary","limit":1}')
    answer = ToolResultPart(call_id="c1", content=(TextPart(text="The sea is deep blue."),))
    history = (
        user("What colour is the sea?"),
        AssistantMessage(id=MessageId("a1"), parts=(call,)),
        ToolMessage(id=MessageId("t1"), parts=(answer,)),
    )
    reply, _ = ask(wire, small, *history, max_tokens=30, temperature=0)
    assert reply.failure is None
    assert text_of(reply)


@pytest.mark.parametrize("wire", WIRES)
def test_hanging_up_frees_the_slot(wire, tiny):
    async def story():
        client = provider(wire, tiny.address, tiny.secret)
        payload = client.prepare(
            ModelRequest(model="m", messages=(user("talk for ever"),), options={"max_tokens": 3000})
        )
        headers = {"Authorization": f"Bearer {tiny.secret.reveal()}"}
        async with httpx2.AsyncClient(base_url=tiny.address, headers=headers) as gauge:

            async def busy():
                return any(slot["is_processing"] for slot in (await gauge.get("/slots")).json())

            async with aclosing(client.send(payload)) as events:
                async for event in events:
                    if isinstance(event, PartDelta):
                        break
                was_busy = await busy()
            with anyio.fail_after(30):
                while await busy():
                    await anyio.sleep(0.01)
        await client.close()
        return was_busy

    assert any(anyio.run(story) for _ in range(5)), "each reply was over before anybody could hang up"


def test_a_prompt_that_is_too_long_is_refused_in_the_servers_words(tiny):
    reply, _ = ask("openai_chat", tiny, user("x" * 6000), max_tokens=5)
    assert reply.failure.code == "exceed_context_size_error"
    assert (reply.failure.status, reply.failure.retryable) == (400, False)


@pytest.mark.parametrize("wire", ["openai_chat", "anthropic"])
def test_what_the_server_had_read_before_is_counted_as_cached(wire, small):
    long = f"{wire}: " + "The keeper walks along the shore. " * 20
    first, _ = ask(wire, small, user(long + "Who walks?"), max_tokens=4)
    second, _ = ask(wire, small, user(long + "Where does he walk?"), max_tokens=4)
    assert (first.usage.cached_input_tokens or 0) < 60
    assert second.usage.cached_input_tokens > 100
    assert second.usage.input_tokens >= second.usage.cached_input_tokens


SERVE = """
import sys, time
from pathlib import Path
from triptych.providers.llama_server import LlamaServer
server = LlamaServer(Path(sys.argv[1]), context=16384, threads=1, alias="tiny")
print(server.address, server.secret.reveal(), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("wire", WIRES)
def test_a_server_that_is_killed_leaves_the_text_and_a_failure(wire, tiny_weights):
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(tiny_weights)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    address, key = process.stdout.readline().decode().split()

    async def story():
        client = provider(wire, address, Secret(key))
        payload = client.prepare(
            ModelRequest(model="m", messages=(user("talk"),), options={"max_tokens": 12000})
        )
        state, seen = Reply(), 0
        async with aclosing(client.send(payload)) as events:
            async for event in events:
                state = reduce_event(state, event)
                seen += isinstance(event, PartDelta)
                if seen == 5:
                    process.send_signal(signal.SIGKILL)
        await client.close()
        return state

    try:
        reply = anyio.run(story)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert text_of(reply)
    assert isinstance(reply.status, Incomplete)
    assert (reply.failure.code, reply.failure.retryable) == ("interrupted", True)
