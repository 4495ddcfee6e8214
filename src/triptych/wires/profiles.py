"""The table of facts about models and servers that the compiler knows by itself.

One default for each wire, the strict servers that speak the OpenAI format, and the models whose windows, prices or
habits differ.

It is pure data and stands here, below the clients, so that ``compile`` and ``lint`` can be used alone; a user's
own facts are laid over it by ``providers.profiles``. Every entry says where its facts were read and on which day.

Not here: the type (``model.profile``), and what is done with the facts (``repair``, ``rules``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any

import msgspec

from triptych.errors import UsageError
from triptych.model.profile import MediaLimits, Price, Profile, WireName

__all__ = ["DEFAULTS", "PROFILES", "WIRES", "find_profile", "override", "profile_for_model", "wire_named"]

WIRES: tuple[WireName, ...] = (
    "openai_chat",
    "openai_responses",
    "anthropic",
    "gemini",
    "bedrock",
    "mistral",
    "ollama",
)

_DATED = "2026-11-30"
_NAMES = "^[a-zA-Z0-9_-]{1,64}$"
_IDS = "^[a-zA-Z0-9_-]+$"
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_change = msgspec.structs.replace

_OPENAI = Profile(
    name="openai",
    wire="openai_chat",
    family="openai",
    window=128_000,
    system="anywhere",
    prefill=True,
    call_id_pattern=_IDS,
    call_id_length=40,
    tool_name_pattern=_NAMES,
    message_name_pattern=_NAMES,
    media=("image", "audio", "file"),
    url_media=("image",),
    provider_media=("file",),
    media_types=(*_IMAGES, "audio/wav", "audio/mpeg", "application/pdf"),
    limits=MediaLimits(images=500, request_bytes=50_000_000),
    models=("gpt-*", "chatgpt-*"),
    source="openai 3.57.0 types; vercel/ai#5171 (ids of 40), langchain#35054 (names), OpenHands#7700 (images)",
    dated=_DATED,
)
_COMPATIBLE = _change(
    _OPENAI,
    name="compatible",
    family="compatible",
    window=None,
    system="first",
    first_user=True,
    prefill=False,
    null_content=False,
    message_name_pattern=None,
    media=("image",),
    provider_media=(),
    media_types=_IMAGES,
    limits=MediaLimits(),
    models=(),
    source="vllm#44505 and Rapid-MLX#1543 (system), lobehub#5601 (first), autogen#5699 (null), strands#1696 (tool text)",
)
_STRICT = _change(
    _COMPATIBLE,
    name="strict-jinja",
    alternation=True,
    user_after_results=False,
    source="llama.cpp#19851: roles must alternate user and assistant except for tool calls and results",
)
_DEEPSEEK = _change(
    _STRICT,
    name="deepseek",
    family="deepseek",
    window=128_000,
    media=(),
    url_media=(),
    models=("deepseek-*",),
    source="aider#2974 (alternation), lobehub#5601 (first message)",
)
_RESPONSES = _change(
    _OPENAI,
    name="openai-responses",
    wire="openai_responses",
    call_id_length=64,
    message_name_pattern=None,
    tool_media=("image", "file"),
    media=("image", "file"),
    url_media=("image", "file"),
    provider_media=("image", "file"),
    media_types=(*_IMAGES, "application/pdf"),
    reasoning="keep",
    reasoning_signed=True,
    models=("gpt-5*", "o1*", "o3*", "o4*", "codex-*"),
    source="openai 3.57.0 types; fastllm#45 (ids of 64), vercel/ai#7099 and continue#8933 (reasoning pairs)",
)
_ANTHROPIC = Profile(
    name="anthropic",
    wire="anthropic",
    family="anthropic",
    window=200_000,
    max_output=8_192,
    token_factor=1.25,
    roles=("user", "assistant"),
    alternation=True,
    system="field",
    first_user=True,
    prefill=True,
    call_id_pattern=_IDS,
    call_id_length=64,
    tool_name_pattern=_NAMES,
    media=("image", "file"),
    tool_media=("image", "file"),
    url_media=("image", "file"),
    provider_media=("image", "file"),
    media_types=(*_IMAGES, "application/pdf", "text/plain"),
    limits=MediaLimits(images=100, pixels=8_000, many_images=20, many_pixels=2_000, request_bytes=32_000_000),
    calls_last=True,
    tools_required=True,
    reasoning="keep",
    reasoning_signed=True,
    cache_minimum=1_024,
    cache_marks=4,
    models=("claude-*",),
    source="anthropic 2.14.0 types; litellm#21114 (ids), crush#3810 (images), Anthropic.SDK#50 (marks), pi#401 (size)",
    dated=_DATED,
)
_CLAUDE = _change(_ANTHROPIC, max_output=64_000)
_GEMINI = Profile(
    name="gemini",
    wire="gemini",
    family="google",
    window=1_048_576,
    max_output=65_536,
    token_factor=1.05,
    roles=("user", "assistant"),
    alternation=True,
    system="field",
    first_user=True,
    call_id_length=128,
    tool_name_pattern="^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$",
    media=("image", "audio", "video", "file"),
    assistant_media=("image",),
    media_types=(
        *_IMAGES,
        "image/heic",
        "image/heif",
        "audio/wav",
        "audio/mpeg",
        "audio/aac",
        "audio/ogg",
        "audio/flac",
        "video/mp4",
        "video/mpeg",
        "video/webm",
        "video/quicktime",
        "application/pdf",
        "text/plain",
    ),
    provider_media=("image", "audio", "video", "file"),
    limits=MediaLimits(images=3_000, request_bytes=20_000_000),
    reasoning="keep",
    reasoning_signed=True,
    cache_minimum=1_024,
    models=("gemini-*",),
    source="google-genai 3.6.1 types; gemini-cli#4217 (responses), OmniRoute#13573 (call turns), openfang#1011 (last turn)",
    dated=_DATED,
)
_BEDROCK = Profile(
    name="bedrock",
    wire="bedrock",
    family="anthropic",
    window=200_000,
    max_output=8_192,
    token_factor=1.25,
    roles=("user", "assistant"),
    alternation=True,
    system="field",
    first_user=True,
    prefill=False,
    call_id_pattern="^[a-zA-Z0-9_.:-]+$",
    call_id_length=64,
    tool_name_pattern=_NAMES,
    media=("image", "file"),
    tool_media=("image", "file"),
    media_types=(
        *_IMAGES,
        "application/pdf",
        "text/csv",
        "application/msword",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.ms-excel",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "text/html",
        "text/plain",
        "text/markdown",
    ),
    limits=MediaLimits(
        message_images=20,
        message_documents=5,
        pixels=8_000,
        image_bytes=3_750_000,
        document_bytes=4_500_000,
        request_bytes=25_000_000,
    ),
    calls_last=True,
    tools_required=True,
    reasoning="keep",
    reasoning_signed=True,
    cache_minimum=1_024,
    cache_marks=4,
    models=("anthropic.claude-*", "*.anthropic.claude-*"),
    source="botocore bedrock-runtime model; strands#1435 (results), dify#17545 (toolConfig), strands#2085 (first user)",
    dated=_DATED,
)
_MISTRAL = Profile(
    name="mistral",
    wire="mistral",
    family="mistral",
    window=128_000,
    token_factor=1.15,
    system="first",
    first_user=True,
    user_after_results=False,
    call_id_pattern="^[a-zA-Z0-9]{9}$",
    call_id_length=9,
    tool_name_pattern=_NAMES,
    media=("image",),
    media_types=_IMAGES,
    url_media=("image",),
    limits=MediaLimits(message_images=8, image_bytes=10_000_000),
    models=("mistral-*", "ministral-*", "codestral-*", "magistral-*", "devstral-*", "pixtral-*"),
    source="mistral-common's request validator; litellm#4931 (last role), eca#233 (ids)",
    dated=_DATED,
)
_OLLAMA = Profile(
    name="ollama",
    wire="ollama",
    family="ollama",
    system="first",
    first_user=True,
    prefill=True,
    call_ids=False,
    null_content=False,
    tool_name_pattern=_NAMES,
    media=("image",),
    media_types=("image/png", "image/jpeg", "image/webp"),
    reasoning="keep",
    source="ollama 0.6.3 types (arguments are objects, tool_name, thinking, images); ollama#16038 (tool images)",
    dated=_DATED,
)
_WITHOUT_PREFILL = ("claude-opus-4-6*", "claude-opus-4-7*", "claude-sonnet-4-6*", "claude-opus-5*")

_TABLE: tuple[Profile, ...] = (
    _OPENAI,
    _change(
        _OPENAI,
        name="openai-reasoning",
        window=400_000,
        max_output=128_000,
        system_role="developer",
        models=("o1*", "o3*", "o4*", "gpt-5*"),
        source="openai 3.57.0 types: from o1 on, developer replaces system",
    ),
    _change(
        _OPENAI,
        name="gpt-4o",
        models=("gpt-4o*",),
        max_output=16_384,
        price=Price(input=2.5, output=10.0, cached_input=1.25),
    ),
    _change(
        _OPENAI,
        name="gpt-4o-mini",
        models=("gpt-4o-mini*",),
        max_output=16_384,
        price=Price(input=0.15, output=0.6, cached_input=0.075),
    ),
    _change(
        _OPENAI,
        name="gpt-4.1",
        models=("gpt-4.1*",),
        window=1_047_576,
        max_output=32_768,
        price=Price(input=2.0, output=8.0, cached_input=0.5),
    ),
    _COMPATIBLE,
    _STRICT,
    _change(
        _STRICT,
        name="no-system",
        system="none",
        source="autogen#1037: the template refuses the system role (Gemma and others)",
    ),
    _change(
        _STRICT,
        name="llama-cpp",
        source="llama.cpp#19851; measured against llama-server with Jinja templates",
    ),
    _change(
        _COMPATIBLE,
        name="vllm",
        source="vllm#44505 (system first), strands#1878 (tool content arrays ignored)",
    ),
    _change(_STRICT, name="lm-studio", source="the Jinja templates of the models it serves; autogen#1037"),
    _change(_COMPATIBLE, name="sglang", source="strands#1878 (tool content arrays ignored)"),
    _change(
        _COMPATIBLE,
        name="groq",
        family="groq",
        window=131_072,
        source="litellm#7621; console.groq.com/docs/openai",
    ),
    _change(_COMPATIBLE, name="xai", family="xai", window=256_000, models=("grok-*",), source="docs.x.ai"),
    _change(
        _COMPATIBLE,
        name="moonshot",
        family="moonshot",
        window=262_144,
        models=("kimi-*", "moonshot-*"),
        source="strands#1878 (tool content arrays ignored); langchain#37756 (ids such as functions.x:0)",
    ),
    _DEEPSEEK,
    _change(
        _DEEPSEEK,
        name="deepseek-reasoner",
        models=("deepseek-reasoner*", "deepseek-r1*"),
        reasoning="required",
        source="pi#3636: reasoning_content of tool turns has to come back in thinking mode; aider#2974",
    ),
    _change(
        _COMPATIBLE,
        name="ollama-compatible",
        family="ollama",
        source="ollama#16038 (tool images are not seen); the /v1 door of Ollama",
    ),
    _RESPONSES,
    _change(
        _RESPONSES,
        name="openai-responses-plain",
        reasoning="none",
        models=("gpt-4*",),
        source="openai-agents-python#2602: reasoning items only to a reasoning or computer use model",
    ),
    _change(
        _RESPONSES,
        name="gpt-5",
        window=400_000,
        max_output=128_000,
        models=("gpt-5*",),
        price=Price(input=1.25, output=10.0, cached_input=0.125),
    ),
    _ANTHROPIC,
    _change(
        _CLAUDE,
        name="claude-sonnet-4",
        models=("claude-sonnet-4*", "claude-3-7-sonnet*"),
        price=Price(input=3.0, output=15.0, cached_input=0.3, cache_write=3.75),
    ),
    _change(
        _CLAUDE,
        name="claude-haiku-4-5",
        models=("claude-haiku-4*",),
        cache_minimum=4_096,
        price=Price(input=1.0, output=5.0, cached_input=0.1, cache_write=1.25),
    ),
    _change(
        _CLAUDE,
        name="claude-opus-4-5",
        models=("claude-opus-4-5*",),
        cache_minimum=4_096,
        price=Price(input=5.0, output=25.0, cached_input=0.5, cache_write=6.25),
    ),
    _change(
        _CLAUDE,
        name="claude-without-prefill",
        models=_WITHOUT_PREFILL,
        prefill=False,
        cache_minimum=4_096,
        source="anthropic 2.14.0 types: models without prefill answer 400 to a last assistant message",
    ),
    _GEMINI,
    _change(
        _GEMINI,
        name="gemini-3",
        models=("gemini-3*",),
        placeholder_signature="skip_thought_signature_validator",
        source="ai.google.dev thought signatures: every call step of the current turn has one; req_llm#427 (placeholder)",
    ),
    _change(
        _GEMINI,
        name="gemini-2.5-pro",
        models=("gemini-2.5-pro*",),
        price=Price(input=1.25, output=10.0, cached_input=0.125),
    ),
    _change(
        _GEMINI,
        name="gemini-2.5-flash",
        models=("gemini-2.5-flash*",),
        price=Price(input=0.3, output=2.5, cached_input=0.03),
    ),
    _change(
        _GEMINI,
        name="vertex",
        models=(),
        call_ids=False,
        source="Vertex AI: ids of calls are not part of the request",
    ),
    _BEDROCK,
    _change(
        _BEDROCK,
        name="bedrock-nova",
        family="amazon",
        window=300_000,
        media=("image", "video", "file"),
        media_types=(*_BEDROCK.media_types, "video/mp4", "video/quicktime", "video/webm"),
        tool_media=(),
        reasoning="drop",
        models=("amazon.nova-*", "*.amazon.nova-*"),
        source="strands#2085: the conversation starts with a user message; botocore bedrock-runtime model",
    ),
    _change(
        _BEDROCK,
        name="bedrock-llama",
        family="meta",
        window=128_000,
        tool_media=(),
        text_beside_results=False,
        reasoning="none",
        cache_marks=0,
        models=("meta.llama*", "*.meta.llama*"),
        source="strands#1223: no text beside toolResult in one turn",
    ),
    _MISTRAL,
    _change(
        _MISTRAL,
        name="mistral-v3",
        text_beside_calls=False,
        media=(),
        facts={"validator": "v3"},
        models=("open-mistral-*", "open-mixtral-*"),
        source="mistral-common's validators up to v3: content or calls, not both; these models read text only",
    ),
    _OLLAMA,
)

PROFILES: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in _TABLE})
"""Every profile by its name."""

DEFAULTS: Mapping[WireName, Profile] = MappingProxyType(
    {
        "openai_chat": _OPENAI,
        "openai_responses": _RESPONSES,
        "anthropic": _ANTHROPIC,
        "gemini": _GEMINI,
        "bedrock": _BEDROCK,
        "mistral": _MISTRAL,
        "ollama": _OLLAMA,
    }
)
"""The profile that a wire has when none is asked for."""

_OTHER_NAMES = MappingProxyType(
    {
        "strict": "strict-jinja",
        "jinja": "strict-jinja",
        "strict-server": "strict-jinja",
        "system-first": "compatible",
        "system-first-only": "compatible",
        "compatible-server": "compatible",
        "openai-compatible": "compatible",
        "openai-chat": "openai",
        "responses": "openai-responses",
        "llamacpp": "llama-cpp",
        "llama.cpp": "llama-cpp",
        "lmstudio": "lm-studio",
        "claude": "anthropic",
        "google": "gemini",
        "grok": "xai",
        "kimi": "moonshot",
        "no-system-role": "no-system",
        "without-system": "no-system",
        "gemma": "no-system",
        "strict-template": "strict-jinja",
        "nova": "bedrock-nova",
        "llama": "bedrock-llama",
    }
)


def wire_named(name: str) -> WireName:
    """The wire of that name, hyphens and any case accepted; ``UsageError`` lists those that exist."""
    wanted = name.strip().lower().replace("-", "_")
    for wire in WIRES:
        if wire == wanted:
            return wire
    raise UsageError(f"There is no wire {name!r}; choose one of: {', '.join(WIRES)}.")


def find_profile(name: str, wire: WireName | None = None, profiles: Iterable[Profile] = _TABLE) -> Profile:
    """The profile of that name, or else of a model of that name; ``UsageError`` when there is none.

    ``wire`` narrows the choice to the profiles that speak it.
    """
    fitting = {one.name: one for one in profiles if wire is None or one.wire == wire}
    wanted = "-".join(name.lower().replace("_", "-").split())
    known = fitting.get(wanted) or fitting.get(_OTHER_NAMES.get(wanted, ""))
    found = known or profile_for_model(name, wire, fitting.values())
    if found is None:
        where = f" for the wire {wire}" if wire else ""
        raise UsageError(f"There is no profile {name!r}{where}; choose one of: {', '.join(sorted(fitting))}.")
    return found


def profile_for_model(
    model: str, wire: WireName | None = None, profiles: Iterable[Profile] = _TABLE
) -> Profile | None:
    """The profile whose pattern fits the model's name most closely, or None."""
    best: tuple[int, Profile] | None = None
    for profile in profiles:
        if wire is not None and profile.wire != wire:
            continue
        length = max(
            (len(pattern) for pattern in profile.models if fnmatchcase(model.lower(), pattern)), default=0
        )
        if length and (best is None or length > best[0]):
            best = (length, profile)
    return best[1] if best else None


def override(profile: Profile, facts: Mapping[str, Any]) -> Profile:
    """The profile with some facts replaced, named as JSON names them (``callIdLength``); ``UsageError`` if unfit."""
    known = {field.encode_name for field in msgspec.structs.fields(Profile)}
    unknown = sorted(set(facts) - known)
    if unknown:
        raise UsageError(f"A profile has no {', '.join(unknown)}; it has: {', '.join(sorted(known))}.")
    try:
        return msgspec.convert({**msgspec.to_builtins(profile), **facts}, Profile)
    except msgspec.ValidationError as problem:
        raise UsageError(f"The profile {profile.name!r} cannot be changed so: {problem}.") from problem
