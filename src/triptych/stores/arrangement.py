"""The order in which stored messages are handed out: that of arrival, with siblings in their own order.

A reader of such a list finds siblings as they stand; a moved or inserted message takes the slot that its place
among the siblings says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from triptych.model.ids import MessageId
from triptych.model.messages import Message

__all__ = ["arranged"]


def arranged(
    messages: Sequence[Message], siblings: Mapping[MessageId | None, Iterable[MessageId]]
) -> tuple[Message, ...]:
    """Messages given in the order of arrival, each group of siblings filling its slots in the order named."""
    by_id = {message.id: message for message in messages}
    queues = {parent: iter(order) for parent, order in siblings.items()}
    return tuple(by_id[next(queues[message.parent_id])] for message in messages)
