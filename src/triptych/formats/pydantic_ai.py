"""Pydantic AI message histories: requests and responses, each with parts.

One request holds what system, user and tools say together; each run of one role in it is a message of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from triptych.formats.assemble import Origin, assemble
from triptych.formats.conversation import ImportedConversation, Path
from triptych.formats.lists import MessageList, read_lists, record_id
from triptych.formats.making import (
    arguments_text,
    as_dict,
    as_list,
    as_text,
    count,
    make_call,
    make_message,
    make_result,
    media_from_base64,
    result_content,
    source_note,
    text_parts,
    time_of,
    unknown_part,
)
from triptych.formats.problems import note, problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import PYDANTIC_AI
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, Role
from triptych.model.status import COMPLETE, Incomplete, Status
from triptych.model.usage import Usage

__all__ = ["matches", "read"]

_MEDIA = {
    "image-url": words.ImagePart,
    "audio-url": words.AudioPart,
    "video-url": words.VideoPart,
    "document-url": words.FilePart,
}
_TEXTS = frozenset({"text", "text-content", "structured-content"})
_STATES = {
    "interrupted": "interrupted",
    "length": "length",
    "content_filter": "contentFilter",
    "error": "error",
}


def matches(sample: Sample) -> bool:
    """Records of kind request or response, with parts."""
    held = [item for row in (sample.object, *sample.objects) for item in as_list(row.get("messages"))]
    return any(
        isinstance(row, dict)
        and row.get("kind") in ("request", "response")
        and isinstance(row.get("parts"), list)
        for row in (*sample.objects, *held)
    )


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file."""
    for item in read_lists(file):
        yield _conversation(item, file) if isinstance(item, MessageList) else item


def _conversation(listed: MessageList, file: SourceFile) -> ImportedConversation | Diagnostic:
    found = list(listed.found)
    messages: list[Message] = []
    name = ""
    for index, record in enumerate(listed.records):
        if not isinstance(record, dict) or record.get("kind") not in ("request", "response"):
            found.append(problem("W_UNKNOWN_RECORD", f"messages[{index}]"))
            continue
        found.extend(odd_fields(record, PYDANTIC_AI, *listed.path(index)))
        name = name or as_text(record.get("conversation_id"))
        add = _request if record["kind"] == "request" else _response
        add(record, listed.path(index), messages, found)
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", f"{file.name}[{listed.index}]")
    origin = Origin(
        format="pydantic_ai",
        id=name or None,
        name=file.name,
        document=listed.document,
        lines=listed.lines,
    )
    return assemble(origin, messages, found, fallback="last")


def _request(record: dict[str, Any], path: Path, messages: list[Message], found: list[Diagnostic]) -> None:
    parts = [as_dict(part) for part in as_list(record.get("parts"))]
    if not parts:
        found.append(note("empty_record", "A request without parts holds nothing to show.", str(path[-1])))
    numbered = list(enumerate(parts))
    for _, run in itertools.groupby(numbered, key=_pair_role):
        items = list(run)
        role = _pair_role(items[0])
        parent = messages[-1].id if messages else None
        name = record_id(parent, [part for _, part in items])
        made = [one for _, part in items for one in _request_part(part, name, found)]
        stamps = [part.get("timestamp") for _, part in items if part.get("timestamp")]
        messages.append(
            make_message(
                role,
                name,
                made,
                parent_id=parent,
                created_at=time_of(stamps[0] if stamps else record.get("timestamp"), "iso", name, found),
                metadata=source_note(*((*path, "parts", place) for place, _ in items)),
            )
        )


def _pair_role(pair: tuple[int, dict[str, Any]]) -> Role:
    return _role(pair[1])


def _role(part: dict[str, Any]) -> Role:
    match part.get("part_kind"):
        case "system-prompt":
            return "system"
        case "tool-return":
            return "tool"
        case "retry-prompt":
            return "tool" if part.get("tool_name") else "user"
        case _:
            return "user"


def _request_part(part: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    kind = part.get("part_kind")
    content = part.get("content")
    if kind == "system-prompt":
        return list(text_parts(content))
    if kind == "user-prompt":
        return [made for item in _items(content) for made in _user_item(item, name, found)]
    if kind == "tool-return":
        failed = part.get("outcome") in ("failed", "error")
        answer = result_content(content)
        return [make_result(_call_id(part), answer, name=as_text(part.get("tool_name")), is_error=failed)]
    if kind == "retry-prompt" and part.get("tool_name"):
        answer = result_content(content)
        return [make_result(_call_id(part), answer, name=as_text(part["tool_name"]), is_error=True)]
    if kind in ("retry-prompt", "retry-feedback"):
        return list(result_content(content))
    if kind == "speech":
        return _speech(part)
    return [unknown_part(part, name, found)]


def _call_id(part: dict[str, Any]) -> Any:
    """What pairs a call with its answer; old files name only the tool."""
    return part.get("tool_call_id") or part.get("tool_name")


def _items(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _user_item(item: Any, name: str, found: list[Diagnostic]) -> list[Any]:
    if isinstance(item, str) or item is None:
        return list(text_parts(item))
    one = as_dict(item)
    kind = as_text(one.get("kind"))
    if kind in _TEXTS:
        return list(text_parts(one.get("content")) or text_parts(one.get("text")))
    if kind == "cache-point":
        return []
    if kind == "uploaded-file" and as_text(one.get("file_id")):
        family = as_text(one.get("provider_name")) or "unknown"
        media = words.ProviderMedia(family=family, file_id=one["file_id"])
        return [words.FilePart(media=media, media_type=as_text(one.get("media_type")) or None)]
    if kind in _MEDIA:
        media_type = as_text(one.get("media_type")) or None
        return [_MEDIA[kind](media=words.UrlMedia(url=as_text(one.get("url"))), media_type=media_type)]
    binary = _binary(one) if kind == "binary" else None
    return [binary if binary is not None else unknown_part(item, name, found)]


def _binary(one: dict[str, Any]) -> Any:
    """Bytes as base64, in the alphabet for addresses."""
    data = as_text(one.get("data")).replace("-", "+").replace("_", "/")
    media = media_from_base64(data) if data else None
    media_type = as_text(one.get("media_type"))
    if media is None:
        return None
    kinds = {"image": words.ImagePart, "audio": words.AudioPart, "video": words.VideoPart}
    make = kinds.get(media_type.partition("/")[0], words.FilePart)
    return make(media=media, media_type=media_type or None)


def _response(record: dict[str, Any], path: Path, messages: list[Message], found: list[Diagnostic]) -> None:
    parent = messages[-1].id if messages else None
    name = record_id(parent, record)
    parts = [one for part in as_list(record.get("parts")) for one in _response_part(part, name, found)]
    messages.append(
        make_message(
            "assistant",
            name,
            parts,
            parent_id=parent,
            created_at=time_of(record.get("timestamp"), "iso", name, found),
            metadata=source_note(path),
            model=as_text(record.get("model_name")) or None,
            provider=as_text(record.get("provider_name")) or None,
            usage=_usage(record.get("usage")),
            status=_status(record),
        )
    )


def _response_part(part: Any, name: str, found: list[Diagnostic]) -> list[Any]:
    one = as_dict(part)
    match one.get("part_kind"):
        case "text":
            return list(text_parts(one.get("content")))
        case "thinking":
            return [_thinking(one)]
        case "tool-call" | "builtin-tool-call" as kind:
            text = arguments_text(one.get("args"), name, found)
            server = kind == "builtin-tool-call"
            return [make_call(_call_id(one), one.get("tool_name"), text, server_side=server)]
        case "builtin-tool-return":
            answer = result_content(one.get("content"))
            return [make_result(_call_id(one), answer, name=as_text(one.get("tool_name")))]
        case "speech":
            return _speech(one)
        case "compaction":
            return [_compaction(one, name, found)]
        case "file":
            binary = _binary(as_dict(one.get("content")))
            return [binary if binary is not None else unknown_part(part, name, found)]
        case _:
            return [unknown_part(part, name, found)]


def _speech(part: dict[str, Any]) -> list[Any]:
    """What was spoken: its words, and its sound where it was kept."""
    sound = _binary(as_dict(part.get("audio")))
    return [*text_parts(part.get("transcript")), *([sound] if sound is not None else [])]


def _compaction(part: dict[str, Any], name: str, found: list[Diagnostic]) -> words.ReasoningPart:
    """The provider's own summary of what was before, for the model; often encrypted."""
    if not part.get("content"):
        found.append(problem("W_OPAQUE_CONTENT", name, type="compaction"))
    return _thinking(part)


def _thinking(part: dict[str, Any]) -> words.ReasoningPart:
    family = as_text(part.get("provider_name")) or "unknown"
    private = {key: part[key] for key in ("signature", "id", "provider_details") if part.get(key)}
    return words.ReasoningPart(
        text=as_text(part.get("content")), private={family: private} if private else None
    )


def _status(record: dict[str, Any]) -> Status:
    state: Any = _STATES.get(as_text(record.get("state"))) or _STATES.get(
        as_text(record.get("finish_reason"))
    )
    return Incomplete(reason=state) if state else COMPLETE


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    return Usage(
        input_tokens=count(value.get("input_tokens", value.get("request_tokens"))),
        cached_input_tokens=count(value.get("cache_read_tokens")),
        cache_write_tokens=count(value.get("cache_write_tokens")),
        output_tokens=count(value.get("output_tokens", value.get("response_tokens"))),
        raw=value,
    )
