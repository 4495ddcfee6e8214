"""Our own lossless JSONL: for each conversation its record, then its messages, one JSON object a line.

    {"triptych":1,"conversation":{…},"messages":2,"source":{…},"document":"…"}
    {"message":{…}}
    {"message":{…}}

``source`` and ``document`` (or ``documentBase64``) are there when the conversation was read from another format:
they let it be written back to that format with its untouched records. Unknown keys of our own lines are ignored by
older readers, so ``triptych`` only counts up when a line changes its meaning.

A line that is neither is skipped with a diagnostic. Streams: one conversation is in memory at a time.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from triptych.formats.conversation import ImportedConversation, Source
from triptych.formats.problems import problem
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile, read_lines
from triptych.formats.written import Written
from triptych.model.codec import encode_conversation, encode_message
from triptych.model.conversations import Conversation
from triptych.model.diagnostics import Diagnostic
from triptych.model.digest import digest_bytes
from triptych.model.foreign import clean_json, read_json
from triptych.model.messages import Message
from triptych.model.tolerant import parse_message

__all__ = ["FORMAT", "VERSION", "matches", "read", "write"]

FORMAT = "triptych_jsonl"
VERSION = 1
_ENCODER = msgspec.json.Encoder()


def matches(sample: Sample) -> bool:
    """The first line says ``triptych``."""
    first = sample.object or sample.first
    return "triptych" in first and isinstance(first.get("conversation"), dict)


class _Open:
    """A conversation whose messages are being read."""

    def __init__(self, conversation: Conversation, head: dict[str, Any]) -> None:
        self.conversation = conversation
        self.head = head
        self.messages: list[Message] = []
        self.found: list[Diagnostic] = []

    def closed(self, name: str) -> ImportedConversation:
        """The whole conversation, with the source that it had before."""
        count = self.head.get("messages")
        if isinstance(count, int) and count > len(self.messages):
            self.found.append(
                problem("W_TRUNCATED_TAIL", self.conversation.id, missing=count - len(self.messages))
            )
        source, document = _source(self.head)
        return ImportedConversation(
            conversation=self.conversation,
            messages=tuple(self.messages),
            source=source or Source(format=FORMAT, id=self.conversation.id, name=name or None),
            document=document,
            diagnostics=tuple(self.found),
        )


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file; lines before the first record are skipped."""
    current: _Open | None = None
    name = file.name.rpartition("/")[2]
    for index, line in enumerate(read_lines(file)):
        if not line.strip():
            continue
        value, found = read_json(line)
        if isinstance(value, dict) and isinstance(value.get("conversation"), dict) and "triptych" in value:
            if current is not None:
                yield current.closed(name)
            opened = _opened(value)
            current = opened if isinstance(opened, _Open) else None
            if isinstance(opened, Diagnostic):
                yield opened
        elif current is not None and isinstance(value, dict) and "message" in value:
            message, problems = parse_message(value["message"], where=f"line {index + 1}")
            current.messages.append(message)
            current.found.extend((*found, *(one for one in problems if one.severity != "info")))
        else:
            lost = problem("W_BAD_LINE" if found else "W_UNKNOWN_RECORD", f"line {index + 1}")
            if current is None:
                yield lost
            else:
                current.found.append(lost)
    if current is not None:
        yield current.closed(name)


def _opened(value: dict[str, Any]) -> _Open | Diagnostic:
    try:
        return _Open(msgspec.convert(value["conversation"], Conversation), value)
    except (msgspec.ValidationError, RecursionError) as error:
        return problem("W_CONVERSATION_SKIPPED", severity="error", why=str(error))


def _source(head: dict[str, Any]) -> tuple[Source | None, bytes]:
    try:
        source = msgspec.convert(head["source"], Source) if isinstance(head.get("source"), dict) else None
    except msgspec.ValidationError:
        return None, b""
    text, packed = head.get("document"), head.get("documentBase64")
    if source is not None and isinstance(text, str):
        return source, text.encode("utf-8", "replace")
    try:
        data = base64.b64decode(packed, validate=True) if isinstance(packed, str) else b""
    except (binascii.Error, ValueError):
        data = b""
    if source is not None and source.document != digest_bytes(data):
        return None, b""
    return source, data


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """The lines; nothing is lost."""
    return Written(data=b"".join(line for imported in conversations for line in _lines(imported)))


def _lines(imported: ImportedConversation) -> Iterator[bytes]:
    head: dict[str, Any] = {
        "triptych": VERSION,
        "conversation": msgspec.Raw(encode_conversation(imported.conversation)),
        "messages": len(imported.messages),
    }
    if imported.source.format not in ("", FORMAT) and imported.document:
        head |= {"source": imported.source, **_document(imported.document)}
    yield _ENCODER.encode(head) + b"\n"
    for message in imported.messages:
        yield b'{"message":' + encode_message(message) + b"}\n"


def _document(data: bytes) -> dict[str, str]:
    """The document as text where that is reversible: no replaced bytes, nothing that reading would clean."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return {"documentBase64": base64.b64encode(data).decode("ascii")}
    if clean_json(text)[1]:
        return {"documentBase64": base64.b64encode(data).decode("ascii")}
    return {"document": text}
