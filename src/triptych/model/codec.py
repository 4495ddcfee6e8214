"""Messages and conversations to JSON and back.

Two paths give the same values. The *strict fast path* is msgspec's own. Whenever a document holds anything that
it cannot take, or might take wrongly, the *tolerant path* reads it instead: unknown part types become
``UnknownPart``, unknown or ill-typed fields go to ``extra``, and each oddity gives a diagnostic. Writing is the
inverse: ``extra`` goes back among the fields and an unknown part is written as the raw value it was read from,
so that foreign data is JSON-equal after a round trip.

Laws: ``decode(encode(m)) == m`` for every message whose ``extra`` and unknown parts came from a reader;
``encode(decode(j))`` is JSON-equal to every clean JSON object ``j`` that has an id, but for fields that say their
default aloud. Readers never raise on data.

Not here: other programs' formats (``formats``) and rows (``views``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from triptych.errors import DataError
from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.foreign import clean_json, read_json
from triptych.model.messages import Message
from triptych.model.parts import EXTRA, UnknownPart
from triptych.model.tolerant import parse_message

__all__ = [
    "decode_conversation",
    "decode_message",
    "decode_message_strictly",
    "decode_messages",
    "encode_conversation",
    "encode_message",
    "encode_messages",
    "message_to_json",
    "part_to_json",
    "read_messages",
]

_MESSAGE = msgspec.json.Decoder(Message)
_MESSAGES = msgspec.json.Decoder(list[Message])
_CONVERSATION = msgspec.json.Decoder(Conversation)
_ENCODER = msgspec.json.Encoder()
_TRAPS = (b'"unknown"', EXTRA.encode(), b"\\u0000")
"""Texts whose presence means that the fast path could read something as our own that is foreign."""

_MARKS = (b'"type":"unknown"', EXTRA.encode())
"""Texts whose presence in natively written JSON means that something has to be unfolded."""


def decode_message(data: bytes) -> tuple[Message, tuple[Diagnostic, ...]]:
    """One message from JSON bytes; anything whatever gives a message and says what was wrong with it."""
    if not any(trap in data for trap in _TRAPS):
        try:
            return _MESSAGE.decode(data), ()
        except (msgspec.DecodeError, ValueError, RecursionError):
            pass
    value, noted = read_json(data)
    message, found = parse_message(value)
    return message, (*noted, *found)


def decode_message_strictly(data: bytes) -> Message:
    """One message from JSON bytes, or a ``DataError`` with the path of the first thing that does not fit."""
    try:
        return _MESSAGE.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError) as problem:
        sentence, _, path = str(problem).partition(" - at `")
        raise DataError(sentence, path=path.rstrip("`") or "$") from problem


def decode_messages(data: bytes) -> tuple[list[Message], tuple[Diagnostic, ...]]:
    """A JSON array of messages. Where it is no array, the list is empty and a diagnostic says so."""
    if not any(trap in data for trap in _TRAPS):
        try:
            return _MESSAGES.decode(data), ()
        except (msgspec.DecodeError, ValueError, RecursionError):
            pass
    value, noted = read_json(data)
    if not isinstance(value, list):
        problem = Diagnostic(code="not_a_list", message="A list of messages was expected.", severity="error")
        return [], (*noted, *(() if noted else (problem,)))
    messages, found = read_messages(value, cleaned=True)
    return messages, (*noted, *found)


def read_messages(
    values: Iterable[Any], *, cleaned: bool = False
) -> tuple[list[Message], tuple[Diagnostic, ...]]:
    """Messages from JSON values that are already in memory."""
    messages: list[Message] = []
    found: list[Diagnostic] = []
    for index, raw in enumerate(values):
        value, noted = (raw, ()) if cleaned else clean_json(raw)
        message, problems = parse_message(value, where=f"$[{index}]")
        messages.append(message)
        found.extend((*noted, *problems))
    return messages, tuple(found)


def encode_message(message: Message) -> bytes:
    """One message as JSON bytes (UTF-8, no spaces)."""
    return _unfolded(_ENCODER.encode(message), message)


def encode_messages(messages: list[Message]) -> bytes:
    """A JSON array of messages."""
    data = _ENCODER.encode(messages)
    if not any(mark in data for mark in _MARKS):
        return data
    return _ENCODER.encode([msgspec.Raw(encode_message(message)) for message in messages])


def message_to_json(message: Message) -> dict[str, Any]:
    """The JSON object of a message, as plain Python values."""
    return msgspec.json.decode(encode_message(message))


def part_to_json(part: Any) -> Any:
    """The JSON value of one part, as it stands in its message."""
    return _flat(part)


def decode_conversation(data: bytes) -> Conversation:
    """Our own conversation record; a ``DataError`` when it is not one."""
    try:
        return _CONVERSATION.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError) as problem:
        raise DataError(str(problem)) from problem


def encode_conversation(conversation: Conversation) -> bytes:
    """Our own conversation record."""
    return _ENCODER.encode(conversation)


def _unfolded(data: bytes, value: Any) -> bytes:
    if not any(mark in data for mark in _MARKS):
        return data
    return _ENCODER.encode(_flat(value))


def _flat(value: Any) -> Any:
    """A struct tree as builtins, with ``extra`` among the fields and unknown parts as they were."""
    if isinstance(value, tuple):
        return [_flat(item) for item in value]
    if not isinstance(value, msgspec.Struct):
        return value
    if isinstance(value, UnknownPart):
        return value.raw
    flat: dict[str, Any] = _tagged(value)
    for name, written, default in _fields(type(value)):
        item = getattr(value, name)
        if name != "extra" and item is not default and item != default:
            flat[written] = _flat(item)
    return flat | (getattr(value, "extra", None) or {})


def _tagged(value: msgspec.Struct) -> dict[str, Any]:
    config = value.__struct_config__
    return {config.tag_field: config.tag} if config.tag_field else {}


def _fields(kind: type[msgspec.Struct]) -> list[tuple[str, str, Any]]:
    return [(field.name, field.encode_name, field.default) for field in msgspec.structs.fields(kind)]
