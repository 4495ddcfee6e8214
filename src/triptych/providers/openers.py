"""How each built-in provider is opened: its address, the names of its key, its wire.

Not here: the table of provider names (``registry``) and the facts about models (``profiles``).
"""

from __future__ import annotations

import importlib
from pathlib import Path

from triptych.ports.provider import Provider
from triptych.providers.keys import find_key, need_key
from triptych.providers.registry import OpenRequest

__all__ = ["open_local", "open_openai", "open_scripted", "open_vendor"]

_OPENAI = "https://api.openai.com/v1"
_VENDORS: dict[str, tuple[str, str, str]] = {
    "deepseek": ("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "deepseek"),
    "groq": ("https://api.groq.com/openai/v1", "GROQ_API_KEY", "groq"),
    "llamacpp": ("http://127.0.0.1:8080/v1", "", "llamacpp"),
    "lmstudio": ("http://127.0.0.1:1234/v1", "", "lmstudio"),
    "moonshot": ("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "moonshot"),
    "openrouter": ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openrouter"),
    "vllm": ("http://127.0.0.1:8000/v1", "", "vllm"),
    "xai": ("https://api.x.ai/v1", "XAI_API_KEY", "xai"),
}
"""Vendors and servers of the OpenAI-compatible kind: address, name of the key (none for servers), profile."""


def open_local(request: OpenRequest) -> tuple[Provider, str]:
    """``local`` is the small model that comes along; ``local:/path.gguf`` any other."""
    from triptych.providers.local import SMALL_OPTIONS, LocalProvider
    from triptych.providers.weights import SMALL_MODEL, find_weights

    small = request.model in ("", SMALL_MODEL)
    weights = find_weights("" if small else request.model)
    _need("xllamacpp", "local")
    model = SMALL_MODEL if small else Path(weights).stem
    profile = profile_for("local" if small else "llamacpp", model)
    options = SMALL_OPTIONS if small else {"max_tokens": 1024}
    return LocalProvider(weights, model=model, profile=profile, options=options), model


def open_openai(request: OpenRequest) -> tuple[Provider, str]:
    """OpenAI, or any compatible server at ``base_url`` (which may need no key)."""
    names = ("OPENAI_API_KEY",)
    base = request.base_url or request.env.get("OPENAI_BASE_URL", "").strip()
    key = find_key(names, request.env) if base else need_key(names, request.env, vendor="OpenAI")
    return _compatible(request, base or _OPENAI, key, "openai" if not base else "compatible")


def open_vendor(request: OpenRequest) -> tuple[Provider, str]:
    """A vendor or server of the table."""
    address, name, profile = _VENDORS[request.provider]
    base = request.base_url or address
    key = find_key((name,), request.env) if name else None
    if name and key is None and not request.base_url:
        key = need_key((name,), request.env, vendor=request.provider)
    return _compatible(request, base, key, profile)


def open_scripted(request: OpenRequest) -> tuple[Provider, str]:
    """The provider of tests: ``scripted:echo`` or ``scripted:FILE.json``; TRIPTYCH_SCRIPT_DELAY slows it down."""
    testing = importlib.import_module("triptych.testing.scripted")
    delay = request.env.get("TRIPTYCH_SCRIPT_DELAY", "0")
    provider = testing.open_scripted(request.model, delay=float(delay) if _is_number(delay) else 0.0)
    return provider, "scripted"
