"""Amazon Bedrock's Converse API through ``boto3``, which signs the requests and takes off the binary framing.

``boto3`` finds its credentials by its own rules (environment, profile, role); none of them pass through here. It
blocks, so the stream is read in a thread; closing the iterator closes the connection, which ends the thread.
"""

from __future__ import annotations

import base64
import binascii
import importlib
from collections.abc import AsyncGenerator
from typing import Any

import anyio.to_thread

from triptych.model.events import Failure, StreamEvent
from triptych.model.profile import Profile
from triptych.ports.provider import ModelRequest
from triptych.providers.prepare import prepared
from triptych.wires.bedrock.stream import open_decoder
from triptych.wires.payload import Payload
from triptych.wires.reading.failures import INTERRUPTED, is_retryable

__all__ = ["BedrockProvider", "with_bytes"]

_BYTES = frozenset({"bytes", "redactedContent"})


def with_bytes(value: Any, *, key: str = "") -> Any:
    """The body as ``boto3`` wants it: base64 text under ``bytes`` and ``redactedContent`` becomes bytes.

    Recursive over a body that we made ourselves.
    """
    if isinstance(value, dict):
        return {name: with_bytes(inner, key=name) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_bytes(inner) for inner in value]
    if key in _BYTES and isinstance(value, str):
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error:
            return value.encode()
    return value


class BedrockProvider:
    """The ``Provider`` of one Bedrock model."""

    def __init__(
        self, *, profile: Profile, region: str | None = None, endpoint_url: str | None = None
    ) -> None:
        self._profile = profile
        self._region = region
        self._endpoint_url = endpoint_url
        self._client: Any = None

    def __repr__(self) -> str:
        return f"BedrockProvider({self._profile.name!r})"

    @property
    def name(self) -> str:
        """The name in ``provider:model``."""
        return "bedrock"

    def profile(self, model: str) -> Profile:  # noqa: ARG002 # the port asks for a model
        """The facts about the model that this was opened for."""
        return self._profile

    def prepare(self, request: ModelRequest) -> Payload:
        """A valid request body; ``UsageError`` when there is nothing to say."""
        return prepared(request, self._profile)

    async def send(self, payload: Payload) -> AsyncGenerator[StreamEvent, None]:
        """The reply as events. Close the iterator to stop the server's work."""
        decoder = open_decoder(self._profile.family)
        stream: Any = None
        broken = INTERRUPTED
        try:
            stream = await anyio.to_thread.run_sync(self._open, payload)
            messages = iter(stream)
            while (
                message := await anyio.to_thread.run_sync(next, messages, None, abandon_on_cancel=True)
            ) is not None:
                for event in decoder.feed(message):
                    yield event
        except self._errors() as problem:
            broken = _failure(problem)
        finally:
            if stream is not None:
                stream.close()
        for event in decoder.close(broken):
            yield event

    async def warm(self, payload: Payload) -> None:
        """Nothing: a prompt read ahead would be paid for."""

    async def models(self) -> list[str]:
        """Empty: the listing is another service of AWS, with rights of its own."""
        return []

    async def close(self) -> None:
        """Let go of the client."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _open(self, payload: Payload) -> Any:
        if self._client is None:
            boto3: Any = importlib.import_module("boto3")
            self._client = boto3.client(
                "bedrock-runtime", region_name=self._region, endpoint_url=self._endpoint_url
            )
        body = with_bytes({"modelId": payload.model, **payload.body})
        return self._client.converse_stream(**body)["stream"]

    def _errors(self) -> tuple[type[Exception], ...]:
        """What ``boto3`` raises; importing it is what makes it known."""
        exceptions: Any = importlib.import_module("botocore.exceptions")
        return (exceptions.BotoCoreError, exceptions.ClientError, OSError)


def _failure(problem: Exception) -> Failure:
    response: dict[str, Any] = getattr(problem, "response", {}) or {}
    told = response.get("Error", {})
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    code = str(told.get("Code") or type(problem).__name__)
    return Failure(
        message=str(told.get("Message") or problem),
        code=code,
        status=status if isinstance(status, int) else None,
        retryable=is_retryable(status, code),
    )
