"""Parts of the Vercel AI SDK's messages: of today's (typed tool parts) and of version 4 (``tool-invocation``).

A tool part holds the call and its result: they become two parts of the same message. ``step-start`` says nothing
and is no part; it stays in the document.
"""

from __future__ import annotations

import json
from typing import Any

from triptych.formats.making import (
    as_dict,
    as_list,
    as_text,
    make_call,
    make_result,
    media_from_base64,
    media_from_url,
    media_type_of,
    result_content,
    text_parts,
    unknown_part,
)
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.status import READY, CallApprovalNeeded, CallDenied, CallStreaming

__all__ = ["attachments", "part_list", "v4_parts"]


def part_list(parts: Any, where: str, found: list[Diagnostic]) -> list[Any]:
    """The parts of a list in the SDK's words."""
    return [made for part in as_list(parts) for made in _part(part, where, found)]


def _part(part: Any, where: str, found: list[Diagnostic]) -> list[Any]:
    if not isinstance(part, dict):
        return [unknown_part(part, where, found)]
    kind = as_text(part.get("type"))
    match kind:
        case "text":
            return list(text_parts(part.get("text")))
        case "reasoning":
            text = as_text(part.get("text")) or as_text(part.get("reasoning"))
            return [words.ReasoningPart(text=text, private=_private(part))]
        case "step-start":
            return []
        case "file":
            return [_file(part, where, found)]
        case "source" | "source-url" | "source-document":
            return [_source(as_dict(part.get("source")) or part)]
        case "tool-invocation":
            return _invocation(as_dict(part.get("toolInvocation")))
        case "dynamic-tool":
            return _tool(part, as_text(part.get("toolName")))
        case _ if kind.startswith("tool-"):
            return _tool(part, kind.removeprefix("tool-"))
        case _ if kind.startswith("data-"):
            return [words.DataPart(name=kind.removeprefix("data-"), data=part.get("data"))]
        case _:
            return [unknown_part(part, where, found)]


def _private(part: dict[str, Any]) -> dict[str, Any] | None:
    """Signatures and ids that only one provider understands."""
    metadata = part.get("providerMetadata") or part.get("callProviderMetadata")
    if not isinstance(metadata, dict):
        return None
    kept = {family: value for family, value in metadata.items() if isinstance(value, dict)}
    return kept or None


def _tool(part: dict[str, Any], name: str) -> list[Any]:
    state = part.get("state")
    given = part.get("input")
    raw = part.get("rawInput")
    text = as_text(raw) if given is None and isinstance(raw, str) else _json(given)
    call = make_call(
        part.get("toolCallId"),
        name,
        text,
        server_side=part.get("providerExecuted") is True,
        state=_state(state, part),
        private=_private(part),
    )
    match state:
        case "output-available":
            return [call, make_result(call.call_id, result_content(part.get("output")), name=name)]
        case "output-error":
            content = text_parts(part.get("errorText"))
            return [call, make_result(call.call_id, content, name=name, is_error=True)]
        case _:
            return [call]


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _state(state: Any, part: dict[str, Any]) -> Any:
    match state:
        case "input-streaming" | "partial-call":
            return CallStreaming()
        case "approval-requested":
            return CallApprovalNeeded()
        case "output-denied":
            return CallDenied(reason=as_text(as_dict(part.get("approval")).get("reason")) or None)
        case _:
            return READY


def _file(part: dict[str, Any], where: str, found: list[Diagnostic]) -> Any:
    url = as_text(part.get("url")) or as_text(part.get("data"))
    media_type = as_text(part.get("mediaType")) or as_text(part.get("mimeType")) or media_type_of(url)
    media: Any = media_from_base64(url) if url and ":" not in url[:12] else None
    media = media or (media_from_url(url) if url else None)
    if media is None:
        return unknown_part(part, where, found)
    name = as_text(part.get("filename")) or None
    if (media_type or "").startswith("image/"):
        return words.ImagePart(media=media, media_type=media_type, name=name)
    return words.FilePart(media=media, media_type=media_type, name=name)


def _source(source: dict[str, Any]) -> words.SourcePart:
    url, title = as_text(source.get("url")), as_text(source.get("title"))
    return words.SourcePart(url=url or None, title=title or as_text(source.get("filename")) or None)


def _invocation(call: dict[str, Any]) -> list[Any]:
    name = as_text(call.get("toolName"))
    made = make_call(
        call.get("toolCallId"), name, _json(call.get("args")), state=_state(call.get("state"), call)
    )
    if call.get("state") != "result":
        return [made]
    return [made, make_result(made.call_id, result_content(call.get("result")), name=name)]


def v4_parts(message: dict[str, Any], where: str, found: list[Diagnostic]) -> list[Any]:
    """The parts of a message of version 4, which has its text, reasoning and calls in fields of their own."""
    reasoning = as_text(message.get("reasoning"))
    invocations = [
        made for item in as_list(message.get("toolInvocations")) for made in _invocation(as_dict(item))
    ]
    data = message.get("data")
    return [
        *([words.ReasoningPart(text=reasoning)] if reasoning else []),
        *invocations,
        *text_parts(message.get("content")),
        *attachments(message, where, found),
        *([words.DataPart(name="data", data=data)] if data is not None else []),
    ]


def attachments(message: dict[str, Any], where: str, found: list[Diagnostic]) -> list[Any]:
    """The files of version 4, which stand beside the parts."""
    items = [as_dict(item) for item in as_list(message.get("experimental_attachments"))]
    return [
        _file(
            {"url": item.get("url"), "mediaType": item.get("contentType"), "filename": item.get("name")},
            where,
            found,
        )
        for item in items
    ]
