"""Pass ``characters``: what no wire or database can hold (lone surrogates, NUL) becomes U+FFFD.

A lone surrogate fails in every HTTP client at encoding (aider#3460); valid emoji are not touched.
"""

from __future__ import annotations

from triptych.model.foreign import clean_text
from triptych.model.messages import Message
from triptych.wires.repair.scope import Scope

__all__ = ["clean"]


def clean(text: str, message: Message, scope: Scope) -> str:
    """The text without characters that cannot be sent; the same object when there are none."""
    if text.isascii() and "\x00" not in text:
        return text
    cleaned = clean_text(text)
    if cleaned is not text:
        scope.note(
            "characters",
            "Characters that cannot be sent (lone surrogates, NUL) were replaced by U+FFFD.",
            message,
            before=text,
            after=cleaned,
            severity="warning",
        )
    return cleaned
