"""The beginning of a message as one short text: to recognise it in summaries, lists and tests."""

from __future__ import annotations

from typing import Any

from triptych.model import parts as words
from triptych.model.messages import Message

__all__ = ["is_empty", "text_head"]

_LENGTH = 40
_LABELS: dict[type, str] = {
    words.ReasoningPart: "[reasoning]",
    words.ToolCallPart: "[tool_call]",
    words.ToolResultPart: "[tool_result]",
    words.ImagePart: "[image]",
    words.AudioPart: "[audio]",
    words.VideoPart: "[file]",
    words.FilePart: "[file]",
    words.ReferencePart: "[file]",
    words.ErrorPart: "[error]",
}


def text_head(message: Message) -> str:
    """The first 40 characters of its text, white space collapsed; without text, what its first part is.

    Text is what text parts (and refusals) say, joined by a blank.
    """
    texts = [part.text for part in message.parts if isinstance(part, words.TextPart | words.RefusalPart)]
    head = " ".join(" ".join(texts).split())[:_LENGTH]
    if head:
        return head
    first = next((part for part in message.parts if not _is_blank(part)), None)
    return "[empty]" if first is None else _LABELS.get(type(first), "[unknown]")


def is_empty(message: Message) -> bool:
    """Whether a message says nothing at all."""
    return all(_is_blank(part) for part in message.parts)


def _is_blank(part: Any) -> bool:
    return isinstance(part, words.TextPart) and not part.text.strip()
