"""Shortening a prompt by whole turns, for programs that use this room alone.

A turn is a user message and everything that answers it; a call and its results are never parted. System messages
stay, and so does the last turn in which a person said something (the open tool loop with it), whatever the limit
says.

Not here: the session's own plan, with layers, compaction and summaries (``context.budget``).
"""

from __future__ import annotations

from collections.abc import Callable

from triptych.model.messages import Message, SystemMessage, UserMessage
from triptych.model.parts import (
    AudioPart,
    FilePart,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    VideoPart,
)

__all__ = ["estimate_tokens", "keep_last", "keep_within"]

_BYTES = 4
_MESSAGE = 4
_MEDIUM = 1_200


def keep_last(messages: list[Message], count: int) -> list[Message]:
    """The messages of the newest whole turns that are together at most ``count`` messages, system text apart."""
    return _keep(messages, count, len)


def keep_within(
    messages: list[Message], tokens: int, measure: Callable[[Message], int] | None = None
) -> list[Message]:
    """The messages of the newest whole turns that fit into ``tokens`` together with all system text.

    ``measure`` counts the tokens of a message; a rough estimate is used when it is left out.
    """
    count = measure or estimate_tokens
    system = sum(count(message) for message in messages if isinstance(message, SystemMessage))
    return _keep(messages, tokens - system, lambda turn: sum(map(count, turn)))


def estimate_tokens(message: Message) -> int:
    """A rough number of tokens: a quarter of the bytes, at least one a word; a fixed cost for each medium."""
    return _MESSAGE + sum(map(_part_tokens, message.parts))


def _part_tokens(part: object) -> int:
    match part:
        case TextPart(text=text) | ReasoningPart(text=text):
            return _text_tokens(text)
        case ToolCallPart(name=name, arguments=arguments):
            return _text_tokens(name) + _text_tokens(arguments)
        case ToolResultPart(content=content):
            return sum(map(_part_tokens, content))
        case ImagePart() | AudioPart() | VideoPart() | FilePart():
            return _MEDIUM
        case _:
            return 0


def _text_tokens(text: str) -> int:
    return max(len(text.split()), -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES))


def _keep(messages: list[Message], limit: int, size: Callable[[list[Message]], int]) -> list[Message]:
    turns = _turns([message for message in messages if not isinstance(message, SystemMessage)])
    kept: set[int] = set()
    total = 0
    spoken = False
    for turn in reversed(turns):
        total += size(turn)
        if spoken and total > limit:
            break
        kept.update(map(id, turn))
        spoken = spoken or any(map(_says_something, turn))
    return [message for message in messages if isinstance(message, SystemMessage) or id(message) in kept]


def _says_something(message: Message) -> bool:
    if not isinstance(message, UserMessage):
        return False
    return any(not isinstance(part, TextPart) or bool(part.text.strip()) for part in message.parts)


def _turns(messages: list[Message]) -> list[list[Message]]:
    """The messages by turns; neighbouring user messages belong together."""
    turns: list[list[Message]] = []
    before: Message | None = None
    for message in messages:
        starts = isinstance(message, UserMessage) and not isinstance(before, UserMessage)
        if starts or not turns:
            turns.append([])
        turns[-1].append(message)
        before = message
    return turns
