"""The code of docs/howto/add-a-provider.md runs, and its toy passes the contract."""

import re
import sys
import types
from contextlib import aclosing
from importlib.metadata import EntryPoint
from pathlib import Path

import anyio
import pytest
from tests.providers.fake_server import Answer, FakeServer
from tests.wires.chunks import sse

from triptych.errors import UsageError
from triptych.model.messages import UserMessage
from triptych.model.parts import TextPart
from triptych.model.reply import reduce_events
from triptych.ports.provider import ModelRequest
from triptych.providers.registry import OpenRequest, open_provider

PAGE = Path(__file__).resolve().parents[2] / "docs/howto/add-a-provider.md"


def run_page():
    module = types.ModuleType("add_a_provider_page")
    code = "\n\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))
    exec(compile(code, str(PAGE), "exec"), module.__dict__)  # noqa: S102 # our own page
    return module


page = run_page()
TestParrot = page.TestParrot


def reply_of(provider, model, text):
    async def story():
        message = UserMessage(id="u", parts=(TextPart(text=text),))
        payload = provider.prepare(ModelRequest(model=model, messages=(message,)))
        async with aclosing(provider.send(payload)) as events:
            reply = reduce_events([event async for event in events])
        await provider.close()
        return reply

    return anyio.run(story)


def test_the_parrot_is_found_by_its_entry_point_and_repeats(monkeypatch):
    monkeypatch.setitem(sys.modules, page.__name__, page)
    point = EntryPoint("parrot", f"{page.__name__}:open_parrot", "triptych.providers")
    monkeypatch.setattr("triptych.providers.registry.entry_points", lambda group: [point])
    provider, model = open_provider("parrot", env={})
    assert reply_of(provider, model, "pretty bird").parts == (TextPart(text="pretty bird "),)


def test_the_endpoint_needs_its_key_and_reaches_its_server():
    with pytest.raises(UsageError, match="ACME_API_KEY"):
        page.open_acme(OpenRequest(provider="acme", model="m", env={}))

    async def story():
        answer = Answer(
            [sse({"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}, done=True)]
        )
        async with FakeServer(answer) as server:
            request = OpenRequest(
                provider="acme", model="m", env={"ACME_API_KEY": "k" * 9}, base_url=server.url
            )
            provider, model = page.open_acme(request)
            message = UserMessage(id="u", parts=(TextPart(text="x"),))
            payload = provider.prepare(ModelRequest(model=model, messages=(message,)))
            async with aclosing(provider.send(payload)) as events:
                reply = reduce_events([event async for event in events])
            await provider.close()
            return reply, server.got[0]

    reply, got = anyio.run(story)
    assert reply.parts == (TextPart(text="Hi"),)
    assert got.headers["authorization"] == "Bearer " + "k" * 9
