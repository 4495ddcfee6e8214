"""What one message of LibreChat says: ``content`` parts where there are any, else ``text``; then its files."""

from __future__ import annotations

from typing import Any

from triptych.formats.making import (
    arguments_text,
    as_dict,
    as_list,
    as_text,
    count,
    make_call,
    make_result,
    media_from_base64,
    media_from_url,
    media_type_of,
    result_content,
    text_parts,
    unknown_part,
)
from triptych.formats.problems import problem
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic

__all__ = ["message_parts"]

_FAMILY = "librechat"
_NOTES = frozenset({"steer", "agent_update", "activity_label"})


def message_parts(record: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    """The parts of a message."""
    parts = [
        part
        for index, item in enumerate(as_list(record.get("content")))
        if item is not None
        for part in _part(item, f"{name}:{index}", name, found)
    ]
    if not any(isinstance(part, words.TextPart) and part.text.strip() for part in parts):
        parts += text_parts(record.get("text"))
    return [*parts, *_files(record, name, found)]


def _part(item: Any, made: str, name: str, found: list[Diagnostic]) -> list[Any]:
    if not isinstance(item, dict):
        return list(text_parts(item)) or [unknown_part(item, name, found)]
    kind = item.get("type")
    match kind:
        case "text":
            return list(text_parts(_value(item.get("text"))))
        case "think":
            return [words.ReasoningPart(text=_value(item.get("think")))]
        case "tool_call":
            return _tool_call(as_dict(item.get("tool_call")), made, name, found)
        case "input_audio":
            return [_audio(as_dict(item.get("input_audio")), item, name, found)]
        case "image_url" | "video_url" | "image_file":
            return [_media(item, str(kind), name, found)]
        case "error":
            return [words.ErrorPart(message=_value(item.get("error")) or _value(item.get("text")))]
        case "summary":
            text = " ".join(_value(as_dict(piece).get("text")) for piece in as_list(item.get("content")))
            return [words.DataPart(name="summary", data=item), *text_parts(text)]
        case str(known) if known in _NOTES:
            return [words.DataPart(name=known, data=item)]
        case _:
            return [unknown_part(item, name, found)]


def _value(value: Any) -> str:
    """A text, or the old form ``{value, annotations}``."""
    return as_text(value) or as_text(as_dict(value).get("value"))


def _tool_call(call: dict[str, Any], made: str, name: str, found: list[Diagnostic]) -> list[Any]:
    """A call with its result in one; the older forms name the kind and hold an object under it."""
    kind = as_text(call.get("type"))
    old = as_dict(call.get(kind))
    given = call.get("args", old.get("arguments", old.get("input")))
    text = given if isinstance(given, str) and old else arguments_text(given, name, found)
    part = make_call(call.get("id") or made, call.get("name") or old.get("name") or kind, text)
    output = call.get("output", old.get("output", old.get("outputs")))
    if output is None:
        return [part]
    return [part, make_result(part.call_id, result_content(output), name=part.name)]


def _media(item: dict[str, Any], kind: str, name: str, found: list[Diagnostic]) -> Any:
    held = item.get(kind)
    url = as_text(held) or as_text(as_dict(held).get("url"))
    stored = as_text(as_dict(held).get("filepath")) or as_text(as_dict(held).get("file_id"))
    if not (url or stored):
        return unknown_part(item, name, found)
    if not url:
        found.append(problem("W_MISSING_ATTACHMENT", name, file=stored))
    media = media_from_url(url) if url else words.ProviderMedia(family=_FAMILY, file_id=stored)
    make = words.VideoPart if kind == "video_url" else words.ImagePart
    return make(media=media, media_type=media_type_of(url))


def _audio(audio: dict[str, Any], item: Any, name: str, found: list[Diagnostic]) -> Any:
    data, spelt = as_text(audio.get("data")), as_text(audio.get("format"))
    media = media_from_base64(data) if data else None
    if media is None:
        return unknown_part(item, name, found)
    return words.AudioPart(media=media, media_type=f"audio/{spelt}" if spelt else None)


def _files(record: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    parts: list[Any] = []
    for item in [*as_list(record.get("files")), *as_list(record.get("attachments"))]:
        one = as_dict(item)
        uploaded = as_text(one.get("file_id")) or as_text(one.get("filepath"))
        if not uploaded and not one.get("filename"):
            parts.append(words.DataPart(name=as_text(one.get("type")) or "attachment", data=item))
            continue
        found.append(problem("W_MISSING_ATTACHMENT", name, file=one.get("filename") or uploaded))
        media_type = as_text(one.get("type")) or None
        media = words.ProviderMedia(family=_FAMILY, file_id=uploaded) if uploaded else None
        filename = as_text(one.get("filename")) or None
        if media is not None and (media_type or "").startswith("image/"):
            parts.append(words.ImagePart(media=media, media_type=media_type, name=filename))
        else:
            size = count(one.get("bytes"))
            parts.append(words.FilePart(media=media, media_type=media_type, name=filename, size=size))
    return parts
