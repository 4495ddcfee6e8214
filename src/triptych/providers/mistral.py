"""Mistral's own API."""

from __future__ import annotations

from typing import Any

from triptych.model.profile import Profile
from triptych.providers.endpoint import Endpoint, json_headers
from triptych.providers.keys import Secret
from triptych.wires.mistral.stream import from_reply, open_decoder
from triptych.wires.payload import Payload

__all__ = ["BASE_URL", "mistral_endpoint"]

BASE_URL = "https://api.mistral.ai/v1"


def mistral_endpoint(
    name: str, base_url: str = BASE_URL, *, profile: Profile, secret: Secret | None = None
) -> Endpoint:
    """A server at ``base_url``; it tells the usage without being asked."""
    base = base_url.rstrip("/")
    return Endpoint(
        name=name,
        profile=profile,
        url=lambda _: f"{base}/chat/completions",
        headers=lambda: json_headers(secret),
        body=_streamed,
        decoder=open_decoder,
        whole=from_reply,
        secret=secret,
        models=f"{base}/models",
    )


def _streamed(payload: Payload) -> dict[str, Any]:
    return payload.body | {"stream": True}
