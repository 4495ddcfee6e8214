"""Counting a conversation."""

from __future__ import annotations

from collections import Counter

import msgspec

from triptych.model.messages import role_of
from triptych.repository.repository import Repository

__all__ = ["Stats", "stats"]


class Stats(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """``display`` and ``prompt`` count messages of the active path: those people see, and those a model reads."""

    total: int
    visible: int
    by_role: dict[str, int]
    display: int
    prompt: int


def stats(repository: Repository) -> Stats:
    """How many messages there are, how many are not hidden, and how many are on the active path."""
    messages = repository.messages
    path = repository.path()
    with_results = sum(1 + len(repository.results(message.id)) for message in path)
    return Stats(
        total=len(messages),
        visible=sum(not message.hidden for message in messages),
        by_role=dict(Counter(role_of(message) for message in messages)),
        display=sum(not message.hidden for message in path),
        prompt=with_results,
    )
