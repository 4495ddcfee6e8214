"""Google's Gemini API (``generateContent``), streamed as server-sent events."""

from __future__ import annotations

from urllib.parse import quote

from triptych.model.profile import Profile
from triptych.providers.endpoint import Endpoint, json_headers
from triptych.providers.keys import Secret
from triptych.wires.gemini.stream import from_reply, open_decoder
from triptych.wires.payload import Payload

__all__ = ["BASE_URL", "gemini_endpoint"]

BASE_URL = "https://generativelanguage.googleapis.com"
_VERSION = "v1beta"


def gemini_endpoint(
    name: str, base_url: str = BASE_URL, *, profile: Profile, secret: Secret | None = None
) -> Endpoint:
    """A server at ``base_url`` (without the version). The key travels in a header, never in the address."""
    base = f"{base_url.rstrip('/').removesuffix('/' + _VERSION)}/{_VERSION}"

    def address(payload: Payload) -> str:
        model = quote(payload.model.removeprefix("models/"), safe="")
        return f"{base}/models/{model}:streamGenerateContent?alt=sse"

    return Endpoint(
        name=name,
        profile=profile,
        url=address,
        headers=lambda: json_headers(secret, "x-goog-api-key", ""),
        body=lambda payload: {key: value for key, value in payload.body.items() if key != "model"},
        decoder=open_decoder,
        whole=from_reply,
        secret=secret,
        models=f"{base}/models?pageSize=1000",
    )
