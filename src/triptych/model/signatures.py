"""What kind of file some bytes are, by how they begin; what a name or a message says of them is not asked."""

from __future__ import annotations

__all__ = ["media_type_of"]

_MEDIA_TYPES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"%PDF-", "application/pdf"),
)


def media_type_of(data: bytes) -> str | None:
    """The media type of an image or PDF, by its first bytes; None for anything else."""
    for start, media_type in _MEDIA_TYPES:
        if data.startswith(start):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:12] in {b"ftypavif", b"ftypheic"}:
        return f"image/{data[8:12].decode()}"
    return "image/svg+xml" if b"<svg" in data[:1000].lower() else None
