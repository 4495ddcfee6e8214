"""What one message of Open WebUI says: ``output`` items where there are any, else the text with its details.

Older versions write reasoning and tool calls into the text, as ``<details type=…>`` elements whose attributes hold
HTML-escaped JSON. They are read as parts; the text as it was written stays in the document.
"""

from __future__ import annotations

import html
import re
from typing import Any

from triptych.formats.jsontext import parse_json
from triptych.formats.making import (
    arguments_text,
    as_dict,
    as_list,
    as_text,
    count,
    make_call,
    make_result,
    media_from_url,
    media_type_of,
    result_content,
    text_parts,
)
from triptych.formats.openai_content import content_parts
from triptych.formats.problems import problem
from triptych.formats.responses_items import item_parts
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Role

__all__ = ["message_parts", "split_details"]

_DETAILS = re.compile(r"<details\b([^>]*)>(.*?)</details>\n?", re.DOTALL)
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_SUMMARY = re.compile(r"\s*<summary>.*?</summary>\s*", re.DOTALL)
_TYPES = frozenset({"reasoning", "tool_calls", "code_interpreter"})


def message_parts(record: dict[str, Any], role: Role, name: str, found: list[Diagnostic]) -> list[Any]:
    """The parts of a message."""
    output = [item for item in as_list(record.get("output")) if isinstance(item, dict)]
    if output and role == "assistant":
        parts = [part for item in output for part in item_parts(item, name, found)]
        if not any(isinstance(part, words.TextPart) for part in parts):
            parts += [
                part for part in _content(record, role, name, found) if isinstance(part, words.TextPart)
            ]
    else:
        parts = _content(record, role, name, found)
    return [*parts, *_files(record, name, found), *_sources(record), *_error(record)]


def _content(record: dict[str, Any], role: Role, name: str, found: list[Diagnostic]) -> list[Any]:
    content = record.get("content")
    if isinstance(content, str) and role == "assistant" and "<details" in content:
        return split_details(content, name, found)
    return content_parts(content, name, found)


def split_details(text: str, name: str, found: list[Diagnostic]) -> list[Any]:
    """A text with its details as parts, in order; details of other types stay text."""
    parts: list[Any] = []
    end = 0
    for match in _DETAILS.finditer(text):
        attributes = {key: html.unescape(value) for key, value in _ATTRIBUTE.findall(match[1])}
        if attributes.get("type") not in _TYPES:
            continue
        parts += text_parts(text[end : match.start()].strip("\n"))
        parts += _detail(attributes, _SUMMARY.sub("", match[2], count=1), name, found)
        end = match.end()
    return [*parts, *text_parts(text[end:].strip("\n") if end else text)]


def _detail(attributes: dict[str, str], body: str, name: str, found: list[Diagnostic]) -> list[Any]:
    match attributes["type"]:
        case "reasoning":
            lines = html.unescape(body).strip("\n").split("\n")
            text = "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines)
            seconds = attributes.get("duration", "")
            duration = int(seconds) * 1000 if seconds.isascii() and seconds.isdigit() else None
            return [words.ReasoningPart(text=text, duration=duration)]
        case "tool_calls":
            return _tool_call(attributes, body, name, found)
        case _:
            return [words.DataPart(name="code_interpreter", data={**attributes, "body": body.strip("\n")})]


def _tool_call(attributes: dict[str, str], body: str, name: str, found: list[Diagnostic]) -> list[Any]:
    call_id = attributes.get("id", "") or name
    text = arguments_text(_unwrapped(attributes.get("arguments", "")), name, found)
    call = make_call(call_id, attributes.get("name"), text)
    result = attributes.get("result") or html.unescape(body.strip())
    if not result:
        return [call]
    return [call, make_result(call_id, result_content(_unwrapped(result)), name=attributes.get("name"))]


def _unwrapped(text: str) -> str:
    """A JSON text inside a JSON string, as it often is here, or the text itself."""
    value, _ = parse_json(text.encode("utf-8", "replace"))
    return value if isinstance(value, str) else text


def _files(record: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    parts: list[Any] = []
    for item in as_list(record.get("files")):
        one = as_dict(item)
        url = as_text(one.get("url"))
        inline = url.startswith("data:")
        if not inline and not url.startswith(("http://", "https://")):
            found.append(problem("W_MISSING_ATTACHMENT", name, file=one.get("name") or one.get("id") or url))
        media = _media(url, as_text(one.get("id")))
        if one.get("type") == "image" and media is not None:
            parts.append(words.ImagePart(media=media, media_type=media_type_of(url)))
        else:
            parts.append(
                words.FilePart(
                    media=media, name=as_text(one.get("name")) or None, size=count(one.get("size"))
                )
            )
    return parts


def _media(url: str, uploaded: str) -> words.Media | None:
    if url.startswith(("data:", "http://", "https://")):
        return media_from_url(url)
    known = uploaded or url
    return words.ProviderMedia(family="openwebui", file_id=known) if known else None


def _sources(record: dict[str, Any]) -> list[Any]:
    parts: list[Any] = []
    for item in as_list(record.get("sources")):
        one = as_dict(item)
        source = as_dict(one.get("source"))
        quotes = [text for text in as_list(one.get("document")) if isinstance(text, str)]
        url = as_text(source.get("url"))
        parts.append(
            words.SourcePart(
                url=url or None,
                title=as_text(source.get("name")) or None,
                quote=quotes[0] if quotes else None,
            )
        )
    return parts


def _error(record: dict[str, Any]) -> list[Any]:
    error = record.get("error")
    if not error:
        return []
    text = as_text(error) or as_text(as_dict(error).get("content")) or as_text(as_dict(error).get("message"))
    return [words.ErrorPart(message=text, body=error if not isinstance(error, str) else None)]
