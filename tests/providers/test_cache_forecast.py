"""The forecast against a real server that counts: every byte is a token, so bytes and tokens can be compared."""

import importlib.util
import json
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace
from tests.conformance.vectors import HERE, ROOT
from tests.providers import tiny_model

from triptych.cli.pipe.turns import handle
from triptych.model.messages import AssistantMessage, SystemMessage, UserMessage
from triptych.model.parts import TextPart
from triptych.model.reply import Reply, reduce_event
from triptych.ports.provider import ModelRequest
from triptych.providers.local import LocalProvider
from triptych.wires.profiles import find_profile

pytestmark = pytest.mark.model
pytest.importorskip("xllamacpp")

WINDOW = 110_000
TEMPLATE = (
    "{%- for message in messages -%}<|{{ message.role }}|>\n{{ message.content }}\n<|end|>\n{% endfor -%}"
)
KINDS = {"system": SystemMessage, "user": UserMessage, "assistant": AssistantMessage}


def made_up():
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "cache.py"
    spec = importlib.util.spec_from_file_location("cache_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    whole = module.scenario(3)
    return whole | {"turns": whole["turns"][:5], "system": whole["system"][:400]}


def recorded():
    return json.loads((ROOT / "cache" / "mixed_20.json").read_text("utf-8"))


SCENARIOS = [
    made_up,
    pytest.param(recorded, marks=pytest.mark.skipif(not HERE, reason="no recorded vectors here")),
]


def typed(request):
    return tuple(
        KINDS[one["role"]](id=f"m{place}", parts=(TextPart(text=one["content"]),))
        for place, one in enumerate(request)
    )


async def usage_of(provider, request):
    payload = provider.prepare(ModelRequest(model="tiny", messages=typed(request), options={"max_tokens": 1}))
    reply = Reply()
    async for event in provider.send(payload):
        reply = reduce_event(reply, event)
    assert reply.failure is None
    return reply.usage


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_server_reuses_what_the_forecast_says(scenario, tmp_path, monkeypatch):
    monkeypatch.setattr(tiny_model, "CONTEXT", WINDOW)
    weights = tiny_model.write_tiny_model(tmp_path / "tiny.gguf", seed=4)
    profile = replace(find_profile("llamacpp"), window=WINDOW)
    out = handle(scenario())

    async def drive():
        provider = LocalProvider(weights, model="tiny", profile=profile, template=TEMPLATE)
        try:
            return [await usage_of(provider, request) for request in out["requests"]]
        finally:
            await provider.close()

    told = anyio.run(drive)
    pairs = [
        (one["reusedBytes"] / one["totalBytes"], (usage.cached_input_tokens or 0) / usage.input_tokens)
        for one, usage in zip(out["forecast"], told, strict=True)
    ]
    print(f"{len(pairs)} requests; largest gap {max(abs(a - b) for a, b in pairs):.4f}")
    assert all(abs(forecast - reported) <= 0.02 for forecast, reported in pairs)
