"""What media cost, by the rules that vendors publish. Sizes that nobody knows are taken as a usual picture.

* OpenAI (vision guide): a picture is fitted into 2048 × 2048, its short side into 768; 85 tokens and 170 for each
  tile of 512. Low detail: 85. Audio: one token for 100 ms.
* Anthropic (vision guide): width × height / 750, of a picture fitted into 1568 × 1568.
* Google (token guide): 258 for a picture up to 384 × 384, else 258 for each tile of 768. Video 263 and audio 32 a
  second.

Not here: reading a medium to learn its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from triptych.context.rowwork import listed, mapping
from triptych.model.rows import Row

__all__ = ["image_tokens", "media_tokens", "second_tokens"]

_SIDE = 1024
_SECONDS = 10
_PAGE = 1500


def image_tokens(
    family: str, width: int | None = None, height: int | None = None, *, low: bool = False
) -> int:
    """The tokens of a picture for a family of models."""
    rule = _IMAGES.get(family, _openai_image)
    return rule(max(1, width or _SIDE), max(1, height or _SIDE), low)


def second_tokens(family: str, kind: str) -> int:
    """The tokens of a second of ``audio`` or ``video``."""
    if kind == "video":
        return 263
    return 32 if family == "google" else 10


def media_tokens(row: Row, family: str = "openai") -> int:
    """The tokens of the media that a row brings, as parts of its content or as lists beside it."""
    total = sum(_part(mapping(part), family) for part in listed(row.get("content")))
    for kind, name in (("image", "imageList"), ("video", "videoList"), ("audio", "audioList")):
        total += sum(_item(kind, mapping(item), family) for item in listed(row.get(name)))
    return total


def _part(part: Mapping[str, Any], family: str) -> int:
    kind = str(part.get("type") or "").removesuffix("_url").removeprefix("input_")
    if kind == "image":
        low = mapping(part.get("image_url")).get("detail") == "low"
        return image_tokens(family, _size(part, "width"), _size(part, "height"), low=low)
    if kind in ("video", "audio"):
        return _item(kind, part, family)
    return _PAGE if kind in ("file", "document") else 0


def _item(kind: str, item: Mapping[str, Any], family: str) -> int:
    if kind == "image":
        return image_tokens(family, _size(item, "width"), _size(item, "height"))
    return math.ceil(second_tokens(family, kind) * (_size(item, "duration") or _SECONDS))


def _size(item: Mapping[str, Any], name: str) -> int | None:
    value = item.get(name)
    return int(value) if isinstance(value, int | float) and 0 < value < 1_000_000 else None


def _openai_image(width: int, height: int, low: bool) -> int:
    if low:
        return 85
    fit = min(1.0, 2048 / max(width, height))
    fit = min(fit, 768 / min(width * fit, height * fit) * fit)
    return 85 + 170 * math.ceil(width * fit / 512) * math.ceil(height * fit / 512)


def _anthropic_image(width: int, height: int, _low: bool) -> int:
    fit = min(1.0, 1568 / max(width, height))
    return math.ceil(width * fit * height * fit / 750)


def _google_image(width: int, height: int, _low: bool) -> int:
    if max(width, height) <= 384:
        return 258
    return 258 * math.ceil(width / 768) * math.ceil(height / 768)


_IMAGES: Mapping[str, Callable[[int, int, bool], int]] = {
    "anthropic": _anthropic_image,
    "google": _google_image,
    "openai": _openai_image,
}
