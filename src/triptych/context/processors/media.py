"""Attached media and files become content that the model can take: parts, or words where it cannot see or hear.

User rows bring ``imageList``, ``videoList``, ``audioList``, ``fileList``; assistant rows images and signed or
pictorial reasoning; tool rows images in ``pluginState``. What a model cannot take is named in words, so it knows
that something was there.

Not here: reading any file or address. ``inline`` is handed in by who has fetched what must be inlined.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, takes
from triptych.context.processors.files_block import Attachments, FilesBlock, files_block
from triptych.context.rowwork import each_row, lines_of, listed, mapping, present, text_of
from triptych.model.rows import Row

__all__ = ["MediaWording", "media_content"]

_OURS = ("content", "createdAt", "id", "meta", "role", "updatedAt")
_OURS_IF_SAID = ("tools", "tool_calls", "tool_call_id", "name")
_SENDABLE = ("data:", "http:", "https:")
_LISTS = ("imageList", "videoList", "audioList", "fileList")
_LISTS_OF_MEDIA = frozenset(_LISTS)
_MAY_HOLD_MEDIA = frozenset({"reasoning", "metadata", "imageList"})


class MediaWording(msgspec.Struct, frozen=True, kw_only=True):
    """The words for what the model cannot take, and around files.

    Attributes:
        unseen_image: stands for one image.
        files: the block that lists attachments; of the attachments, whether addresses are told, and the row.
        slim: whether a user row with attachments keeps only what the wire needs (as the original does).
    """

    unseen_image: str = "[An image is here. This model cannot see images.]"
    files: FilesBlock = files_block
    slim: bool = False


class _Means(msgspec.Struct, frozen=True):
    """What the model takes, and how things are put."""

    image: bool
    video: bool
    audio: bool
    files: bool
    urls: bool
    wording: MediaWording
    inline: Callable[[str], str]


def media_content(
    *,
    image: bool | None = None,
    video: bool | None = None,
    audio: bool | None = None,
    files: bool = True,
    urls: bool = True,
    wording: MediaWording | None = None,
    inline: Callable[[str], str] = str,
) -> Step:
    """Turn attachments into content. None for a kind asks the model's profile.

    ``files`` lists attachments in words besides; ``urls`` tells their addresses there. ``inline`` gives what is
    sent for an image's address (the address itself, or a data URL that was made before).
    """

    def run(draft: Draft) -> Draft:
        means = _Means(
            image=takes(draft, "image") if image is None else image,
            video=takes(draft, "video") if video is None else video,
            audio=takes(draft, "audio") if audio is None else audio,
            files=files,
            urls=urls,
            wording=wording or MediaWording(),
            inline=inline,
        )
        changes = {"user": _user, "assistant": _assistant, "tool": _tool}
        return each_row(draft, lambda row: changes[row["role"]](row, means), changes)

    return Step(
        Contract(
            name="media_content",
            reads=frozenset({"flat", "roles", "template", "user.each", "feedback"}),
            writes=frozenset({"parts"}),
            scope="message",
            roles=frozenset({"user", "assistant", "tool"}),
            about="turns attachments into content that the model can take",
        ),
        run,
    )


def _user(row: Row, means: _Means) -> Row:
    content = row.get("content")
    if not isinstance(content, list) and _LISTS_OF_MEDIA.isdisjoint(row):
        return row
    attached = Attachments(*(_items(row.get(name)) for name in _LISTS))
    shown = [part for part in listed(content) if mapping(part).get("type") == "image_url"]
    if not attached.some() and not (shown and not means.image):
        return row
    texts = [content] if isinstance(content, str) else lines_of(content)
    unseen = [means.wording.unseen_image] * (0 if means.image else len(attached.images) + len(shown))
    text = "\n\n".join(piece for piece in ("\n\n".join(texts), "\n".join(unseen)) if piece)
    if means.files and attached.some():
        text = f"{text}\n\n{means.wording.files(attached, means.urls, row)}".strip()
    media = [*_user_media(attached, shown, means), *_others(content, means)]
    plain = not media and not (means.wording.slim and means.files and attached.some())
    parts = [*([{"text": text, "type": "text"}] if text else []), *media]
    return _user_row(row, text if plain and text else parts, means.wording)


def _user_media(attached: Attachments, shown: list[Any], means: _Means) -> list[Any]:
    parts: list[Any] = []
    if means.image:
        parts.extend(_image(item.get("url"), means) for item in attached.images)
        parts.extend(_again(part, means) for part in shown)
    if means.video:
        parts.extend(_address("video", item) for item in attached.videos)
    if means.audio:
        parts.extend(_address("audio", item) for item in attached.audios)
    return parts


def _others(content: Any, means: _Means) -> list[Any]:
    """Parts of other kinds that were in the content already; the original loses them."""
    known = ("text", "image_url")
    return (
        []
        if means.wording.slim
        else [part for part in listed(content) if mapping(part).get("type") not in known]
    )


def _user_row(row: Row, content: Any, wording: MediaWording) -> Row:
    if not wording.slim:
        return {**{name: value for name, value in row.items() if name not in _LISTS}, "content": content}
    slim = {
        name: content if name == "content" else row[name]
        for name in _OURS
        if name in row or name == "content"
    }
    return {**slim, **{name: row[name] for name in _OURS_IF_SAID if present(row.get(name))}}


def _assistant(row: Row, means: _Means) -> Row:
    if _MAY_HOLD_MEDIA.isdisjoint(row):
        return row
    reasoning = mapping(row.get("reasoning"))
    if reasoning.get("signature"):
        return {**row, "content": _thinking(row, reasoning)}
    pictorial = _parts_of(reasoning.get("content")) if reasoning.get("isMultimodal") else None
    said = _parts_of(row.get("content")) if mapping(row.get("metadata")).get("isMultimodal") else None
    if pictorial is not None:
        told = {**reasoning, "content": "\n".join(map(_told, pictorial)), "isMultimodal": False}
        row = {**row, "reasoning": told}
        return row if said is None else {**row, "content": _pictorial(said, means)}
    if said is not None:
        return {**row, "content": _pictorial(said, means)}
    images = _items(row.get("imageList"))
    return {**row, "content": _with_images(row.get("content"), images, means)} if images else row


def _thinking(row: Row, reasoning: Mapping[str, Any]) -> list[Any]:
    thought = {
        "signature": reasoning["signature"],
        "thinking": reasoning.get("content") or "",
        "type": "thinking",
    }
    content = row.get("content")
    return [thought, *content] if isinstance(content, list) else [thought, {"text": content, "type": "text"}]


def _parts_of(written: Any) -> list[Any] | None:
    """Parts that are written as a JSON list of them, or None."""
    if not isinstance(written, str) or not written.lstrip().startswith("["):
        return None
    try:
        parts = json.loads(written)
    except (ValueError, RecursionError):
        return None
    usable = isinstance(parts, list) and bool(parts) and bool(mapping(parts[0]).get("type"))
    return parts if usable else None


def _told(part: Any) -> str:
    known = mapping(part)
    if known.get("type") == "text":
        return str(known.get("text"))
    return f"[Image: {known.get('image')}]" if known.get("type") == "image" else ""


def _pictorial(parts: list[Any], means: _Means) -> list[Any]:
    found = (_pictorial_part(mapping(part), means) for part in parts)
    return [part for part in found if part is not None]


def _pictorial_part(part: Mapping[str, Any], means: _Means) -> dict[str, Any] | None:
    signed = (
        {"googleThoughtSignature": part["thoughtSignature"]}
        if part.get("thoughtSignature") is not None
        else {}
    )
    if part.get("type") == "text":
        return {**signed, "text": part.get("text"), "type": "text"}
    if part.get("type") != "image":
        return None
    if not means.image:
        return {"text": means.wording.unseen_image, "type": "text"}
    return {**signed, **_image(part.get("image"), means)}


def _tool(row: Row, means: _Means) -> Row:
    if "pluginState" not in row:
        return row
    images = [
        item for item in _items(mapping(row.get("pluginState")).get("images")) if _sendable(item.get("url"))
    ]
    return {**row, "content": _with_images(row.get("content"), images, means)} if images else row


def _sendable(url: Any) -> bool:
    return isinstance(url, str) and url.startswith(_SENDABLE)


def _with_images(content: Any, images: list[Mapping[str, Any]], means: _Means) -> Any:
    if not means.image:
        unseen = "\n".join([means.wording.unseen_image] * len(images))
        return "\n\n".join(piece for piece in (text_of(content), unseen) if piece)
    before = (
        list(content) if isinstance(content, list) else [{"text": content, "type": "text"}] if content else []
    )
    return [*before, *(_image(item.get("url"), means) for item in images)]


def _image(url: Any, means: _Means) -> dict[str, Any]:
    return {
        "image_url": {"detail": "auto", "url": means.inline(url) if isinstance(url, str) else url},
        "type": "image_url",
    }


def _again(part: Any, means: _Means) -> Any:
    """An image that is a part already, with its address as it is to be sent."""
    url = mapping(mapping(part).get("image_url")).get("url")
    sent = means.inline(url) if isinstance(url, str) else url
    return part if sent == url else {**part, "image_url": {**part["image_url"], "url": sent}}


def _address(kind: str, item: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": f"{kind}_url", f"{kind}_url": {"url": item.get("url")}}


def _items(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in listed(value) if isinstance(item, Mapping)]
