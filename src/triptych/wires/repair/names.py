"""Pass ``message-name``: the ``name`` that a foreign message carries fits the target, or is not sent.

A person's or an agent's name with a space is a reason for a 400 at OpenAI (langchain#35054); most servers ignore
names, so their profiles have no pattern and nothing is sent.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from triptych.model.messages import Message
from triptych.model.profile import Profile
from triptych.wires.repair.scope import Scope

__all__ = ["mend_names", "sent_name"]


def sent_name(message: Message, profile: Profile) -> str | None:
    """The name as it may be sent, or None."""
    name = message.extra.get("name") if message.extra else None
    if not isinstance(name, str) or profile.message_name_pattern is None:
        return None
    if re.fullmatch(profile.message_name_pattern, name):
        return name
    return re.sub("[^a-zA-Z0-9_-]+", "_", name).strip("_")[:64].strip("_") or None


def mend_names(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with names that may be sent."""
    if scope.profile.message_name_pattern is None or not any(message.extra for message in messages):
        return messages
    return [_mended(message, scope) for message in messages]


def _mended(message: Message, scope: Scope) -> Message:
    stored = message.extra.get("name") if message.extra else None
    if not isinstance(stored, str):
        return message
    name = sent_name(message, scope.profile)
    if name == stored:
        return message
    scope.note("message-name", "A name that may not be sent was changed.", message, before=stored, after=name)
    extra = {key: value for key, value in (message.extra or {}).items() if key != "name"}
    changed: Any = msgspec.structs.replace(message, extra={**extra, "name": name} if name else extra or None)
    return changed
