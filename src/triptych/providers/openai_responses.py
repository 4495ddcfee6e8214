"""OpenAI's Responses API, and servers that speak it (llama.cpp among them)."""

from __future__ import annotations

from triptych.model.profile import Profile
from triptych.providers.endpoint import Endpoint, json_headers
from triptych.providers.keys import Secret
from triptych.wires.openai_responses.stream import from_reply, open_decoder

__all__ = ["responses_endpoint"]


def responses_endpoint(
    name: str, base_url: str, *, profile: Profile, secret: Secret | None = None
) -> Endpoint:
    """A server at ``base_url`` (usually ending in ``/v1``)."""
    base = base_url.rstrip("/").removesuffix("/responses")
    return Endpoint(
        name=name,
        profile=profile,
        url=lambda _: f"{base}/responses",
        headers=lambda: json_headers(secret),
        body=lambda payload: payload.body | {"stream": True},
        decoder=open_decoder,
        whole=from_reply,
        secret=secret,
        models=f"{base}/models",
    )
