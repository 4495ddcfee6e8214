from contextlib import asynccontextmanager

import httpx2
import pytest
from tests.providers.fake_server import Answer, FakeServer
from tests.providers.tiny_model import write_tiny_model
from tests.wires.chunks import sse

from triptych.providers.http import Http, Limits
from triptych.providers.local import LocalProvider
from triptych.providers.openai_compatible import open_compatible
from triptych.providers.profiles import LOCAL
from triptych.testing.provider_contract import ProviderContract, Setting
from triptych.testing.scripted import ScriptedProvider
from triptych.wires.profiles import find_profile

COMPATIBLE = find_profile("compatible")
QUICK = Http(limits=Limits(connect=2.0, silence=5.0, first_wait=0.01))


def words(count):
    return [sse({"choices": [{"delta": {"content": f"word{n} "}}]}) for n in range(count)]


class TestScripted(ProviderContract):
    @asynccontextmanager
    async def setting(self):
        yield Setting(provider=ScriptedProvider(default="Once upon a time.", delay=0.001), model="scripted")


class TestCompatible(ProviderContract):
    @asynccontextmanager
    async def setting(self):
        end = sse({"choices": [{"delta": {}, "finish_reason": "stop"}]}, done=True)
        async with FakeServer(default=Answer([*words(20), end], delay=0.002)) as server:
            yield Setting(
                provider=open_compatible("fake", f"{server.url}/v1", profile=COMPATIBLE, http=QUICK),
                model="m",
                down=open_compatible("down", "http://127.0.0.1:9/v1", profile=COMPATIBLE, http=QUICK),
            )


@pytest.mark.model
class TestLocal(ProviderContract):
    @pytest.fixture(autouse=True)
    def _weights(self, tmp_path_factory):
        self.weights = tmp_path_factory.getbasetemp() / "tiny.gguf"
        if not self.weights.exists():
            write_tiny_model(self.weights)

    @asynccontextmanager
    async def setting(self):
        provider = LocalProvider(
            self.weights, model="tiny", profile=LOCAL, options={"max_tokens": 60}, threads=1
        )

        async def is_idle():
            headers = {"Authorization": f"Bearer {provider.server.secret.reveal()}"}
            async with httpx2.AsyncClient(headers=headers) as client:
                slots = (await client.get(f"{provider.server.address}/slots")).json()
            return not any(slot["is_processing"] for slot in slots)

        broken = self.weights.with_name("broken.gguf")
        broken.write_bytes(b"GGUF" + bytes(100))
        down = LocalProvider(broken, model="broken", profile=LOCAL)
        yield Setting(provider=provider, model="tiny", down=down, is_idle=is_idle)
