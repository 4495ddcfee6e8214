"""Parts for rows that come without them: the inverse of the derived fields, as far as they tell.

Order within such a row is the one in which the original programs draw it: reasoning, text, media, calls,
sources, error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from triptych.model import parts as p
from triptych.model.ids import BlobDigest, CallId
from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage

__all__ = ["parts_of_row"]


def parts_of_row(row: Mapping[str, Any], kind: type[Message]) -> tuple[Any, ...]:
    """The parts that a row without ``parts`` tells of; whatever has another shape is left to the caller."""
    if kind is ToolMessage:
        return (_result(row),)
    text = _text(row.get("content"))
    if kind is SystemMessage:
        return text
    media = _media(row)
    if kind is UserMessage:
        return (*text, *media)
    return (*_reasoning(row), *text, *media, *_calls(row), *_sources(row), *_errors(row))


def _text(content: Any) -> tuple[p.TextPart, ...]:
    return (p.TextPart(text=content),) if isinstance(content, str) and content else ()


def _list(row: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    value = row.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _string(item: Mapping[str, Any], name: str) -> str | None:
    value = item.get(name)
    return value if isinstance(value, str) and value else None


def _media(row: Mapping[str, Any]) -> tuple[Any, ...]:
    images = [p.ImagePart(media=_address(item), alt=_string(item, "alt")) for item in _list(row, "imageList")]
    files = [
        p.FilePart(
            media=_address(item) if _string(item, "url") else None,
            name=_string(item, "name"),
            media_type=_string(item, "fileType"),
            size=size if isinstance(size := item.get("size"), int) and not isinstance(size, bool) else None,
            text=_string(item, "content"),
        )
        for item in _list(row, "fileList")
    ]
    videos = [
        p.VideoPart(media=_address(item), name=_string(item, "alt")) for item in _list(row, "videoList")
    ]
    sounds = [
        p.AudioPart(media=_address(item), name=_string(item, "alt")) for item in _list(row, "audioList")
    ]
    return (*images, *files, *videos, *sounds)


def _address(item: Mapping[str, Any]) -> p.Media:
    url = _string(item, "url") or ""
    if url.startswith("blob:b2:"):
        return p.BlobMedia(digest=BlobDigest(url.removeprefix("blob:")))
    head, comma, data = url.partition(";base64,")
    if comma and head.startswith("data:"):
        return p.InlineMedia(data=data)
    return p.UrlMedia(url=url)


def _reasoning(row: Mapping[str, Any]) -> tuple[p.ReasoningPart, ...]:
    value = row.get("reasoning")
    if not isinstance(value, dict):
        return ()
    duration = value.get("duration")
    text = _string(value, "content")
    known = isinstance(duration, int) and not isinstance(duration, bool)
    return (p.ReasoningPart(text=text or "", duration=duration if known else None),) if text else ()


def _calls(row: Mapping[str, Any]) -> tuple[p.ToolCallPart, ...]:
    return tuple(
        p.ToolCallPart(
            call_id=CallId(_string(item, "id") or ""),
            name=_string(item, "apiName") or _string(item, "name") or _string(item, "identifier") or "",
            namespace=_namespace(item),
            arguments=_arguments(item.get("arguments")),
            server_side=item.get("type") == "builtin",
        )
        for item in _list(row, "tools")
    )


def _namespace(item: Mapping[str, Any]) -> str | None:
    owner = _string(item, "identifier")
    return owner if owner != _string(item, "apiName") else None


def _arguments(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _sources(row: Mapping[str, Any]) -> tuple[p.SourcePart, ...]:
    search = row.get("search")
    if not isinstance(search, dict):
        return ()
    return tuple(
        p.SourcePart(url=_string(item, "url"), title=_string(item, "title"), quote=_string(item, "quote"))
        for item in _list(search, "citations")
    )


def _errors(row: Mapping[str, Any]) -> tuple[p.ErrorPart, ...]:
    error = row.get("error")
    if not isinstance(error, dict):
        return ()
    code = error.get("type")
    shown = str(code) if isinstance(code, str | int) else None
    return (p.ErrorPart(message=_string(error, "message") or "", code=shown, body=error.get("body")),)


def _result(row: Mapping[str, Any]) -> p.ToolResultPart:
    plugin = row.get("plugin")
    return p.ToolResultPart(
        call_id=CallId(_string(row, "tool_call_id") or ""),
        name=_string(plugin, "apiName") if isinstance(plugin, dict) else None,
        content=_text(row.get("content")),
        is_error=bool(row.get("pluginError")),
        state=row.get("pluginState"),
    )


KINDS: dict[str, type[Message]] = {
    "system": SystemMessage,
    "user": UserMessage,
    "assistant": AssistantMessage,
    "tool": ToolMessage,
}
