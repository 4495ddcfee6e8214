"""Pass ``limits``: no more pictures, bytes and cache marks than the target takes; the oldest leave first.

Media leave in steps, so that the same ones stay out for many requests and the prefix is not moved each time. A
line of text stands in for each. Nothing is touched while the request is within its limits.

Not here: whether a kind of media may be sent at all (``media``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from triptych.model.messages import Message, UserMessage
from triptych.model.parts import FilePart, ImagePart, InlineMedia, TextPart, ToolResultPart
from triptych.wires.private import cache_mark
from triptych.wires.repair.media import MediaPart, describe, kind_of
from triptych.wires.repair.scope import Scope

__all__ = ["exceeds", "limit_messages", "limit_request"]

_ROOM = 2_000_000
"""Bytes of a request kept free for text when only the media are counted."""

_Place = tuple[int, int, int | None]
"""Where a medium stands: message, part, and place in a tool result's content."""


def exceeds(scope: Scope) -> bool:
    """Whether the media or marks counted so far are more than the profile allows."""
    seen, limits = scope.seen, scope.profile.limits
    if limits.request_bytes is not None and seen.bytes > _budget(limits.request_bytes):
        return True
    if seen.images and seen.images > (_picture_limit(scope) or seen.images):
        return True
    return seen.marks > scope.profile.cache_marks > 0


def limit_messages(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with at most as many pictures and documents in each as one may hold."""
    limits = scope.profile.limits
    bounds = ((ImagePart, limits.message_images), (FilePart, limits.message_documents))
    if all(bound is None for _, bound in bounds):
        return messages
    return [
        _limited(message, bounds, scope) if isinstance(message, UserMessage) else message
        for message in messages
    ]


def limit_request(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages of the whole request within the profile's limits."""
    places = list(_media(messages))
    pictures = [place for place in places if isinstance(_at(messages, place), ImagePart)]
    leaving = set(_too_many(pictures, _picture_limit(scope)))
    budget = scope.profile.limits.request_bytes
    if budget is not None:
        staying = [place for place in places if place not in leaving]
        leaving |= set(_too_heavy(staying, lambda place: _weight(_at(messages, place)), _budget(budget)))
    replaced = _without(messages, leaving, scope) if leaving else messages
    return _limit_marks(replaced, scope)


def _budget(request_bytes: int) -> int:
    return max(request_bytes - _ROOM, request_bytes // 2)


def _picture_limit(scope: Scope) -> int | None:
    """How many pictures may go along: fewer when one is (or may be) too large for a request of many."""
    limits, side = scope.profile.limits, scope.seen.pixels
    if (
        limits.many_images is not None
        and limits.many_pixels is not None
        and (side < 0 or side > limits.many_pixels)
    ):
        return limits.many_images
    return limits.images


def _too_many(places: list[_Place], limit: int | None) -> list[_Place]:
    """The oldest ones above the limit, rounded up to half of it, so that the choice holds for a while."""
    if limit is None or len(places) <= limit:
        return []
    step = max(1, limit // 2)
    return places[: -(-(len(places) - limit) // step) * step]


def _too_heavy(places: list[_Place], weigh: Callable[[_Place], int], budget: int) -> list[_Place]:
    """The oldest ones above the budget, rounded up to a quarter of it."""
    weights = [weigh(place) for place in places]
    over = sum(weights) - budget
    if over <= 0:
        return []
    step = max(1, budget // 4)
    wanted = -(-over // step) * step
    gone = 0
    for count, weight in enumerate(weights, 1):
        gone += weight
        if gone >= wanted or count == len(weights):
            return places[:count] if gone - weight < over else places[: count - 1]
    return []


def _weight(part: MediaPart) -> int:
    return len(part.media.data) if isinstance(part.media, InlineMedia) else 0


def _media(messages: list[Message]) -> Iterator[_Place]:
    for number, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if kind_of(part):
                yield number, index, None
            elif isinstance(part, ToolResultPart):
                yield from (
                    (number, index, inner) for inner, item in enumerate(part.content) if kind_of(item)
                )


def _at(messages: list[Message], place: _Place) -> Any:
    number, index, inner = place
    part: Any = messages[number].parts[index]
    return part if inner is None else part.content[inner]


def _without(messages: list[Message], leaving: set[_Place], scope: Scope) -> list[Message]:
    numbers = {number for number, _, _ in leaving}
    return [
        _stripped(message, number, leaving, scope) if number in numbers else message
        for number, message in enumerate(messages)
    ]


def _stripped(message: Message, number: int, leaving: set[_Place], scope: Scope) -> Message:
    parts: list[Any] = []
    for index, part in enumerate(message.parts):
        if (number, index, None) in leaving:
            parts.append(_marker(part, message, scope))
        elif isinstance(part, ToolResultPart):
            content = tuple(
                _marker(item, message, scope) if (number, index, inner) in leaving else item
                for inner, item in enumerate(part.content)
            )
            parts.append(msgspec.structs.replace(part, content=content))
        else:
            parts.append(part)
    changed: Any = msgspec.structs.replace(message, parts=tuple(parts))
    return changed


def _marker(part: Any, message: Message, scope: Scope) -> TextPart:
    text = TextPart(
        text=f"[{'Picture' if isinstance(part, ImagePart) else 'File'} left out: {describe(part)}.]"
    )
    scope.note(
        "media-limit",
        "The request holds more media than this model takes; an older piece is sent as a line of text.",
        message,
        before=describe(part),
        after=text,
        severity="warning",
    )
    return text


def _limited(message: UserMessage, bounds: tuple[tuple[type, int | None], ...], scope: Scope) -> UserMessage:
    leaving: set[_Place] = set()
    for kind, bound in bounds:
        places = [index for index, part in enumerate(message.parts) if isinstance(part, kind)]
        if bound is not None and len(places) > bound:
            leaving.update((0, index, None) for index in places[: len(places) - bound])
    changed: Any = _stripped(message, 0, leaving, scope) if leaving else message
    return changed


def _limit_marks(messages: list[Message], scope: Scope) -> list[Message]:
    """At most as many cache marks as allowed: the first one, which closes the stable part, and the newest."""
    limit = scope.profile.cache_marks
    marked = [
        (number, index)
        for number, message in enumerate(messages)
        for index, part in enumerate(message.parts)
        if cache_mark(part) is not None
    ]
    if not limit or len(marked) <= limit:
        return messages
    kept = {marked[0], *marked[len(marked) - limit + 1 :]}
    scope.note("cache-marks", f"{len(marked)} cache marks are more than {limit}; {len(marked) - limit} left.")
    gone = {place for place in marked if place not in kept}
    numbers = {number for number, _ in gone}
    return [
        _unmarked(message, number, gone) if number in numbers else message
        for number, message in enumerate(messages)
    ]


def _unmarked(message: Message, number: int, gone: set[tuple[int, int]]) -> Message:
    parts: Any = tuple(
        _without_mark(part) if (number, index) in gone else part for index, part in enumerate(message.parts)
    )
    changed: Any = msgspec.structs.replace(message, parts=parts)
    return changed


def _without_mark(part: Any) -> Any:
    private = {key: value for key, value in part.private.items() if key != "cache"}
    if isinstance(private.get("anthropic"), dict):
        private["anthropic"] = {
            key: value for key, value in private["anthropic"].items() if key != "cache_control"
        }
    return msgspec.structs.replace(part, private=private)
