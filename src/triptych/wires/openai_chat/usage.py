"""Token counts of Chat Completions and the dialects of it."""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.model.usage import Usage
from triptych.wires.reading.values import as_count, as_map, kept_json

__all__ = ["read_usage"]

_DEAREST = 1e9


def read_usage(value: Any) -> Usage | None:
    """The counts, or None when the object holds none that are known.

    Cached input is ``prompt_tokens_details.cached_tokens`` (OpenAI), ``prompt_cache_hit_tokens`` (DeepSeek) or
    ``cached_tokens`` (Moonshot).
    """
    source = as_map(value)
    prompt, completion = (
        as_map(source.get("prompt_tokens_details")),
        as_map(source.get("completion_tokens_details")),
    )
    cached = (prompt.get("cached_tokens"), source.get("prompt_cache_hit_tokens"), source.get("cached_tokens"))
    cost = source.get("cost")
    usage = Usage(
        input_tokens=as_count(source.get("prompt_tokens")),
        output_tokens=as_count(source.get("completion_tokens")),
        cached_input_tokens=next((count for one in cached if (count := as_count(one)) is not None), None),
        cache_write_tokens=as_count(prompt.get("cache_write_tokens")),
        reasoning_tokens=as_count(completion.get("reasoning_tokens")),
        cost=float(cost) if isinstance(cost, int | float) and 0 <= cost < _DEAREST else None,
    )
    if usage == Usage():
        return None
    return msgspec.structs.replace(usage, raw=as_map(kept_json(source)) or None)
