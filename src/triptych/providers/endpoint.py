"""Any vendor that is reached by HTTP: an ``Endpoint`` says how, ``WireProvider`` does it.

A new vendor over a wire that exists is one ``Endpoint`` value, not a class.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

import msgspec

from triptych.model.events import StreamEvent
from triptych.model.profile import Profile
from triptych.ports.provider import ModelRequest
from triptych.providers.http import Http, Reading, Request
from triptych.providers.keys import Secret
from triptych.providers.prepare import prepared
from triptych.wires.payload import Payload
from triptych.wires.reading.decoder import Decoder

__all__ = ["Endpoint", "WireProvider", "json_headers", "model_names"]


def model_names(listing: Any) -> list[str]:
    """The ids in a listing of models, as ``{"data": [{"id"}]}`` or ``{"models": [{"name"}]}``."""
    fields = listing if isinstance(listing, dict) else {}
    found = fields.get("data") or fields.get("models") or []
    names = [one.get("id") or one.get("name") for one in found if isinstance(one, dict)]
    return sorted({name.removeprefix("models/") for name in names if isinstance(name, str)})


def json_headers(
    secret: Secret | None, name: str = "Authorization", prefix: str = "Bearer "
) -> dict[str, str]:
    """The headers of a JSON request whose answer is streamed, with the key in the header that the vendor reads."""
    sent = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
    return sent | ({name: f"{prefix}{secret.reveal()}"} if secret else {})


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """How a vendor is reached.

    Attributes:
        name: the word before the colon in ``provider:model``.
        profile: the facts about the model that this was opened for.
        url: the address of a streamed request for this payload.
        headers: makes the headers, the key's among them (a function, so that no printed value holds the key).
        body: the request body, with streaming switched on.
        models: the address of the listing of models, or None when there is none.
        warm: the body that makes the server read a prompt ahead; None where that would cost money.
    """

    name: str
    profile: Profile
    url: Callable[[Payload], str]
    headers: Callable[[], dict[str, str]]
    body: Callable[[Payload], dict[str, Any]]
    decoder: Callable[[], Decoder]
    whole: Callable[[Mapping[str, Any]], list[StreamEvent]]
    secret: Secret | None = None
    models: str | None = None
    warm: Callable[[Payload], dict[str, Any]] | None = None


class WireProvider:
    """The ``Provider`` of an endpoint."""

    def __init__(self, endpoint: Endpoint, http: Http | None = None) -> None:
        self._endpoint = endpoint
        self._http = http or Http()

    def __repr__(self) -> str:
        return f"WireProvider({self._endpoint.name!r}, profile={self._endpoint.profile.name!r})"

    @property
    def name(self) -> str:
        """The name in ``provider:model``."""
        return self._endpoint.name

    def profile(self, model: str) -> Profile:  # noqa: ARG002 # the port asks for a model
        """The facts about the model that this was opened for."""
        return self._endpoint.profile

    def prepare(self, request: ModelRequest) -> Payload:
        """A valid request body for this server; ``UsageError`` when there is nothing to say."""
        return prepared(request, self._endpoint.profile)

    async def send(self, payload: Payload) -> AsyncGenerator[StreamEvent, None]:
        """The reply as events. Close the iterator to stop the server's work."""
        end = self._endpoint
        request = Request(url=end.url(payload), headers=end.headers(), body=end.body(payload))
        reading = Reading(decoder=end.decoder, whole=end.whole, secret=end.secret)
        async with aclosing(self._http.stream(request, reading)) as events:
            async for event in events:
                yield event

    async def warm(self, payload: Payload) -> None:
        """Have the prompt read ahead of time, where that costs nothing."""
        end = self._endpoint
        if end.warm is not None:
            await self._http.post(
                Request(url=end.url(payload), headers=end.headers(), body=end.warm(payload))
            )

    async def models(self) -> list[str]:
        """The models that the server offers; empty when it does not say."""
        end = self._endpoint
        return model_names(await self._http.get(end.models, end.headers(), end.secret)) if end.models else []

    async def close(self) -> None:
        """Close all connections."""
        await self._http.close()
