"""One HTTP client for all wires: open a stream, try again only where that is safe, never raise.

Trying again happens before the first byte of a reply and only when the server cannot have begun one: the
connection failed, or the status says "later" (408, 425, 429, 5xx). Waiting grows (0.5 s, 1 s …) or follows the
server's ``Retry-After``. Closing the iterator closes the connection, which is what makes a server stop working.

Not here: what a vendor's addresses and headers are (``endpoint``), keys (``keys``).
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import msgspec

from triptych.errors import ProviderError
from triptych.model.events import Failure, StreamEvent
from triptych.providers.keys import Secret
from triptych.providers.refusals import TROUBLE, Refused, is_loopback, refusal, scrubbed, unreachable
from triptych.wires.reading.decoder import Decoder
from triptych.wires.reading.failures import INTERRUPTED, failure_from_response
from triptych.wires.reading.values import read_value

__all__ = ["Http", "Limits", "Reading", "Request"]

_DRAIN_SECONDS = 0.2
_FIRST_ERROR = 300
_SILENT = Failure(message="The server was silent for too long.", retryable=True, code="silent")


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Time limits in seconds, and how often to try again.

    ``silence`` is the longest time without a byte: a long prompt is read before the first word comes.
    """

    connect: float = 10.0
    silence: float = 300.0
    retries: int = 2
    first_wait: float = 0.5


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A POST: address, headers (the key's among them, so that it prints as its address only), JSON body."""

    url: str
    headers: dict[str, str]
    body: dict[str, Any]

    def __repr__(self) -> str:
        return f"Request({self.url!r})"


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """How a reply is read: as a stream, or as one JSON object when the server does not stream."""

    decoder: Callable[[], Decoder]
    whole: Callable[[Mapping[str, Any]], list[StreamEvent]]
    secret: Secret | None = None


class Http:
    """Connections to one vendor. The client is opened on first use and belongs to the event loop that used it."""

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._limits = limits or Limits()
        self._transport = transport
        self._sleep = sleep
        self._client: httpx2.AsyncClient | None = None
        self._owner: object = None

    async def stream(self, request: Request, reading: Reading) -> AsyncGenerator[StreamEvent, None]:
        """The reply as events; a failure of any kind is the last of them."""
        for attempt in range(self._limits.retries + 1):
            async with aclosing(self._once(request, reading)) as items:
                async for item in items:
                    if not isinstance(item, Refused):
                        yield item
                        continue
                    if item.wait is None or attempt == self._limits.retries:
                        yield item.failure
                        return
                    wait = max(item.wait, self._limits.first_wait * 2**attempt)
                    wait = 0.0 if item.stale and attempt == 0 else wait
                    break
                else:
                    return
            await self._sleep(wait * random.uniform(1.0, 1.25))  # noqa: S311 # so that clients do not come in step

    async def get(self, url: str, headers: dict[str, str], secret: Secret | None) -> Any:
        """A JSON document, or a ``ProviderError`` that says why there is none."""
        try:
            response = await self._opened(url).get(url, headers=headers)
            text = scrubbed(secret, response.text)
        except TROUBLE as problem:
            failure = unreachable(url, problem).failure
        else:
            if response.status_code < _FIRST_ERROR:
                return read_value(text)
            failure = failure_from_response(response.status_code, text)
        raise ProviderError(failure.message, retryable=failure.retryable, status=failure.status)

    async def post(self, request: Request) -> None:
        """Send something whose answer does not matter; trouble is the next request's to tell."""
        with contextlib.suppress(*TROUBLE):
            await self._opened(request.url).post(
                request.url, content=_encoded(request.body), headers=request.headers
            )

    async def close(self) -> None:
        """Close all connections. The next use opens new ones."""
        client, self._client = self._client, None
        if client is not None and self._owner == anyio.lowlevel.current_token():
            await client.aclose()

    async def _once(self, request: Request, reading: Reading) -> AsyncGenerator[StreamEvent | Refused, None]:
        decoder, begun, broken = reading.decoder(), False, INTERRUPTED
        try:
            async with self._opened(request.url).stream(
                "POST", request.url, content=_encoded(request.body), headers=request.headers
            ) as response:
                if response.status_code >= _FIRST_ERROR:
                    yield await refusal(response, reading.secret)
                    return
                begun = True
                chunks = aiter(response.aiter_bytes())
                if _main_type(response) == "application/json":
                    body = b"".join([chunk async for chunk in chunks])
                    for event in _from_whole(body, reading, decoder):
                        yield event
                    return
                async for chunk in chunks:
                    events = decoder.feed(chunk)
                    if decoder.ended:
                        await _drained(chunks)
                    for event in events:
                        yield event
                    if decoder.ended:
                        return
        except TROUBLE as problem:
            if not begun:
                yield unreachable(request.url, problem)
                return
            broken = _SILENT if isinstance(problem, httpx2.TimeoutException) else INTERRUPTED
        for event in decoder.close(broken):
            yield event

    def _opened(self, url: str) -> httpx2.AsyncClient:
        owner = anyio.lowlevel.current_token()
        if self._client is None or self._owner != owner:
            limits = self._limits
            timeout = httpx2.Timeout(limits.silence, connect=limits.connect, pool=limits.connect)
            self._client = httpx2.AsyncClient(
                timeout=timeout,
                transport=self._transport,
                trust_env=not is_loopback(url),
                follow_redirects=False,
            )
            self._owner = owner
        return self._client


def _encoded(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _main_type(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _from_whole(body: bytes, reading: Reading, decoder: Decoder) -> list[StreamEvent]:
    """One JSON object; a stream that calls itself JSON is read as the stream that it is."""
    value = read_value(body.decode("utf-8", "replace"))
    if isinstance(value, dict):
        return reading.whole(value)
    return [*decoder.feed(body), *decoder.close()]


async def _drained(chunks: AsyncIterator[bytes]) -> None:
    """Read the little that may follow the end, so that the connection can be used again."""
    with anyio.move_on_after(_DRAIN_SECONDS):
        async for _ in chunks:
            pass
