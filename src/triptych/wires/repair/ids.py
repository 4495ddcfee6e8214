"""Pass ``call-id``: every call id fits the target's alphabet and length, and is unique in the whole request.

The same new id goes on the call and on its result. An id that already fits and is free stays as it is; another
one is made from a digest of the old id and the number of the try, so the mapping is injective, the same on every
machine, and depends only on what stands before (litellm#23510, Switchyard#502, langchain#37756, fastllm#45).
"""

from __future__ import annotations

import re
from functools import cache

import msgspec

from triptych.model.digest import digest_text
from triptych.model.foreign import clean_text
from triptych.model.ids import CallId
from triptych.model.messages import AssistantMessage, Message, ToolMessage
from triptych.model.parts import ToolCallPart, ToolResultPart
from triptych.model.profile import Profile
from triptych.wires.repair.scope import Scope

__all__ = ["fits", "map_ids", "new_id"]

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LENGTH = 24


def map_ids(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with call ids that can be sent. Calls and results have to be paired before."""
    if not scope.profile.call_ids:
        return messages
    mapped: list[Message] = []
    names: list[str] | None = None
    for message in messages:
        if type(message) is AssistantMessage:
            names = _claimed(message, scope)
            mapped.append(_renamed_calls(message, names) if names else message)
        elif names and isinstance(message, ToolMessage):
            mapped.append(_renamed_results(message, names))
        else:
            mapped.append(message)
    return mapped


def new_id(old: str, attempt: int, profile: Profile) -> str:
    """A made id for the stored one: letters and digits only, as long as the profile allows."""
    number = int(digest_text(f"{attempt}\n{old}").removeprefix("b2:"), 16)
    length = min(profile.call_id_length or _LENGTH, _LENGTH)
    made: list[str] = []
    for _ in range(length if length < _LENGTH else _LENGTH - 4):
        number, rest = divmod(number, len(_ALPHABET))
        made.append(_ALPHABET[rest])
    return "".join(made) if length < _LENGTH else "call" + "".join(made)


def _claimed(message: AssistantMessage, scope: Scope) -> list[str] | None:
    """The ids to send for the calls of a message, in order; None when all stay as they are."""
    names: list[str] = []
    changed = False
    for part in message.parts:
        if type(part) is ToolCallPart:
            name = _claim(part.call_id, scope)
            names.append(name)
            if name != part.call_id:
                changed = True
                scope.note(
                    "call-id",
                    f"The call id {part.call_id!r} cannot be sent here or is in use; it is sent as {name!r}.",
                    message,
                    before=part.call_id,
                    after=name,
                    severity="warning",
                )
    return names if changed else None


def _claim(stored: str, scope: Scope) -> str:
    used = scope.seen.used_ids
    name = stored
    attempt = 0
    while name in used or not fits(name, scope.profile):
        name = new_id(stored, attempt, scope.profile)
        attempt += 1
    used.add(name)
    return name


def fits(name: str, profile: Profile) -> bool:
    """Whether an id has the alphabet and length that the profile allows."""
    pattern, length = profile.call_id_pattern, profile.call_id_length
    if not name or (length is not None and len(name) > length):
        return False
    if pattern is None:
        return clean_text(name) is name
    return _compiled(pattern).fullmatch(name) is not None and name != "null"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _renamed_calls(message: AssistantMessage, names: list[str]) -> AssistantMessage:
    fresh = iter(names)
    parts = tuple(
        msgspec.structs.replace(part, call_id=CallId(next(fresh))) if isinstance(part, ToolCallPart) else part
        for part in message.parts
    )
    return msgspec.structs.replace(message, parts=parts)


def _renamed_results(message: ToolMessage, names: list[str]) -> ToolMessage:
    fresh = iter(names)
    parts = tuple(
        msgspec.structs.replace(part, call_id=CallId(next(fresh)))
        if isinstance(part, ToolResultPart)
        else part
        for part in message.parts
    )
    return msgspec.structs.replace(message, parts=parts)
