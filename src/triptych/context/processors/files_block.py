"""The words in which attachments are listed for a model: names, kinds, addresses, and the text of files.

Each medium gets a reference that is stable for its message, so that a model can name it in a tool call.

Not here: the media themselves (``media``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from triptych.context.injectors.wrapper import block, leaf
from triptych.model.rows import Row

__all__ = ["Attachments", "FilesBlock", "files_block", "media_reference"]

Item = Mapping[str, Any]
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Attachments(msgspec.Struct, frozen=True):
    """What is attached to one message."""

    images: list[Item]
    videos: list[Item]
    audios: list[Item]
    files: list[Item]

    def some(self) -> bool:
        """Whether there is anything."""
        return bool(self.images or self.videos or self.audios or self.files)


FilesBlock = Callable[[Attachments, bool, Row], str]
"""The block's text: of the attachments, whether addresses are told, and the row."""


def files_block(attached: Attachments, urls: bool, row: Row) -> str:
    """Attachments as one block, in our words."""
    lines = [
        *_media("image", attached.images, urls, row),
        *(_file(item, urls) for item in attached.files),
        *_media("video", attached.videos, urls, row),
        *_media("audio", attached.audios, urls, row),
    ]
    return block("attachments", "\n".join(lines), count=len(lines))


def media_reference(kind: str, number: int, message: Any) -> str:
    """``msg_HASH.image_1``: a medium of a message by its number; without the hash when the message has no id."""
    name = f"{kind}_{number}"
    return f"msg_{_short_hash(message)}.{name}" if isinstance(message, str) and message else name


def _media(kind: str, items: list[Item], urls: bool, row: Row) -> list[str]:
    return [
        leaf(
            kind,
            ref=media_reference(kind, number, row.get("id")),
            name=item.get("alt"),
            url=item.get("url") if urls and not str(item.get("url")).startswith("data:") else None,
        )
        for number, item in enumerate(items, start=1)
    ]


def _file(item: Item, urls: bool) -> str:
    content = item.get("content")
    return block(
        "file",
        content if isinstance(content, str) else "",
        id=item.get("id"),
        name=item.get("name"),
        type=item.get("fileType"),
        size=item.get("size"),
        url=item.get("url") if urls else None,
    )


def _short_hash(text: str) -> str:
    """FNV-1a over the first UTF-16 unit of each character, in base 36, six digits of it."""
    value = 0x811C9DC5
    for character in text:
        unit = int.from_bytes(character.encode("utf-16-le", "surrogatepass")[:2], "little")
        value = ((value ^ unit) * 0x01000193) & 0xFFFFFFFF
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = _DIGITS[digit] + digits
    return digits[:6] or "0"
