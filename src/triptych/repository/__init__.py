"""The single truth: the message tree of one conversation, in memory."""

from triptych.repository.changes import (
    Change,
    ConversationUpdated,
    EnvelopeAttached,
    MessageAdded,
    MessageMoved,
    MessageRemoved,
    MessageUpdated,
)
from triptych.repository.invariants import invariants
from triptych.repository.repository import Repository
from triptych.repository.stats import Stats, stats

__all__ = [
    "Change",
    "ConversationUpdated",
    "EnvelopeAttached",
    "MessageAdded",
    "MessageMoved",
    "MessageRemoved",
    "MessageUpdated",
    "Repository",
    "Stats",
    "invariants",
    "stats",
]
