"""From stored conversations to files of any format: the source that each came from, its blobs, names, losses.

Pure: the caller fetches documents and blobs from the store and puts the bytes where they belong.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from triptych.errors import UsageError
from triptych.formats.conversation import ImportedConversation, Source
from triptych.formats.notebook.names import clean_name, shorten
from triptych.formats.registry import FORMATS, find_format, load_writer
from triptych.formats.written import Loss
from triptych.model.conversations import Conversation
from triptych.model.digest import digest_bytes
from triptych.model.ids import BlobDigest
from triptych.model.messages import Message
from triptych.model.parts import BlobMedia, InlineMedia, ToolResultPart

__all__ = [
    "HOLDS_MANY",
    "Exported",
    "blob_digests",
    "document_digest",
    "export_conversation",
    "export_conversations",
    "format_for",
    "inline_blobs",
    "restored_conversation",
]

HOLDS_MANY = frozenset({"triptych_jsonl", "openwebui", "finetune", "sharegpt"})
"""Formats whose files hold any number of conversations."""

_NAME_BYTES = 100
_SUFFIXES = {".md": "notebook", ".jsonl": "triptych_jsonl"}


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A file to be written: its name, its bytes, and what is not in it."""

    name: str
    data: bytes
    losses: tuple[Loss, ...] = ()


def document_digest(conversation: Conversation) -> BlobDigest | None:
    """The blob of the document that a stored conversation was imported from."""
    source = _source(conversation)
    return source.document if source else None


def restored_conversation(
    conversation: Conversation, messages: Sequence[Message], document: bytes | None
) -> ImportedConversation:
    """A stored conversation as writers take it; ``document`` is the blob of ``document_digest``, if there is one."""
    source = _source(conversation)
    if source is None or document is None or source.document != digest_bytes(document):
        source, document = Source(format=""), b""
    return ImportedConversation(
        conversation=conversation, messages=tuple(messages), source=source, document=document
    )


def _source(conversation: Conversation) -> Source | None:
    noted = (conversation.metadata or {}).get("source")
    try:
        return msgspec.convert(noted, Source) if isinstance(noted, dict) else None
    except msgspec.ValidationError:
        return None


def export_conversation(imported: ImportedConversation, format_name: str) -> Exported:
    """One conversation as one file, called by its title."""
    known = find_format(format_name)
    written = load_writer(known).write([imported])
    title = clean_name(imported.conversation.title or imported.conversation.id)
    return Exported(name=shorten(title, _NAME_BYTES) + known.suffix, data=written.data, losses=written.losses)


def export_conversations(conversations: Sequence[ImportedConversation], format_name: str) -> Exported:
    """Several conversations as one file, for formats that can; a usage error for others."""
    known = find_format(format_name)
    written = load_writer(known).write(conversations)
    return Exported(name=f"conversations{known.suffix}", data=written.data, losses=written.losses)


def format_for(name: str, *, option: str = "--to") -> str:
    """The format that a file's name asks for; a usage error, which names the option, when it could be any."""
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    names = ", ".join(known.name for known in FORMATS if known.writer)
    raise UsageError(f"Say with {option} which format {name!r} should have: {names}.")


def blob_digests(imported: ImportedConversation) -> list[BlobDigest]:
    """The blobs that messages show (pictures, files), each once."""
    found: dict[BlobDigest, None] = {}
    for message in imported.messages:
        for part in _parts(message):
            media = getattr(part, "media", None)
            if isinstance(media, BlobMedia):
                found[media.digest] = None
    return list(found)


def _parts(message: Message) -> list[Any]:
    inner = [one for part in message.parts if isinstance(part, ToolResultPart) for one in part.content]
    return [*message.parts, *inner]


def inline_blobs(imported: ImportedConversation, bodies: Mapping[BlobDigest, bytes]) -> ImportedConversation:
    """The conversation with these blobs in the messages themselves, so that the bytes go along into the file."""
    if not bodies:
        return imported
    messages = tuple(_inlined(message, bodies) for message in imported.messages)
    return msgspec.structs.replace(imported, messages=messages)


def _inlined(message: Message, bodies: Mapping[BlobDigest, bytes]) -> Message:
    parts: Any = tuple(_inlined_part(part, bodies) for part in message.parts)
    return message if parts == message.parts else msgspec.structs.replace(message, parts=parts)


def _inlined_part(part: Any, bodies: Mapping[BlobDigest, bytes]) -> Any:
    if isinstance(part, ToolResultPart):
        content: Any = tuple(_inlined_part(one, bodies) for one in part.content)
        return msgspec.structs.replace(part, content=content)
    media = getattr(part, "media", None)
    if not isinstance(media, BlobMedia) or media.digest not in bodies:
        return part
    data = base64.b64encode(bodies[media.digest]).decode("ascii")
    return msgspec.structs.replace(part, media=InlineMedia(data=data))
