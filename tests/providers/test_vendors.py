import json
import struct
import zlib
from contextlib import aclosing

import anyio
import pytest
from tests.providers.fake_server import Answer, FakeServer
from tests.wires.chunks import named, sse
from tests.wires.samples import ANTHROPIC, BEDROCK, GEMINI, MISTRAL, OLLAMA, RESPONSES

from triptych.model.messages import UserMessage
from triptych.model.parts import TextPart
from triptych.model.reply import reduce_events
from triptych.model.status import Complete
from triptych.ports.provider import ModelRequest
from triptych.providers.bedrock import with_bytes
from triptych.providers.endpoint import model_names
from triptych.providers.ollama import ollama_address
from triptych.providers.registry import open_provider

KEYS = {
    "OPENAI_API_KEY": "key-openai",
    "ANTHROPIC_API_KEY": "key-anthropic",
    "GEMINI_API_KEY": "key-google",
    "MISTRAL_API_KEY": "key-mistral",
}
LINES = "\n".join(json.dumps(line) for line in OLLAMA[0]).encode()


def asked(name, answer, *, env=KEYS, warm=False, models=False):
    """Ask the provider of that name at a fake server: the reply, what the server got, and the listing."""

    async def story():
        async with FakeServer(answer, answer) as server:
            provider, model = open_provider(name, base_url=server.url, env=env)
            message = UserMessage(id="u", parts=(TextPart(text="Hi"),))
            payload = provider.prepare(
                ModelRequest(model=model, messages=(message,), options={"max_tokens": 9})
            )
            if warm:
                await provider.warm(payload)
            async with aclosing(provider.send(payload)) as events:
                reply = reduce_events([event async for event in events])
            listed = await provider.models() if models else None
            await provider.close()
            return reply, server.got, listed

    return anyio.run(story)


@pytest.mark.parametrize(
    ("name", "answer", "path", "header"),
    [
        (
            "openai-responses:gpt-5",
            Answer([named(*RESPONSES[0])]),
            "/responses",
            ("authorization", "Bearer key-openai"),
        ),
        (
            "anthropic:claude-x",
            Answer([named(*ANTHROPIC[0])]),
            "/v1/messages",
            ("x-api-key", "key-anthropic"),
        ),
        (
            "google:gemini-x",
            Answer([sse(*GEMINI[0])]),
            "/v1beta/models/gemini-x:streamGenerateContent?alt=sse",
            ("x-goog-api-key", "key-google"),
        ),
        (
            "mistral:mistral-x",
            Answer([sse(*MISTRAL[0], done=True)]),
            "/chat/completions",
            ("authorization", "Bearer key-mistral"),
        ),
        ("ollama:llama3:8b", Answer([LINES], content_type="application/x-ndjson"), "/api/chat", None),
    ],
)
def test_each_vendor_is_asked_in_its_own_way(name, answer, path, header):
    reply, [got], _ = asked(name, answer)
    assert reply.status == Complete(reason="toolCalls")
    assert any(isinstance(part, TextPart) for part in reply.parts)
    assert (got.method, got.path) == ("POST", path)
    if header:
        assert got.headers[header[0]] == header[1]
    assert "key-" not in json.dumps(got.body)
    model = name.partition(":")[2]
    assert got.body.get("model") == (None if "gemini" in name else model)
    assert got.body.get("stream") == (None if "gemini" in name else True)


def test_an_anthropic_request_says_which_version_it_speaks():
    _, [got], _ = asked("anthropic:claude-x", Answer([named(*ANTHROPIC[0])]))
    assert got.headers["anthropic-version"] == "2023-06-01"
    assert got.body["max_tokens"] == 9


def test_only_servers_that_cost_nothing_read_ahead():
    _, got, _ = asked("anthropic:claude-x", Answer([named(*ANTHROPIC[0])]), warm=True)
    assert len(got) == 1
    _, got, _ = asked("ollama:llama3", Answer([LINES]), warm=True)
    assert [one.body["options"]["num_predict"] for one in got] == [1, 9]


def test_listings_of_models_are_read():
    assert model_names({"data": [{"id": "b"}, {"id": "a"}, {"id": 3}, None]}) == ["a", "b"]
    assert model_names({"models": [{"name": "models/gemini-x"}]}) == ["gemini-x"]
    assert model_names(None) == []
    assert model_names([1]) == []


def test_ollama_hosts_may_be_written_short():
    assert ollama_address("") == "http://127.0.0.1:11434"
    assert ollama_address("0.0.0.0:11434") == "http://127.0.0.1:11434"
    assert ollama_address("https://me.example/v1/") == "https://me.example"


def event_stream(*messages):
    """Messages in the binary framing of AWS."""

    def header(name, value):
        return (
            struct.pack("!B", len(name))
            + name.encode()
            + b"\x07"
            + struct.pack("!H", len(value))
            + value.encode()
        )

    def framed(message):
        [(kind, body)] = message.items()
        payload = json.dumps(body).encode()
        type_name = ":exception-type" if kind.endswith("Exception") else ":event-type"
        sort = "exception" if kind.endswith("Exception") else "event"
        headers = (
            header(type_name, kind)
            + header(":content-type", "application/json")
            + header(":message-type", sort)
        )
        head = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
        whole = head + struct.pack("!I", zlib.crc32(head)) + headers + payload
        return whole + struct.pack("!I", zlib.crc32(whole))

    return b"".join(framed(message) for message in messages)


@pytest.fixture
def aws(monkeypatch):
    pytest.importorskip("boto3")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return {"AWS_REGION": "eu-central-1"}


FRAMES = "application/vnd.amazon.eventstream"


def test_bedrock_is_asked_through_boto3(aws):
    reply, [got], _ = asked(
        "bedrock:anthropic.claude-x", Answer([event_stream(*BEDROCK[0])], content_type=FRAMES), env=aws
    )
    assert reply.status == Complete(reason="toolCalls")
    assert [type(part).__name__ for part in reply.parts] == ["ReasoningPart", "TextPart", "ToolCallPart"]
    assert got.path == "/model/anthropic.claude-x/converse-stream"
    assert got.body["messages"] == [{"role": "user", "content": [{"text": "Hi"}]}]


def test_bedrock_failures_are_events(aws):
    busy = {"throttlingException": {"message": "Slow down"}}
    reply, _, _ = asked(
        "bedrock:x", Answer([event_stream(BEDROCK[0][4], busy)], content_type=FRAMES), env=aws
    )
    assert (reply.failure.retryable, reply.parts) == (True, (TextPart(text="Hel"),))
    no = Answer([b'{"message":"No such model"}'], status=400, content_type="application/json")
    reply, _, _ = asked("bedrock:x", no, env=aws)
    assert (reply.failure.message, reply.failure.status) == ("No such model", 400)


def test_bedrock_bodies_hold_bytes_where_boto3_wants_them():
    body = {"messages": [{"content": [{"image": {"source": {"bytes": "QUJD"}}}, {"text": "QUJD"}]}]}
    content = with_bytes(body)["messages"][0]["content"]
    assert content == [{"image": {"source": {"bytes": b"ABC"}}}, {"text": "QUJD"}]
