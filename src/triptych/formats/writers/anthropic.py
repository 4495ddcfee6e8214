"""Arrays of Anthropic messages: the shown path. Leading instructions make it ``{"system":…,"messages":[…]}``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation
from triptych.formats.paths import active_path
from triptych.formats.writers.frame import Changes, Target, write_with
from triptych.formats.writers.line import line_of
from triptych.formats.writers.openai_chat import extend_list
from triptych.formats.writers.values import arguments_value, inline_data, sole_text
from triptych.formats.written import Written
from triptych.model import parts as words
from triptych.model.messages import Message, SystemMessage, ToolMessage, role_of

__all__ = ["write"]

Record = dict[str, Any]


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """One array, or one request without its model."""
    return write_with(_TARGET, conversations)


def _make(imported: ImportedConversation) -> Any:
    path = active_path(imported)
    first = path[0] if path else None
    if not isinstance(first, SystemMessage):
        return _records(path)
    return {"system": _content(first.parts), "messages": _records(path[1:])}


def _records(messages: Iterable[Message]) -> list[Record]:
    """The records; results of one reply's calls stand in one user record, as the API demands."""
    records: list[Record] = []
    for message in messages:
        blocks = _content(message.parts)
        role = "user" if isinstance(message, ToolMessage) else role_of(message)
        results = records[-1] if records and isinstance(message, ToolMessage) else None
        if results is not None and results["role"] == "user" and _are_results(results["content"]):
            results["content"] += blocks if isinstance(blocks, list) else []
        else:
            records.append({"role": role, "content": blocks})
    return records


def _are_results(content: Any) -> bool:
    return isinstance(content, list) and all(block.get("type") == "tool_result" for block in content)


def _content(parts: Sequence[Any]) -> str | list[Record]:
    text = sole_text(parts)
    return [block for part in parts if (block := _block(part)) is not None] if text is None else text


def _block(part: Any) -> Record | None:
    match part:
        case words.TextPart(text=text):
            return {"type": "text", "text": text} if text else None
        case words.ReasoningPart():
            return _thinking(part)
        case words.ToolCallPart():
            kind = "server_tool_use" if part.server_side else "tool_use"
            given = arguments_value(part.arguments)
            return {"type": kind, "id": part.call_id, "name": part.name, "input": given}
        case words.ToolResultPart():
            return _result(part)
        case words.ImagePart():
            source = _source(part.media, part.media_type or "image/png")
            return {"type": "image", "source": source} if source else None
        case words.FilePart():
            return _document(part)
        case words.UnknownPart(raw=raw):
            return raw if isinstance(raw, dict) and isinstance(raw.get("type"), str) else None
        case _:
            return None


def _thinking(part: words.ReasoningPart) -> Record:
    private = (part.private or {}).get("anthropic")
    own = private if isinstance(private, dict) else {}
    if part.redacted:
        return {"type": "redacted_thinking", "data": own.get("data")}
    signature = {"signature": own["signature"]} if "signature" in own else {}
    return {"type": "thinking", "thinking": part.text, **signature}


def _result(part: words.ToolResultPart) -> Record:
    own = (part.private or {}).get("anthropic")
    if isinstance(own, dict) and isinstance(own.get("type"), str):
        return own
    record: Record = {"type": "tool_result", "tool_use_id": part.call_id, "content": _content(part.content)}
    return record | ({"is_error": True} if part.is_error else {})


def _source(media: words.Media | None, media_type: str) -> Record | None:
    match media:
        case words.UrlMedia(url=url):
            return {"type": "url", "url": url}
        case words.ProviderMedia(family="anthropic", file_id=file_id):
            return {"type": "file", "file_id": file_id}
        case _:
            data = inline_data(media)
            return {"type": "base64", "media_type": media_type, "data": data} if data is not None else None


def _document(part: words.FilePart) -> Record | None:
    title = {"title": part.name} if part.name else {}
    source = _source(part.media, part.media_type or "application/pdf")
    if source is None and part.text is not None:
        source = {"type": "text", "media_type": part.media_type or "text/plain", "data": part.text}
    return {"type": "document", "source": source, **title} if source else None


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    line = line_of(imported, changes)
    base = line.base if line.base != () or isinstance(value, list) else ("messages",)
    return extend_list(value, base, line.keep, _records(line.fresh))


_TARGET = Target(name="anthropic", make=_make, extend=_extend, matching="order", indent=1)
