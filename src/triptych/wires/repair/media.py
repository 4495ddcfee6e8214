"""Pass ``media``: pictures, sound, film and files go where the target reads them, or a line of text says what they were.

A kind, a media type or a source that the target does not take is replaced by a marker that names the piece; a
file whose text is known travels as text. Media in tool results move into a marked user turn behind *all* results
of the step where only users may show pictures (OpenHands#7700).

Not here: limits of number and size (``limits``).
"""

from __future__ import annotations

import binascii
from typing import Any

import msgspec

from triptych.model.foreign import clean_text
from triptych.model.messages import Message, ToolMessage
from triptych.model.parts import (
    AudioPart,
    FilePart,
    ImagePart,
    InlineMedia,
    Media,
    ProviderMedia,
    TextPart,
    ToolResultPart,
    UrlMedia,
    UserPart,
    VideoPart,
)
from triptych.wires.pictures import inline_media, picture_side
from triptych.wires.repair.scope import Scope, user_turn

__all__ = ["MediaPart", "admit", "describe", "kind_of", "move_tool_media"]

MediaPart = ImagePart | AudioPart | VideoPart | FilePart
_KINDS: dict[type, str] = {ImagePart: "image", AudioPart: "audio", VideoPart: "video", FilePart: "file"}
_USUAL = {
    "image": "image/png",
    "audio": "audio/wav",
    "video": "video/mp4",
    "file": "application/octet-stream",
}
_OTHER_NAMES = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "audio/mp3": "audio/mpeg",
    "audio/x-mp3": "audio/mpeg",
    "audio/wave": "audio/wav",
    "audio/x-wav": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "application/x-pdf": "application/pdf",
    "text/x-markdown": "text/markdown",
}
"""What programs write for a media type that has another name."""
_TEXTS = frozenset({"application/json", "application/xml", "application/yaml", "application/x-yaml"})
"""Media types of files that are text, beside ``text/*``."""
_FIRST_BYTES = 64
"""Base64 characters that tell what kind of picture it is."""
_WORDS = {"image": "picture", "audio": "sound", "video": "film", "file": "file"}


def kind_of(part: Any) -> str | None:
    """``image``, ``audio``, ``video`` or ``file``; None when the part is no medium."""
    return _KINDS.get(type(part))


def admit(part: MediaPart, kinds: tuple[str, ...], message: Message, scope: Scope) -> MediaPart | TextPart:
    """The medium, in a form that the target takes; or a text that stands for it. Admitted media are counted."""
    mended = _as_its_kind(_with_inline_data(part))
    kind = _KINDS[type(mended)]
    problem = _problem(mended, kind, kinds, scope)
    if problem is None:
        _count(mended, scope)
        if part.media_type not in {None, mended.media_type}:
            sentence = f"A {_WORDS[kind]} said to be {part.media_type} is sent as {mended.media_type}."
            scope.note("media-type", sentence, message, before=part.media_type, after=mended.media_type)
        return mended
    text = _stand_in(mended, kind, problem)
    scope.note(
        "media",
        f"A {_WORDS[kind]} is sent as text: {problem}.",
        message,
        before=mended,
        after=text,
        severity="warning",
    )
    return TextPart(text=text)


def describe(part: MediaPart) -> str:
    """A name for the piece, for people and models: its file name, its description, or its type."""
    named = part.name or (part.alt if isinstance(part, ImagePart) else None)
    return named or part.media_type or _WORDS[_KINDS[type(part)]]


def _with_inline_data(part: MediaPart) -> MediaPart:
    """The part with a ``data:`` address opened and a missing media type filled in."""
    media = part.media
    if isinstance(media, UrlMedia) and media.url[:5].lower() == "data:":
        opened = inline_media(media.url)
        if opened is not None:
            media, found = opened
            part = msgspec.structs.replace(part, media=media, media_type=part.media_type or found)
    media_type = _true_type(part, media)
    return part if media_type == part.media_type else msgspec.structs.replace(part, media_type=media_type)


def _true_type(part: MediaPart, media: Media | None) -> str | None:
    """The media type by its right name; of a picture, what its first bytes say (llxprt-code#2130)."""
    stated = part.media_type
    plain = stated.partition(";")[0].strip().lower() if stated else None
    named = _OTHER_NAMES.get(plain, plain) if plain else None
    if not isinstance(media, InlineMedia) or (named and not named.startswith("image/")):
        return named
    _, found = picture_side(media.data[:_FIRST_BYTES])
    if named and not (found or "").startswith("image/"):
        return named
    return found or _USUAL[_KINDS[type(part)]]


def _as_its_kind(part: MediaPart) -> MediaPart:
    """A file whose type says that it is a picture is one."""
    if isinstance(part, FilePart) and part.media is not None and (part.media_type or "").startswith("image/"):
        return ImagePart(media=part.media, media_type=part.media_type, name=part.name, private=part.private)
    return part


def _problem(part: MediaPart, kind: str, kinds: tuple[str, ...], scope: Scope) -> str | None:
    """Why the target cannot take it, or None."""
    profile = scope.profile
    if kind not in kinds:
        return "it cannot be shown here"
    if profile.media_types and part.media_type and part.media_type not in profile.media_types:
        return f"{part.media_type} is not read here"
    if kind != "file" and part.media_type and not part.media_type.startswith(f"{kind}/"):
        return f"{part.media_type} is no {_WORDS[kind]}"
    media = part.media
    if media is None:
        return "its bytes are not there"
    if isinstance(media, InlineMedia):
        return None if _is_base64(media.data) else "its bytes are not readable"
    if isinstance(media, UrlMedia):
        fits = kind in profile.url_media and _is_plain(media.url)
        return None if fits and media.url[:4] == "http" else "its address cannot be sent"
    if isinstance(media, ProviderMedia):
        fits = kind in profile.provider_media and media.family == profile.family
        return None if fits and _is_plain(media.file_id) else "it was uploaded elsewhere"
    return "its bytes were not fetched"


def _is_plain(text: str) -> bool:
    return text.isascii() and "\x00" not in text


def _is_base64(data: str) -> bool:
    try:
        return bool(binascii.a2b_base64(data, strict_mode=True))
    except (ValueError, binascii.Error):
        return False


def _stand_in(part: MediaPart, kind: str, problem: str) -> str:
    words = _words_of(part) if isinstance(part, FilePart) else None
    if words and words.strip():
        return f"[File: {describe(part)}]\n{words}"
    if isinstance(part, AudioPart) and part.transcript and part.transcript.strip():
        return f"[Sound: {describe(part)}]\n{part.transcript}"
    return f"[{_WORDS[kind].capitalize()} left out: {describe(part)}; {problem}.]"


def _words_of(part: FilePart) -> str | None:
    """The text of a file that is one: as it was read before, or from its bytes."""
    told = part.media_type or ""
    if part.text or not isinstance(part.media, InlineMedia) or not (told[:5] == "text/" or told in _TEXTS):
        return part.text
    try:
        return clean_text(binascii.a2b_base64(part.media.data).decode("utf-8-sig"))
    except (ValueError, binascii.Error):
        return None


def _count(part: MediaPart, scope: Scope) -> None:
    seen = scope.seen
    data = part.media.data if isinstance(part.media, InlineMedia) else ""
    seen.bytes += len(data)
    if isinstance(part, ImagePart):
        seen.images += 1
        side = _stated_side(part) or (picture_side(data)[0] if data else None)
        seen.pixels = -1 if side is None or seen.pixels < 0 else max(seen.pixels, side)


def _stated_side(part: ImagePart) -> int | None:
    extra = part.extra or {}
    sides = [extra[name] for name in ("width", "height") if isinstance(extra.get(name), int)]
    return max(sides) if sides else None


def move_tool_media(messages: list[Message], scope: Scope) -> list[Message]:
    """The messages with media in tool results moved behind them, where a tool result may not hold them."""
    if not any(map(_holds_media, messages)):
        return messages
    moved: list[Message] = []
    for message in messages:
        if not isinstance(message, ToolMessage):
            moved.append(message)
            continue
        parts, shown = _without_media(message, scope)
        if not shown:
            moved.append(message)
            continue
        turn = user_turn(message.id, "tool-media", shown)
        scope.note(
            "media-place", "Media in tool results moved into a user turn behind them.", message, after=turn
        )
        moved.extend((msgspec.structs.replace(message, parts=tuple(parts)), turn))
    return moved


def _holds_media(message: Message) -> bool:
    if type(message) is ToolMessage:
        for part in message.parts:
            if type(part) is ToolResultPart and (
                len(part.content) != 1 or type(part.content[0]) is not TextPart
            ):
                return True
    return False


def _without_media(message: ToolMessage, scope: Scope) -> tuple[list[Any], list[UserPart]]:
    parts: list[Any] = []
    shown: list[UserPart] = []
    for part in message.parts:
        if not isinstance(part, ToolResultPart):
            parts.append(part)
            continue
        away = [
            item for item in part.content if kind_of(item) and kind_of(item) not in scope.profile.tool_media
        ]
        if not away:
            parts.append(part)
            continue
        stay: list[Any] = [item for item in part.content if item not in away]
        stay.append(TextPart(text="[What it shows follows in the next message.]"))
        parts.append(msgspec.structs.replace(part, content=tuple(stay)))
        shown.append(
            TextPart(
                text=f"[From the result of the tool {part.name or 'call'}, called {clean_text(part.call_id)}:]"
            )
        )
        shown.extend(item for item in away if not isinstance(item, TextPart))  # pyright: ignore[reportArgumentType]
    return parts, shown
