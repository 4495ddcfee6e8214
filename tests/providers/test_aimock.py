"""Clients against aimock, a mock server that others keep in step with the real APIs; Gemini above all.

It is a Node program: found where AIMOCK says, else installed for the run by npm; without either, skipped.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest

from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import TextPart, ToolCallPart, ToolResultPart
from triptych.model.reply import reduce_events
from triptych.model.status import Complete
from triptych.model.tools import ToolDefinition
from triptych.ports.provider import ModelRequest
from triptych.providers.registry import open_provider

VERSION = "1.43.0"
SCRIPT = {
    "fixtures": [
        {
            "match": {"userMessage": "hello"},
            "response": {"content": "Hello! Wörds stream 😀 here, one by one."},
        },
        {
            "match": {"userMessage": "weather"},
            "response": {
                "content": "Let me look.",
                "toolCalls": [
                    {"name": "get_weather", "arguments": {"city": "Oslo"}},
                    {"name": "get_time", "arguments": {}},
                ],
            },
        },
        {"match": {"userMessage": "report"}, "response": {"content": "Rain at noon."}},
    ]
}
TOOLS = tuple(ToolDefinition(name=name, description=name) for name in ("get_weather", "get_time"))
KEYS = {f"{name}_API_KEY": "test" for name in ("OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL")}
MODELS = {
    "google": ("gemini-2.0-flash", ""),
    "anthropic": ("claude-sonnet-4", ""),
    "openai": ("gpt-4o", "/v1"),
    "openai-responses": ("gpt-4o", "/v1"),
    "ollama": ("llama3", ""),
}


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """The server's script."""
    given = os.environ.get("AIMOCK")
    home = Path(given) if given else tmp_path_factory.mktemp("aimock")
    script = home / "node_modules/@copilotkit/aimock/dist/cli.js"
    if shutil.which("node") is None:
        pytest.skip("Node is not there")
    if not script.exists() and shutil.which("npm"):
        command = [
            "npm",
            "install",
            "--no-audit",
            "--no-fund",
            "--silent",
            "--ignore-scripts",
            "--prefix",
            str(home),
        ]
        with contextlib.suppress(subprocess.SubprocessError):
            subprocess.run(
                [*command, f"@copilotkit/aimock@{VERSION}"], timeout=90, check=True, capture_output=True
            )
    if not script.exists():
        pytest.skip("aimock could not be installed")
    return script


@contextlib.contextmanager
def running(program, folder, *flags):
    (folder / "script.json").write_text(json.dumps(SCRIPT))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        "node",
        str(program),
        "-p",
        str(port),
        "-f",
        str(folder / "script.json"),
        "--log-level",
        "silent",
        *flags,
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def mock(program, tmp_path_factory):
    with running(program, tmp_path_factory.mktemp("script"), "-c", "8") as address:
        yield address


def ask(name, address, *messages, tools=()):
    model, path = MODELS[name]

    async def story():
        provider, known = open_provider(f"{name}:{model}", base_url=address + path, env=KEYS)
        payload = provider.prepare(ModelRequest(model=known, messages=messages, tools=tools))
        async with aclosing(provider.send(payload)) as events:
            reply = reduce_events([event async for event in events])
        await provider.close()
        return reply

    return anyio.run(story)


def user(text, name="u1"):
    return UserMessage(id=MessageId(name), parts=(TextPart(text=text),))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_words_stream(name, mock):
    reply = ask(name, mock, user("hello"))
    assert reply.failure is None
    assert reply.status == Complete()
    assert [part.text for part in reply.parts] == ["Hello! Wörds stream 😀 here, one by one."]


@pytest.mark.parametrize("name", sorted(MODELS))
def test_parallel_calls_and_their_results_go_round(name, mock):
    reply = ask(name, mock, user("weather"), tools=TOOLS)
    assert reply.status == Complete(reason="toolCalls")
    assert [part.text for part in reply.parts if isinstance(part, TextPart)] == ["Let me look."]
    calls = [part for part in reply.parts if isinstance(part, ToolCallPart)]
    assert [(call.name, json.loads(call.arguments or "{}")) for call in calls] == [
        ("get_weather", {"city": "Oslo"}),
        ("get_time", {}),
    ]
    assert len({call.call_id for call in calls}) == 2
    said = AssistantMessage(id=MessageId("a1"), parts=reply.parts, status=reply.status)
    results = tuple(
        ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text="ok"),)) for call in calls
    )
    history = (user("weather"), said, ToolMessage(id=MessageId("t1"), parts=results), user("report", "u2"))
    after = ask(name, mock, *history, tools=TOOLS)
    assert [part.text for part in after.parts] == ["Rain at noon."]


def test_gemini_failures_are_events(program, tmp_path):
    with running(program, tmp_path, "--chaos-disconnect", "1") as address:
        assert ask("google", address, user("hello")).failure.retryable
    with running(program, tmp_path, "--chaos-malformed", "1") as address:
        reply = ask("google", address, user("hello"))
        assert reply.failure is not None
    missing = "nothing matches this"
    with running(program, tmp_path, "--strict") as address:
        assert ask("google", address, user(missing)).failure.message
