"""The facts that a provider goes by: the dated table of ``wires.profiles``, with a user's own facts laid over it.

A user's facts are a JSON object of ``pattern: {fact: value}``, named as JSON names them, where the pattern matches
``provider:model`` as a shell would (``{"ollama:*": {"window": 8192}}``). The file is named by TRIPTYCH_PROFILES.

Not here: the table itself, and what is done with the facts (``wires``).
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec

from triptych.errors import UsageError
from triptych.model.profile import Profile, WireName
from triptych.wires.profiles import find_profile, override, profile_for_model

__all__ = ["LOCAL", "model_profile", "read_facts", "with_facts"]

LOCAL = override(
    find_profile("llama-cpp", "openai_chat"),
    {
        "name": "local",
        "window": 8_192,
        "maxOutput": 1_024,
        "media": [],
        "tools": False,
        "source": "SmolLM2-135M-Instruct: trained on 8192 tokens, no tool calls, text only; measured by xllamacpp",
    },
)
"""The small model that comes along. It reads text only, and its template knows no tools."""


def read_facts(env: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The user's own facts, or none; a ``UsageError`` when the file cannot be read."""
    path = env.get("TRIPTYCH_PROFILES", "").strip()
    if not path:
        return {}
    try:
        return msgspec.json.decode(Path(path).expanduser().read_bytes(), type=dict[str, dict[str, Any]])
    except (OSError, msgspec.DecodeError) as problem:
        raise UsageError(
            f"The profiles file {path} cannot be read: it has to hold an object of objects. {problem}"
        ) from problem


def model_profile(
    provider: str, model: str, wire: WireName, default: str, facts: Mapping[str, Mapping[str, Any]]
) -> Profile:
    """The facts about a model: of its own name where the table knows it, else ``default``; the user's win."""
    base = find_profile(default, wire)
    known = profile_for_model(model.rpartition("/")[2], wire)
    profile = known if known is not None and (known.family == base.family or not base.models) else base
    return with_facts(profile, f"{provider}:{model}", facts)


def with_facts(profile: Profile, name: str, facts: Mapping[str, Mapping[str, Any]]) -> Profile:
    """The profile under a user's own facts for ``provider:model``; of several that match, the last wins."""
    for pattern, own in facts.items():
        if fnmatchcase(name, pattern):
            profile = override(profile, own)
    return profile
