"""Every server that speaks OpenAI's Chat Completions.

OpenAI itself, Ollama, LM Studio, vLLM, llama.cpp, and the many vendors with an address of their own.

Not here: the facts about each model (``profiles``), the wire itself (``wires.openai_chat``).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from triptych.model.profile import Profile
from triptych.providers.endpoint import Endpoint, WireProvider, json_headers
from triptych.providers.http import Http
from triptych.providers.keys import Secret
from triptych.wires.openai_chat.stream import from_reply, open_decoder
from triptych.wires.payload import Payload

__all__ = ["chat_endpoint", "normal_base_url", "open_compatible"]


def normal_base_url(address: str) -> str:
    """The address as people write it, without the last slash and without the path of the request itself."""
    return address.strip().rstrip("/").removesuffix("/chat/completions")


def chat_endpoint(
    name: str, base_url: str, *, profile: Profile, secret: Secret | None = None, local: bool = False
) -> Endpoint:
    """A server at ``base_url`` (usually ending in ``/v1``); a ``local`` one may read prompts ahead for nothing."""
    base = normal_base_url(base_url)
    return Endpoint(
        name=name,
        profile=profile,
        url=lambda _: f"{base}/chat/completions",
        headers=lambda: json_headers(secret),
        body=partial(_streamed, counted=profile.facts.get("streamOptions") is not False),
        decoder=partial(open_decoder, profile.family),
        whole=partial(from_reply, family=profile.family),
        secret=secret,
        models=f"{base}/models",
        warm=_prefill if local else None,
    )


def open_compatible(
    name: str, base_url: str, *, profile: Profile, secret: Secret | None = None, http: Http | None = None
) -> WireProvider:
    """A provider for that server."""
    return WireProvider(chat_endpoint(name, base_url, profile=profile, secret=secret), http)


def _prefill(payload: Payload) -> dict[str, Any]:
    return payload.body | {"max_tokens": 1, "stream": False}


def _streamed(payload: Payload, *, counted: bool) -> dict[str, Any]:
    """With the wish to be told the token counts, unless the server is known to refuse the wish."""
    asked = {"stream_options": {"include_usage": True}} if counted else {}
    return payload.body | {"stream": True} | asked
