"""What the next request will reuse from a provider's prompt cache, before anything is sent.

Providers cache byte prefixes. Two requests are compared as they are given to a model, message by message; the first
message that differs says where the prefix ends, and its layer says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from triptych.model.envelope import Envelope, LayerName
from triptych.model.messages import Message, message_text, role_of
from triptych.model.profile import Profile

__all__ = [
    "Cost",
    "Difference",
    "Forecast",
    "explained",
    "forecast",
    "request_bytes",
    "request_cost",
    "serialized",
]

LayerOfMessage = Literal["system", "previous", "history", "turn"]


class Difference(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The first message that is not what it was: its place, its layer, and the cause in one word.

    ``changed``: other text than before; ``removed``: the earlier request went on here, this one does not; ``epoch``:
    the window was full and history was cut; ``library``: the library (L2) holds something else; ``layout``: the
    conversation goes on in another layout.
    """

    message: int
    layer: LayerOfMessage
    cause: str
    message_id: str | None = None


class Forecast(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Bytes of the request, and how many of them are a prefix of the request before it."""

    total_bytes: int
    reused_bytes: int
    first_difference: Difference | None = None


def serialized(message: Message) -> bytes:
    """A message as the measure counts it: its role, its text, and an end."""
    return f"<|{role_of(message)}|>\n{message_text(message)}\n<|end|>\n".encode("utf-8", "surrogatepass")


def request_bytes(messages: Sequence[Message]) -> bytes:
    """A whole request as the measure counts it."""
    return b"".join(map(serialized, messages))


def forecast(previous: Sequence[Message], following: Sequence[Message]) -> Forecast:
    """How much of ``following`` a cache that holds ``previous`` has already read."""
    total = sum(len(serialized(message)) for message in following)
    reused = 0
    for place, before in enumerate(previous):
        old, new = serialized(before), serialized(following[place]) if place < len(following) else b""
        if old != new:
            shared = _shared(old, new)
            return Forecast(
                total_bytes=total,
                reused_bytes=reused + shared,
                first_difference=_difference(place, following),
            )
        reused += len(new)
    return Forecast(total_bytes=total, reused_bytes=reused)


def _shared(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _difference(place: int, following: Sequence[Message]) -> Difference:
    if place >= len(following):
        return Difference(message=place, layer="history", cause="removed")
    role, last = role_of(following[place]), place == len(following) - 1
    layer: LayerOfMessage = "system" if role == "system" else "turn" if last else "history"
    return Difference(message=place, layer=layer, cause="changed", message_id=following[place].id)


def explained(seen: Forecast, earlier: Envelope | None, envelope: Envelope) -> Forecast:
    """The forecast with the cause that the envelopes of both requests tell."""
    difference = seen.first_difference
    if difference is None or earlier is None:
        return seen
    layer, cause = difference.layer, difference.cause
    if layer == "system" and _same_layer(earlier, envelope, "system"):
        layer, cause = "previous", "library"
    if earlier.epoch != envelope.epoch:
        cause = "epoch"
    elif earlier.layout != envelope.layout:
        cause = "layout"
    told = msgspec.structs.replace(difference, layer=layer, cause=cause)
    return msgspec.structs.replace(seen, first_difference=told)


def _same_layer(one: Envelope, other: Envelope, name: LayerName) -> bool:
    texts = [[layer.digest for layer in envelope.layers if layer.name == name] for envelope in (one, other)]
    return texts[0] == texts[1]


class Cost(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An estimate for the input of one request: tokens, those read from a cache, and US dollars when prices are known."""

    tokens: int
    cached_tokens: int
    dollars: float | None = None


def request_cost(tokens: int, seen: Forecast, profile: Profile) -> Cost:
    """What the request will cost if the cache still holds the one before it.

    Nothing below the profile's minimum is cached; without a price table only tokens are told.
    """
    share = seen.reused_bytes / seen.total_bytes if seen.total_bytes else 0.0
    cached = round(tokens * share)
    cached = cached if cached >= (profile.cache_minimum or 0) else 0
    price = profile.price
    if price is None:
        return Cost(tokens=tokens, cached_tokens=cached)
    read = price.cached_input if price.cached_input is not None else price.input
    write = price.cache_write if price.cache_write is not None and profile.cache_marks else price.input
    dollars = (cached * read + (tokens - cached) * write) / 1_000_000
    return Cost(tokens=tokens, cached_tokens=cached, dollars=round(dollars, 6))
