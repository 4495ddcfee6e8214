"""What every writer returns: the bytes, and the list of what could not be carried over."""

from __future__ import annotations

import msgspec

__all__ = ["Loss", "Written"]


class Loss(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One thing that the target format cannot hold.

    Attributes:
        conversation: the id of the conversation.
        message: the id of the message, or None for a property of the conversation.
        field: what is lost: a part type or a field, in the words of ``model``.
        why: one sentence.
    """

    conversation: str
    message: str | None = None
    field: str
    why: str


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a foreign format, and its loss report."""

    data: bytes
    losses: tuple[Loss, ...] = ()
