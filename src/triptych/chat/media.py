"""Pictures: taken from the vault into the blob store when they are attached, and put inline when they are sent.

A message keeps the digest of a picture, so that it can be sent again after the file has changed or gone.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import BlobDigest
from triptych.model.messages import Message, UserMessage
from triptych.model.parts import BlobMedia, ImagePart, InlineMedia, ToolResultPart
from triptych.model.references import ImageReference, Reference
from triptych.model.signatures import media_type_of
from triptych.ports.blobs import BlobStore
from triptych.ports.vault import Vault

__all__ = ["inline_media", "shown_picture", "stored_pictures"]

_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


async def stored_pictures(
    references: Iterable[Reference], vault: Vault | None, blobs: BlobStore
) -> tuple[list[ImagePart], list[Diagnostic]]:
    """The pictures among the references, as parts whose bytes are in the blob store."""
    pictures: list[ImagePart] = []
    found: list[Diagnostic] = []
    for reference in references:
        if not isinstance(reference, ImageReference):
            continue
        picture, noted = await _stored(reference, vault, blobs)
        found.extend(noted)
        if picture is not None:
            pictures.append(picture)
    return pictures, found


async def _stored(
    reference: ImageReference, vault: Vault | None, blobs: BlobStore
) -> tuple[ImagePart | None, Sequence[Diagnostic]]:
    if reference.blob is not None:
        return ImagePart(media=BlobMedia(reference.blob), media_type=reference.media_type), ()
    path = reference.path or ""
    data, noted = (None, ()) if vault is None else await vault.read_bytes(path)
    if data is None:
        return None, noted or (_problem("There is no folder of notes with this picture.", path),)
    media_type = _picture_type(data)
    if media_type is None:
        return None, (
            _problem("The file is no picture that a model can read (PNG, JPEG, GIF or WebP).", path),
        )
    (digest,) = await blobs.put_blobs([data])
    return ImagePart(media=BlobMedia(digest, len(data)), media_type=media_type, name=path), noted


def _picture_type(data: bytes) -> str | None:
    """The media type of a picture that models read and pages show."""
    found = media_type_of(data)
    return found if found in _PICTURES else None


def _problem(sentence: str, path: str) -> Diagnostic:
    return Diagnostic(code="image_unread", message=sentence, where=path, severity="error")


async def shown_picture(
    messages: Iterable[Message], digest: BlobDigest, blobs: BlobStore
) -> tuple[bytes, str] | None:
    """The bytes and the media type of a stored picture that one of these messages shows; None for anything else.

    What it is, its bytes say (PNG, JPEG, GIF or WebP), never the message.
    """
    if not any(digest in _pictures(message) for message in messages):
        return None
    data = (await blobs.get_blobs([digest])).get(digest)
    media_type = None if data is None else _picture_type(data)
    return None if data is None or media_type is None else (data, media_type)


def _pictures(message: Message) -> set[BlobDigest]:
    """The stored pictures of a message, those in its tool results too."""
    inner = (one for part in message.parts if isinstance(part, ToolResultPart) for one in part.content)
    parts = (part for part in (*message.parts, *inner) if isinstance(part, ImagePart))
    return {part.media.digest for part in parts if isinstance(part.media, BlobMedia)}


async def inline_media(messages: Sequence[Message], blobs: BlobStore) -> tuple[Message, ...]:
    """The prompt with the bytes of its stored media in place; what is no longer stored stays a digest."""
    wanted = {digest for message in messages for digest in _digests(message)}
    if not wanted:
        return tuple(messages)
    bodies = await blobs.get_blobs(wanted)
    return tuple(_inlined(message, bodies) for message in messages)


def _digests(message: Message) -> list[BlobDigest]:
    media = (getattr(part, "media", None) for part in message.parts)
    return [one.digest for one in media if isinstance(one, BlobMedia)]


def _inlined(message: Message, bodies: Mapping[BlobDigest, bytes]) -> Message:
    if not isinstance(message, UserMessage) or not _digests(message):
        return message
    return msgspec.structs.replace(message, parts=tuple(_inline_part(part, bodies) for part in message.parts))


def _inline_part(part: Any, bodies: Mapping[BlobDigest, bytes]) -> Any:
    media = getattr(part, "media", None)
    if not isinstance(media, BlobMedia) or media.digest not in bodies:
        return part
    data = base64.b64encode(bodies[media.digest]).decode("ascii")
    return msgspec.structs.replace(part, media=InlineMedia(data))
