"""The prompt face: a message as a model may read it.

Data for applications, errors, sources and references leave, and thinking that a model wrote into its prose between
``<think>`` marks; words, reasoning, calls, results and media stay, in order and byte for byte, so that what was sent
once is sent the same again. A hidden message is still read. Total and pure. Not here: the text of what was attached (``context.envelope``), and what a provider allows (``wires``).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from triptych.model.parts import DataPart, ErrorPart, ReferencePart, SourcePart, TextPart, UnknownPart

__all__ = ["to_prompt", "with_text"]

_THINKING = re.compile(r"\A\s*(?:<think>.*?(?:</think>\s*|\Z))+", re.DOTALL)
_NOT_FOR_MODELS = (DataPart, ErrorPart, ReferencePart, SourcePart, UnknownPart)


def to_prompt(message: Message) -> Message | None:
    """The message as a model reads it; None when nothing of it is for a model."""
    parts: tuple[Any, ...] = tuple(part for part in message.parts if not isinstance(part, _NOT_FOR_MODELS))
    if isinstance(message, AssistantMessage):
        parts = tuple(_spoken(part) for part in parts)
    if not any(_says_something(part) for part in parts):
        return None
    return _bare(message, parts)


def with_text(message: UserMessage, text: str) -> UserMessage:
    """A user message whose prose is this text (what was attached, then the words), its media behind it."""
    media = tuple(part for part in message.parts if not isinstance(part, (*_NOT_FOR_MODELS, TextPart)))
    return UserMessage(id=message.id, parts=(TextPart(text=text), *media))


def _spoken(part: Any) -> Any:
    """Prose without the thinking that some models write into it, in front of what they say."""
    if not isinstance(part, TextPart) or not part.text.lstrip().startswith("<think>"):
        return part
    return msgspec.structs.replace(part, text=_THINKING.sub("", part.text))


def _says_something(part: Any) -> bool:
    return not isinstance(part, TextPart) or bool(part.text)


def _bare(message: Message, parts: tuple[Any, ...]) -> Message:
    """Only what a prompt needs: equal prompts are equal values."""
    kind: type[Message] = type(message)
    if isinstance(message, AssistantMessage):
        return AssistantMessage(
            id=message.id, parts=parts, status=message.status, provider=message.provider, model=message.model
        )
    if kind in {SystemMessage, UserMessage, ToolMessage}:
        return kind(id=message.id, parts=parts)
    return msgspec.structs.replace(message, parts=parts)
