"""What a reply cost: tokens, money, time."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["Performance", "Usage"]


class Usage(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """Token counts as the provider reported them; None means it did not say.

    Attributes:
        input_tokens: all input tokens of the request, cached ones included.
        cached_input_tokens: the part of the input read from the provider's prompt cache.
        cache_write_tokens: the part of the input written to that cache by this request.
        output_tokens: all output tokens, reasoning included.
        reasoning_tokens: the part of the output spent on reasoning.
        cost: money in US dollars, when the provider or a price table said so.
        raw: the provider's own usage object, untouched.
    """

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    raw: dict[str, Any] | None = None


class Performance(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """Times of one reply, in milliseconds; speed in tokens a second."""

    time_to_first_token: float | None = None
    duration: float | None = None
    tokens_per_second: float | None = None
