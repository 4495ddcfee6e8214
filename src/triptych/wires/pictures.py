"""Bytes in text: ``data:`` addresses, and the kind and size of a picture read from its first bytes.

Not here: what a target takes (``repair.media``).
"""

from __future__ import annotations

import binascii
import re
from urllib.parse import unquote_to_bytes

from triptych.model.parts import InlineMedia

__all__ = ["data_url", "inline_media", "picture_side"]

_ADDRESS = re.compile(r"data:(?P<type>[^;,]*)(?P<options>(?:;[^;,]*)*),", re.IGNORECASE)
_HEAD = 87_384
_START_OF_FRAME = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)))


def data_url(media_type: str, data: str) -> str:
    """The ``data:`` address of base64 text."""
    return f"data:{media_type};base64,{data}"


def inline_media(url: str) -> tuple[InlineMedia, str | None] | None:
    """The bytes of a ``data:`` address and its media type; None when it cannot be read."""
    found = _ADDRESS.match(url)
    if found is None:
        return None
    body = url[found.end() :]
    if not found["options"].lower().endswith(";base64"):
        body = binascii.b2a_base64(unquote_to_bytes(body), newline=False).decode()
    return InlineMedia(data=body), found["type"].lower() or None


def picture_side(data: str) -> tuple[int | None, str | None]:
    """The longest side in pixels and the media type of a picture in base64; None for what cannot be told."""
    head = data[:_HEAD]
    try:
        raw = binascii.a2b_base64(head[: len(head) // 4 * 4])
    except (ValueError, binascii.Error):
        return None, None
    if raw.startswith(b"\x89PNG\r\n\x1a\n"):
        return _big(raw, 16, 20), "image/png"
    if raw[:6] in {b"GIF87a", b"GIF89a"}:
        return _longest(raw[6:10], "little"), "image/gif"
    if raw.startswith(b"\xff\xd8"):
        return _jpeg_side(raw), "image/jpeg"
    if raw.startswith(b"RIFF") and raw[8:12] == b"WEBP":
        return _webp_side(raw), "image/webp"
    return None, "application/pdf" if raw.startswith(b"%PDF") else None


def _big(raw: bytes, first: int, second: int) -> int | None:
    if len(raw) < second + 4:
        return None
    return max(int.from_bytes(raw[place : place + 4], "big") for place in (first, second)) or None


def _longest(pair: bytes, order: str) -> int | None:
    if len(pair) < 4:  # two numbers of two bytes
        return None
    little = order == "little"
    return max(int.from_bytes(part, "little" if little else "big") for part in (pair[:2], pair[2:]))


def _jpeg_side(raw: bytes) -> int | None:
    """Walk the segments to the frame header."""
    place = 2
    while place + 9 <= len(raw) and raw[place] == 0xFF:  # every segment starts so
        marker = raw[place + 1]
        if marker in _START_OF_FRAME:
            return _longest(raw[place + 5 : place + 9], "big")
        place += 2 + int.from_bytes(raw[place + 2 : place + 4], "big")
    return None


def _webp_side(raw: bytes) -> int | None:
    if raw[12:16] == b"VP8X" and len(raw) >= 30:  # the size of that header
        return 1 + max(int.from_bytes(raw[24:27], "little"), int.from_bytes(raw[27:30], "little"))
    if raw[12:16] == b"VP8 " and len(raw) >= 30:  # likewise
        return max(int.from_bytes(raw[place : place + 2], "little") & 0x3FFF for place in (26, 28))
    return None
