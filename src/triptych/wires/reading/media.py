"""Media as wires spell them, to our media values."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from typing import Any

from triptych.model.parts import ImagePart, InlineMedia, Media, UrlMedia
from triptych.wires.reading.values import as_map, as_text

__all__ = ["image_from_url", "joined_base64", "media_from_url"]

_LONGEST_TYPE = 120


def media_from_url(url: str) -> tuple[Media, str | None]:
    """The media behind an address, and its type where a ``data:`` address tells it."""
    head, comma, data = url.partition(",")
    if not (head[:5].lower() == "data:" and comma and head.lower().endswith(";base64")):
        return UrlMedia(url=url), None
    return InlineMedia(data="".join(data.split())), head[5:].split(";")[0][:_LONGEST_TYPE].lower() or None


def image_from_url(value: Any) -> ImagePart | None:
    """An ``image_url``: an address, or an object with ``url`` and ``detail``; None when there is no address."""
    fields = as_map(value)
    url = as_text(fields.get("url")) or as_text(value)
    if not url:
        return None
    media, media_type = media_from_url(url)
    return ImagePart(media=media, media_type=media_type, detail=as_text(fields.get("detail")) or None)


def joined_base64(pieces: Iterable[str]) -> str:
    """Base64 that came in pieces, each of which may be padded, as one text."""
    found = [piece for piece in pieces if piece]
    if not any("=" in piece for piece in found[:-1]):
        return "".join(found)
    try:
        return base64.b64encode(b"".join(base64.b64decode(piece) for piece in found)).decode("ascii")
    except (binascii.Error, ValueError):
        return "".join(found)
