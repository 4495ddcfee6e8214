"""How each built-in provider is opened: its address, the names of its key, its wire.

Not here: the table of provider names (``registry``) and the facts about models (``profiles``).
"""

from __future__ import annotations

import importlib
import importlib.util

from triptych.errors import UsageError
from triptych.model.profile import Profile, WireName
from triptych.ports.provider import Provider
from triptych.providers.endpoint import WireProvider
from triptych.providers.keys import Secret, find_key, need_key
from triptych.providers.openai_compatible import open_compatible
from triptych.providers.profiles import LOCAL, model_profile, read_facts, with_facts
from triptych.providers.registry import OpenRequest

__all__ = [
    "open_anthropic",
    "open_bedrock",
    "open_google",
    "open_local",
    "open_mistral",
    "open_ollama",
    "open_openai",
    "open_openai_responses",
    "open_scripted",
    "open_vendor",
]

_THREADS = 2
_OPENAI = "https://api.openai.com/v1"
_VENDORS: dict[str, tuple[str, str, str]] = {
    "deepseek": ("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "deepseek"),
    "groq": ("https://api.groq.com/openai/v1", "GROQ_API_KEY", "groq"),
    "llamacpp": ("http://127.0.0.1:8080/v1", "", "llama-cpp"),
    "lmstudio": ("http://127.0.0.1:1234/v1", "", "lm-studio"),
    "moonshot": ("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "moonshot"),
    "openrouter": ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "compatible"),
    "vllm": ("http://127.0.0.1:8000/v1", "", "vllm"),
    "xai": ("https://api.x.ai/v1", "XAI_API_KEY", "xai"),
}
"""Vendors and servers of the OpenAI-compatible kind: address, name of the key (none for servers), profile."""


def open_local(request: OpenRequest) -> tuple[Provider, str]:
    """``local`` is the small model that comes along; ``local:/path.gguf`` any other.

    TRIPTYCH_LOCAL_THREADS says how many threads it may use (2 when it says nothing; 1 is faster on a busy machine).
    """
    from triptych.providers.local import OTHER_OPTIONS, SMALL_OPTIONS, LocalProvider
    from triptych.providers.weights import SMALL_MODEL, find_weights

    small = request.model in ("", SMALL_MODEL)
    _need_package("xllamacpp", "local")
    weights = find_weights("" if small else request.model)
    model = SMALL_MODEL if small else weights.stem
    if small:
        profile = with_facts(LOCAL, f"local:{model}", read_facts(request.env))
    else:
        profile = _profile(request, "openai_chat", "llama-cpp", model=model)
    threads = int(_number(request.env.get("TRIPTYCH_LOCAL_THREADS", ""))) or _THREADS
    options = SMALL_OPTIONS if small else OTHER_OPTIONS
    return LocalProvider(weights, model=model, profile=profile, options=options, threads=threads), model


def open_openai(request: OpenRequest) -> tuple[Provider, str]:
    """OpenAI, or any compatible server at ``base_url`` (which may need no key)."""
    own = request.base_url or request.env.get("OPENAI_BASE_URL", "").strip()
    return _compatible(
        request, own or _OPENAI, "OPENAI_API_KEY", "compatible" if own else "openai", free=bool(own)
    )


def open_vendor(request: OpenRequest) -> tuple[Provider, str]:
    """A vendor or server of the table."""
    address, key, profile = _VENDORS[request.provider]
    free = not key or request.base_url is not None
    return _compatible(request, request.base_url or address, key, profile, free=free)


def open_openai_responses(request: OpenRequest) -> tuple[Provider, str]:
    """OpenAI by its Responses API, or a server at ``base_url`` that speaks it."""
    from triptych.providers.openai_responses import responses_endpoint

    base = request.base_url or request.env.get("OPENAI_BASE_URL", "").strip()
    profile = _profile(request, "openai_responses", "openai-responses")
    secret = _key(request, ("OPENAI_API_KEY",), free=bool(base))
    endpoint = responses_endpoint(request.provider, base or _OPENAI, profile=profile, secret=secret)
    return WireProvider(endpoint), _need_model(request)


def open_anthropic(request: OpenRequest) -> tuple[Provider, str]:
    """Anthropic, or a server at ``base_url`` that speaks its Messages API."""
    from triptych.providers.anthropic import BASE_URL, messages_endpoint

    model, profile = _need_model(request), _profile(request, "anthropic", "anthropic")
    secret = _key(request, ("ANTHROPIC_API_KEY",), free=request.base_url is not None)
    endpoint = messages_endpoint("anthropic", request.base_url or BASE_URL, profile=profile, secret=secret)
    return WireProvider(endpoint), model


def open_google(request: OpenRequest) -> tuple[Provider, str]:
    """Gemini by Google's own API."""
    from triptych.providers.google import BASE_URL, gemini_endpoint

    model, profile = _need_model(request), _profile(request, "gemini", "gemini")
    secret = _key(request, ("GEMINI_API_KEY", "GOOGLE_API_KEY"), free=request.base_url is not None)
    endpoint = gemini_endpoint("google", request.base_url or BASE_URL, profile=profile, secret=secret)
    return WireProvider(endpoint), model


def open_mistral(request: OpenRequest) -> tuple[Provider, str]:
    """Mistral by its own API."""
    from triptych.providers.mistral import BASE_URL, mistral_endpoint

    model, profile = _need_model(request), _profile(request, "mistral", "mistral")
    secret = _key(request, ("MISTRAL_API_KEY",), free=request.base_url is not None)
    endpoint = mistral_endpoint("mistral", request.base_url or BASE_URL, profile=profile, secret=secret)
    return WireProvider(endpoint), model


def open_ollama(request: OpenRequest) -> tuple[Provider, str]:
    """Ollama by its own API, where OLLAMA_HOST or ``base_url`` says."""
    from triptych.providers.ollama import ollama_endpoint

    model, profile = _need_model(request), _profile(request, "ollama", "ollama")
    address = request.base_url or request.env.get("OLLAMA_HOST", "")
    return WireProvider(ollama_endpoint("ollama", address, profile=profile)), model


def open_bedrock(request: OpenRequest) -> tuple[Provider, str]:
    """Bedrock through ``boto3``, with the credentials that it finds by itself."""
    from triptych.providers.bedrock import BedrockProvider

    model, profile = _need_model(request), _profile(request, "bedrock", "bedrock")
    _need_package("boto3", "bedrock")
    region = request.env.get("AWS_REGION") or request.env.get("AWS_DEFAULT_REGION")
    return BedrockProvider(profile=profile, region=region, endpoint_url=request.base_url), model


def open_scripted(request: OpenRequest) -> tuple[Provider, str]:
    """The provider of tests: ``scripted:echo`` or ``scripted:FILE.json``; TRIPTYCH_SCRIPT_DELAY slows it down."""
    scripted = importlib.import_module("triptych.testing.scripted")
    return scripted.open_scripted(
        request.model, delay=_number(request.env.get("TRIPTYCH_SCRIPT_DELAY", ""))
    ), "scripted"


def _compatible(
    request: OpenRequest, address: str, key: str, profile: str, *, free: bool
) -> tuple[Provider, str]:
    model = _need_model(request)
    facts = _profile(request, "openai_chat", profile)
    secret = _key(request, (key,), free=free)
    return open_compatible(request.provider, address, profile=facts, secret=secret), model


def _key(request: OpenRequest, names: tuple[str, ...], *, free: bool) -> Secret | None:
    """The key; ``free`` servers may do without one."""
    if free:
        return find_key(tuple(name for name in names if name), request.env)
    return need_key(names, request.env, vendor=request.provider)


def _profile(request: OpenRequest, wire: WireName, default: str, *, model: str = "") -> Profile:
    return model_profile(request.provider, model or request.model, wire, default, read_facts(request.env))


def _need_model(request: OpenRequest) -> str:
    if not request.model:
        raise UsageError(f"Which model? Write {request.provider}:MODEL.")
    return request.model


def _need_package(package: str, extra: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise UsageError(f"This provider needs the package {package}: run pip install 'triptych[{extra}]'")


def _number(text: str) -> float:
    try:
        return max(0.0, float(text or 0))
    except ValueError:
        return 0.0
