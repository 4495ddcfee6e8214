"""Cache marks: where a provider that wants to be told may keep the prompt.

At most as many as the profile allows (four at Anthropic), where they pay: behind the system text and library, behind
this turn's user message (what the next request extends), behind the request before this one (what can be read now),
and, because a provider looks back only so far from a mark, one in between when that stretch is long. Nothing shorter
than the profile's minimum is marked. A mark is ``private["cache"]`` of the last part of a message; it changes no text.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from triptych.context.envelope.forecast import serialized
from triptych.model.messages import Message, SystemMessage, UserMessage
from triptych.model.profile import Profile

__all__ = ["LOOK_BACK", "with_marks"]

LOOK_BACK = 20
"""Blocks before a mark in which an earlier entry is found (Anthropic's prompt caching guide)."""

_BYTES_A_TOKEN = 4


def with_marks(messages: Sequence[Message], profile: Profile) -> tuple[Message, ...]:
    """The prompt with its marks; the same prompt when the provider takes none or it is too short."""
    if profile.cache_marks <= 0:
        return tuple(messages)
    least = (profile.cache_minimum or 0) * _BYTES_A_TOKEN
    places = [place for place in _places(messages) if _length(messages, place) >= least]
    marked = set(places[: profile.cache_marks])
    return tuple(_marked(one) if place in marked else one for place, one in enumerate(messages))


def _places(messages: Sequence[Message]) -> list[int]:
    """Places in order of what they are worth: the end, the stable head, the last request, the way between."""
    users = [place for place, one in enumerate(messages) if isinstance(one, UserMessage)]
    head = [0] if messages and isinstance(messages[0], SystemMessage) else []
    between = [users[-2] + (users[-1] - users[-2]) // 2] if len(users) > 1 and _far(users) else []
    wanted = [*users[-1:], *head, *users[-2:-1], *between]
    return list(dict.fromkeys(place for place in wanted if messages[place].parts))


def _far(users: Sequence[int]) -> bool:
    return users[-1] - users[-2] > LOOK_BACK


def _length(messages: Sequence[Message], place: int) -> int:
    return sum(len(serialized(one)) for one in messages[: place + 1])


def _marked(message: Message) -> Message:
    *before, last = message.parts
    part = msgspec.structs.replace(last, private=(last.private or {}) | {"cache": {}})
    return msgspec.structs.replace(message, parts=(*before, part))  # pyright: ignore[reportCallIssue, reportArgumentType]
