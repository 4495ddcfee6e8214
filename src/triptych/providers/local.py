"""A model inside this process: no key, no network, no other program.

The server starts when it is first needed. The small model that comes along is really small: it copies a sentence
well and knows little; replies are capped and nearly without chance, which is where it does best.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from triptych.errors import TriptychError
from triptych.model.events import Failure, StreamEvent
from triptych.model.profile import Profile
from triptych.ports.provider import ModelRequest
from triptych.providers.endpoint import WireProvider
from triptych.providers.http import Http, Limits
from triptych.providers.llama_server import LlamaServer
from triptych.providers.openai_compatible import chat_endpoint
from triptych.providers.prepare import prepared
from triptych.wires.payload import Payload

__all__ = ["DEFAULT_CONTEXT", "OTHER_OPTIONS", "SMALL_OPTIONS", "LocalProvider"]

DEFAULT_CONTEXT = 8192
"""Tokens of prompt and reply together, when the profile does not say."""

SMALL_OPTIONS: dict[str, Any] = {"max_tokens": 96, "temperature": 0.2}
"""What the small model is asked with when the caller says nothing else."""

OTHER_OPTIONS: dict[str, Any] = {"max_tokens": 1024}
"""The same for any other file: a reply of a local model has to end some time."""


class LocalProvider:
    """The ``Provider`` of one GGUF file."""

    def __init__(
        self,
        weights: Path,
        *,
        model: str,
        profile: Profile,
        options: dict[str, Any] | None = None,
        threads: int = 2,
        template: str = "",
    ) -> None:
        self._weights = weights
        self._model = model
        self._profile = profile
        self._options = options or {}
        self._threads = threads
        self._template = template
        self._server: LlamaServer | None = None
        self._client: WireProvider | None = None

    def __repr__(self) -> str:
        return f"LocalProvider({self._model!r})"

    @property
    def name(self) -> str:
        """The name in ``provider:model``."""
        return "local"

    @property
    def server(self) -> LlamaServer:
        """The server itself, started when it was not; for other wires that it speaks, and for its gauges."""
        if self._server is None:
            self._server = LlamaServer(
                self._weights,
                context=self._profile.window or DEFAULT_CONTEXT,
                threads=self._threads,
                template=self._template,
                alias=self._model,
            )
        return self._server

    def profile(self, model: str) -> Profile:  # noqa: ARG002 # the port asks for a model
        """The facts about the model; its window is what the server was given room for."""
        return self._profile

    def prepare(self, request: ModelRequest) -> Payload:
        """A valid request body, with this model's own defaults where the request says nothing."""
        return prepared(replace(request, options=self._options | request.options), self._profile)

    async def send(self, payload: Payload) -> AsyncGenerator[StreamEvent, None]:
        """The reply as events. Close the iterator and the model stops at its next token."""
        try:
            client = self._opened()
        except TriptychError as problem:
            yield Failure(message=str(problem), code="not_started")
            return
        async with aclosing(client.send(payload)) as events:
            async for event in events:
                yield event

    async def warm(self, payload: Payload) -> None:
        """Have the prompt read now, so that the first word of the answer comes at once."""
        with contextlib.suppress(TriptychError):
            await self._opened().warm(payload)

    async def models(self) -> list[str]:
        """The one model."""
        return [self._model]

    async def close(self) -> None:
        """Stop the server; the next use starts it again."""
        client, self._client = self._client, None
        server, self._server = self._server, None
        if client is not None:
            await client.close()
        if server is not None:
            server.close()

    def _opened(self) -> WireProvider:
        if self._client is None:
            server = self.server
            endpoint = chat_endpoint(
                "local", f"{server.address}/v1", profile=self._profile, secret=server.secret
            )
            self._client = WireProvider(replace(endpoint, warm=_prefill), Http(limits=Limits(silence=600.0)))
        return self._client


def _prefill(payload: Payload) -> dict[str, Any]:
    return payload.body | {"max_tokens": 0, "stream": False}
