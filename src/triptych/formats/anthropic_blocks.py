"""Content blocks of Anthropic's messages, as parts: for message arrays and for Claude Code's sessions.

A user's message may hold tool results beside text. Results are messages of their own here, so such a record
becomes two messages: the results, marked as the one half (``within``), and what the person said.
"""

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
    media_type_of,
    text_parts,
    unknown_part,
)
from triptych.formats.problems import problem
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.usage import Usage

__all__ = ["block_parts", "read_usage"]

_FAMILY = "anthropic"


def block_parts(content: Any, where: str, found: list[Diagnostic]) -> list[Any]:
    """The parts of a message's ``content``, a text or a list of blocks."""
    if isinstance(content, str):
        return list(text_parts(content))
    if content is not None and not isinstance(content, list):
        return [unknown_part(content, where, found)]
    return [part for block in content or [] for part in _block(block, where, found)]


def _block(block: Any, where: str, found: list[Diagnostic]) -> list[Any]:
    if isinstance(block, str):
        return list(text_parts(block))
    if not isinstance(block, dict):
        return [unknown_part(block, where, found)]
    match block.get("type"):
        case "text":
            return [*text_parts(block.get("text")), *_cited(block)]
        case "thinking":
            return [_thinking(block, where, found)]
        case "redacted_thinking":
            found.append(problem("W_OPAQUE_CONTENT", where, type="redacted_thinking"))
            return [words.ReasoningPart(redacted=True, private={_FAMILY: {"data": block.get("data")}})]
        case "tool_use":
            return [_call(block, where, found)]
        case "server_tool_use" | "mcp_tool_use":
            return [_call(block, where, found, server_side=True, namespace=block.get("server_name"))]
        case "tool_result":
            return [_result(block, where, found)]
        case str(kind) if kind.endswith("_tool_result"):
            return [_server_result(block)]
        case "image":
            return [_image(block, where, found)]
        case "document":
            return [_document(block)]
        case "container_upload" if as_text(block.get("file_id")):
            media = words.ProviderMedia(family=_FAMILY, file_id=block["file_id"])
            return [words.FilePart(media=media)]
        case "search_result":
            title, url = as_text(block.get("title")) or None, as_text(block.get("source")) or None
            return [words.SourcePart(url=url, title=title, quote=_plain(block.get("content")) or None)]
        case _:
            return [unknown_part(block, where, found)]


def _thinking(block: dict[str, Any], where: str, found: list[Diagnostic]) -> words.ReasoningPart:
    """What was thought; newer models give only its signature."""
    signature = block.get("signature")
    if signature and not block.get("thinking"):
        found.append(problem("W_OPAQUE_CONTENT", where, type="thinking"))
    private = {_FAMILY: {"signature": signature}} if signature else None
    return words.ReasoningPart(text=as_text(block.get("thinking")), private=private)


def _call(block: dict[str, Any], where: str, found: list[Diagnostic], **fields: Any) -> words.ToolCallPart:
    kept = {key: value for key, value in fields.items() if isinstance(value, str | bool)}
    arguments = arguments_text(block.get("input"), where, found)
    return make_call(block.get("id"), block.get("name"), arguments, **kept)


def _result(block: dict[str, Any], where: str, found: list[Diagnostic]) -> words.ToolResultPart:
    content = block_parts(block.get("content"), where, found)
    return make_result(block.get("tool_use_id"), content, is_error=block.get("is_error") is True)


def _server_result(block: dict[str, Any]) -> words.ToolResultPart:
    content = block.get("content")
    failed = as_text(as_dict(content).get("type")).endswith("_error")
    parts = [words.DataPart(name=as_text(block.get("type")), data=content)] if content else []
    return make_result(block.get("tool_use_id"), parts, is_error=failed, private={_FAMILY: block})


def _image(block: dict[str, Any], where: str, found: list[Diagnostic]) -> Any:
    source = as_dict(block.get("source"))
    media = _media(source)
    if media is None or isinstance(media, str):
        return unknown_part(block, where, found)
    return words.ImagePart(media=media, media_type=as_text(source.get("media_type")) or None)


def _media(source: dict[str, Any]) -> words.Media | str | None:
    """The bytes that a source names; a text for a source that is text itself."""
    match source.get("type"):
        case "base64":
            return media_from_base64(as_text(source.get("data")))
        case "url":
            return words.UrlMedia(url=as_text(source.get("url")))
        case "file":
            return words.ProviderMedia(family=_FAMILY, file_id=as_text(source.get("file_id")))
        case "text":
            return as_text(source.get("data"))
        case _:
            return None


def _document(block: dict[str, Any]) -> words.FilePart:
    source = as_dict(block.get("source"))
    media = _media(source)
    text = media if isinstance(media, str) else _plain(source.get("content"))
    return words.FilePart(
        media=None if isinstance(media, str) else media,
        media_type=as_text(source.get("media_type")) or media_type_of(as_text(source.get("url"))),
        name=as_text(block.get("title")) or None,
        text=text or None,
    )


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(as_text(as_dict(item).get("text")) for item in as_list(content))


def _cited(block: dict[str, Any]) -> list[Any]:
    sources: dict[str, words.SourcePart] = {}
    for item in as_list(block.get("citations")):
        one = as_dict(item)
        url = as_text(one.get("url"))
        if url:
            title, quote = as_text(one.get("title")) or None, as_text(one.get("cited_text")) or None
            sources.setdefault(url, words.SourcePart(url=url, title=title, quote=quote))
    return list(sources.values())


def read_usage(value: Any) -> Usage | None:
    """Anthropic's usage object; cached tokens are counted beside ``input_tokens`` there, and within it here."""
    if not isinstance(value, dict):
        return None
    fresh, read, written = (
        count(value.get(key))
        for key in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        cached_input_tokens=read,
        cache_write_tokens=written,
        output_tokens=count(value.get("output_tokens")),
        raw=value,
    )
