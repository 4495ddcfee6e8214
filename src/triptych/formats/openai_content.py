"""Content parts of OpenAI's two wires as parts: chat (``text``, ``image_url`` …) and Responses (``input_text`` …)."""

from __future__ import annotations

from typing import Any

from triptych.formats.making import (
    as_dict,
    as_list,
    as_text,
    media_from_base64,
    media_from_url,
    media_type_of,
    text_parts,
    unknown_part,
)
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.usage import Usage

__all__ = ["content_parts", "read_usage"]

_FAMILY = "openai"
_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})


def content_parts(content: Any, where: str, found: list[Diagnostic]) -> list[Any]:
    """The parts of ``content``: a text, a list of parts, or nothing."""
    if content is None or isinstance(content, str):
        return list(text_parts(content))
    if not isinstance(content, list):
        return [unknown_part(content, where, found)]
    return [part for item in content for part in _item(item, where, found)]


def _item(item: Any, where: str, found: list[Diagnostic]) -> list[Any]:
    if isinstance(item, str):
        return list(text_parts(item))
    if not isinstance(item, dict):
        return [unknown_part(item, where, found)]
    match item.get("type"):
        case str(kind) if kind in _TEXTS:
            return [*text_parts(_text_of(item.get("text"))), *_sources(item.get("annotations"))]
        case "refusal":
            return [words.RefusalPart(text=as_text(item.get("refusal")))]
        case "image_url" | "input_image":
            return [_image(item, where, found)]
        case "input_audio":
            return [_audio(item, where, found)]
        case "file" | "input_file":
            return [_file(as_dict(item.get("file")) or item)]
        case _:
            return [unknown_part(item, where, found)]


def _text_of(value: Any) -> str:
    """A text, or the old form ``{value, annotations}``."""
    return as_text(value) or as_text(as_dict(value).get("value"))


def _image(item: dict[str, Any], where: str, found: list[Diagnostic]) -> Any:
    named = item.get("image_url")
    url = as_text(named) or as_text(as_dict(named).get("url"))
    detail = as_text(as_dict(named).get("detail")) or as_text(item.get("detail")) or None
    if url:
        return words.ImagePart(media=media_from_url(url), media_type=media_type_of(url), detail=detail)
    uploaded = as_text(item.get("file_id"))
    if uploaded:
        return words.ImagePart(media=words.ProviderMedia(family=_FAMILY, file_id=uploaded), detail=detail)
    return unknown_part(item, where, found)


def _audio(item: dict[str, Any], where: str, found: list[Diagnostic]) -> Any:
    audio = as_dict(item.get("input_audio"))
    media = media_from_base64(as_text(audio.get("data")))
    if media is None:
        return unknown_part(item, where, found)
    spelt = as_text(audio.get("format"))
    return words.AudioPart(media=media, media_type=f"audio/{spelt}" if spelt else None)


def _file(file: dict[str, Any]) -> words.FilePart:
    data = as_text(file.get("file_data")) or as_text(file.get("file_url"))
    uploaded = as_text(file.get("file_id"))
    media: Any = media_from_url(data) if data else None
    if media is None and uploaded:
        media = words.ProviderMedia(family=_FAMILY, file_id=uploaded)
    return words.FilePart(
        media=media, media_type=media_type_of(data), name=as_text(file.get("filename")) or None
    )


def _sources(annotations: Any) -> list[Any]:
    sources: dict[str, words.SourcePart] = {}
    for item in as_list(annotations):
        one = as_dict(item)
        one = as_dict(one.get("url_citation")) or one
        url = as_text(one.get("url"))
        if url:
            sources.setdefault(url, words.SourcePart(url=url, title=as_text(one.get("title")) or None))
    return list(sources.values())


def read_usage(value: Any) -> Usage | None:
    """OpenAI's usage object of either wire."""
    if not isinstance(value, dict) or not value:
        return None
    inputs = as_dict(value.get("prompt_tokens_details")) or as_dict(value.get("input_tokens_details"))
    outputs = as_dict(value.get("completion_tokens_details")) or as_dict(value.get("output_tokens_details"))
    return Usage(
        input_tokens=_first(value, "prompt_tokens", "input_tokens"),
        cached_input_tokens=_first(inputs, "cached_tokens") or _first(value, "cached_input_tokens"),
        output_tokens=_first(value, "completion_tokens", "output_tokens"),
        reasoning_tokens=_first(outputs, "reasoning_tokens") or _first(value, "reasoning_output_tokens"),
        raw=value,
    )


def _first(value: dict[str, Any], *names: str) -> int | None:
    numbers = (value.get(name) for name in names)
    return next((one for one in numbers if isinstance(one, int) and not isinstance(one, bool)), None)
