"""Anthropic's Messages API, and servers that speak it (llama.cpp among them)."""

from __future__ import annotations

from typing import Any

from triptych.model.profile import Profile
from triptych.providers.endpoint import Endpoint, json_headers
from triptych.providers.keys import Secret
from triptych.wires.anthropic.stream import from_reply, open_decoder
from triptych.wires.payload import Payload

__all__ = ["BASE_URL", "messages_endpoint"]

BASE_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"


def messages_endpoint(
    name: str, base_url: str = BASE_URL, *, profile: Profile, secret: Secret | None = None
) -> Endpoint:
    """A server at ``base_url`` (without ``/v1``)."""
    base = base_url.rstrip("/").removesuffix("/v1")
    return Endpoint(
        name=name,
        profile=profile,
        url=lambda _: f"{base}/v1/messages",
        headers=lambda: json_headers(secret, "x-api-key", "") | {"anthropic-version": _VERSION},
        body=_streamed,
        decoder=open_decoder,
        whole=from_reply,
        secret=secret,
        models=f"{base}/v1/models",
    )


def _streamed(payload: Payload) -> dict[str, Any]:
    return payload.body | {"stream": True}
