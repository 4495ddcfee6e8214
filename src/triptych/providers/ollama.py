"""Ollama's own API, which tells more than its OpenAI-compatible door: thinking, images, timings."""

from __future__ import annotations

from typing import Any

from triptych.model.profile import Profile
from triptych.providers.endpoint import Endpoint, json_headers
from triptych.providers.keys import Secret
from triptych.wires.ollama.stream import from_reply, open_decoder
from triptych.wires.payload import Payload

__all__ = ["BASE_URL", "ollama_address", "ollama_endpoint"]

BASE_URL = "http://127.0.0.1:11434"


def ollama_address(host: str) -> str:
    """The address behind ``OLLAMA_HOST``, which may be just ``host:port``; 0.0.0.0 is this machine."""
    text = host.strip().rstrip("/") or BASE_URL
    text = text if "://" in text else f"http://{text}"
    return text.replace("://0.0.0.0", "://127.0.0.1").removesuffix("/api").removesuffix("/v1")


def ollama_endpoint(
    name: str, base_url: str = BASE_URL, *, profile: Profile, secret: Secret | None = None
) -> Endpoint:
    """A server at ``base_url``."""
    base = ollama_address(base_url)
    return Endpoint(
        name=name,
        profile=profile,
        url=lambda _: f"{base}/api/chat",
        headers=lambda: json_headers(secret),
        body=lambda payload: payload.body | {"stream": True},
        decoder=open_decoder,
        whole=from_reply,
        secret=secret,
        models=f"{base}/api/tags",
        warm=_prefill,
    )


def _prefill(payload: Payload) -> dict[str, Any]:
    options = payload.body.get("options") or {}
    return payload.body | {"stream": False, "options": {**options, "num_predict": 1}}
