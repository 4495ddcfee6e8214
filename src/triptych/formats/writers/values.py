"""Small pieces that several writers share: media as addresses, texts, times, arguments."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from triptych.formats.conversation import ImportedConversation
from triptych.model import parts as words
from triptych.model.messages import Message, ToolMessage
from triptych.model.parts import TextPart, ToolResultPart

__all__ = [
    "arguments_value",
    "file_url",
    "inline_data",
    "iso_time",
    "media_url",
    "model_name",
    "results_of",
    "sole_text",
    "texts_of",
]


def media_url(media: words.Media | None, media_type: str | None) -> str | None:
    """The bytes as an address; None where only a store or a provider has them."""
    match media:
        case words.UrlMedia(url=url):
            return url
        case words.InlineMedia(data=data):
            return f"data:{media_type or 'application/octet-stream'};base64,{data}"
        case _:
            return None


def file_url(part: words.FilePart) -> str | None:
    """The bytes of a file as an address; of one of which only the text is known, the text's."""
    url = media_url(part.media, part.media_type)
    if url is None and part.media is None and part.text is not None:
        data = base64.b64encode(part.text.encode()).decode("ascii")
        return f"data:{part.media_type or 'text/plain'};base64,{data}"
    return url


def inline_data(media: words.Media | None) -> str | None:
    """The bytes as base64 text, where they are in the message itself."""
    return media.data if isinstance(media, words.InlineMedia) else None


def texts_of(parts: Iterable[Any]) -> list[str]:
    """The texts among the parts."""
    return [part.text for part in parts if isinstance(part, TextPart)]


def sole_text(parts: Sequence[Any]) -> str | None:
    """The text, when there is nothing but one plain text or nothing at all."""
    if not parts:
        return ""
    only = parts[0]
    plain = len(parts) == 1 and isinstance(only, TextPart) and not (only.private or only.extra)
    return only.text if plain and isinstance(only, TextPart) else None


def arguments_value(arguments: str) -> Any:
    """The arguments as JSON, or their text where they are none."""
    try:
        return json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError):
        return arguments


def iso_time(milliseconds: int) -> str | None:
    """``2026-01-02T03:04:05.678Z``, or None for no time and for times that no calendar holds."""
    if not milliseconds:
        return None
    try:
        moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"


def model_name(model: str | None) -> str | None:
    """The name in ``provider:name``."""
    return None if model is None else model.partition(":")[2] or model


def results_of(imported: ImportedConversation) -> dict[str, list[tuple[ToolResultPart, Message]]]:
    """Every result outside a reply, by the id of its call."""
    found: dict[str, list[tuple[ToolResultPart, Message]]] = {}
    for message in imported.messages:
        if not isinstance(message, ToolMessage):
            continue
        for part in message.parts:
            if isinstance(part, ToolResultPart):
                found.setdefault(part.call_id, []).append((part, message))
    return found
