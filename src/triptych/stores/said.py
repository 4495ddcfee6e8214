"""Where words were said: the same question for every store."""

from __future__ import annotations

from collections.abc import Iterable

from triptych.model.messages import Message, message_text

__all__ = ["holds", "said_in"]


def holds(words: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts has the words in it, whatever the letter case."""
    wanted = words.casefold()
    return any(wanted in text.casefold() for text in texts)


def said_in(words: str, title: str, messages: Iterable[Message]) -> bool:
    """Whether the title or the prose of a message that is not hidden has the words in it."""
    return holds(words, (title, *(message_text(one) for one in messages if not one.hidden)))
