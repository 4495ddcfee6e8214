"""Providers by name: ``open_provider("openai:gpt-5")``.

The built-in ones are a table of addresses, imported when they are asked for; any package adds its own by an entry
point of the group ``triptych.providers``. Both name a function ``open(request: OpenRequest) -> (Provider, model)``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points

import msgspec

from triptych.errors import UsageError
from triptych.ports.provider import Provider

__all__ = ["GROUP", "OpenRequest", "Opener", "open_provider", "provider_names"]

GROUP = "triptych.providers"
_OPENERS = "triptych.providers.openers"
_BUILT_IN: dict[str, str] = {
    "local": f"{_OPENERS}:open_local",
    "openai": f"{_OPENERS}:open_openai",
    "openai-responses": f"{_OPENERS}:open_openai_responses",
    "anthropic": f"{_OPENERS}:open_anthropic",
    "google": f"{_OPENERS}:open_google",
    "bedrock": f"{_OPENERS}:open_bedrock",
    "mistral": f"{_OPENERS}:open_mistral",
    "ollama": f"{_OPENERS}:open_ollama",
    "deepseek": f"{_OPENERS}:open_vendor",
    "groq": f"{_OPENERS}:open_vendor",
    "lmstudio": f"{_OPENERS}:open_vendor",
    "llamacpp": f"{_OPENERS}:open_vendor",
    "moonshot": f"{_OPENERS}:open_vendor",
    "openrouter": f"{_OPENERS}:open_vendor",
    "vllm": f"{_OPENERS}:open_vendor",
    "xai": f"{_OPENERS}:open_vendor",
    "scripted": f"{_OPENERS}:open_scripted",
}


class OpenRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for: ``provider:model``, taken apart. ``model`` may be empty."""

    provider: str
    model: str
    env: Mapping[str, str]
    base_url: str | None = None


Opener = Callable[[OpenRequest], tuple[Provider, str]]


def open_provider(
    name: str, *, base_url: str | None = None, env: Mapping[str, str] | None = None
) -> tuple[Provider, str]:
    """The provider behind ``provider:model`` (or just ``local``), and the model's own name.

    Nothing is started and no server is asked. A ``UsageError`` says what to do when the name is unknown, a key or a
    package is missing. With ``base_url``, a name without a known provider means an OpenAI-compatible server there.
    """
    provider, _, model = name.strip().partition(":")
    known = _openers()
    if provider not in known and base_url:
        provider, model = "openai", name.strip()
    if provider not in known:
        raise UsageError(
            f"There is no provider {provider!r}: write PROVIDER:MODEL, or just local. PROVIDER is one of"
            f" {', '.join(sorted(known))}."
        )
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise UsageError(f"{base_url!r} is no address of a server: it has to begin with http:// or https://.")
    request = OpenRequest(
        provider=provider, model=model.strip(), env=os.environ if env is None else env, base_url=base_url
    )
    return _loaded(provider, known[provider])(request)


def provider_names() -> list[str]:
    """Every provider that can be opened, in alphabetical order."""
    return sorted(_openers())


def _openers() -> dict[str, str]:
    found = {one.name: one.value for one in entry_points(group=GROUP)}
    return found | _BUILT_IN


def _loaded(provider: str, address: str) -> Opener:
    try:
        return EntryPoint(provider, address, GROUP).load()
    except (ImportError, AttributeError) as problem:
        raise UsageError(f"The provider {provider!r} cannot be loaded: {problem}.") from problem
