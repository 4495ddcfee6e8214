"""assistant-ui threads: an exported message repository, and stored rows (``{id, parent_id, format, content}``).

A child may come before its parent; a message whose parent is missing becomes a root (the program itself refuses
such files, or drops what is below).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triptych.formats.ai_sdk import ui_message
from triptych.formats.ai_sdk_parts import part_list
from triptych.formats.assemble import Origin, assemble, settle
from triptych.formats.conversation import ImportedConversation, Path
from triptych.formats.making import (
    as_dict,
    as_list,
    as_text,
    id_of,
    make_call,
    make_message,
    make_result,
    media_from_base64,
    media_from_url,
    media_type_of,
    result_content,
    role_from,
    source_note,
    text_parts,
    time_of,
    unknown_part,
)
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import ASSISTANT_UI
from triptych.formats.streaming import Entry, stream_entries
from triptych.formats.tree import claim_id
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message
from triptych.model.status import COMPLETE, Incomplete, Status

__all__ = ["matches", "read"]

_ENDS = {"cancelled": "stopped", "length": "length", "content-filter": "contentFilter", "error": "error"}


def matches(sample: Sample) -> bool:
    """Messages wrapped together with their parent's id, or stored rows with a format."""
    rows = [
        *sample.objects,
        *(item for item in as_list(sample.object.get("messages")) if isinstance(item, dict)),
    ]
    return any(
        (isinstance(row.get("message"), dict) and "parentId" in row)
        or ("parent_id" in row and "format" in row and "content" in row)
        for row in rows
    )


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The thread of the file."""
    for entry in stream_entries(file):
        if isinstance(entry, Entry) and "messages" not in entry.value:
            yield from _bare_rows(file)
            return
        yield _conversation(entry.value, entry, file) if isinstance(entry, Entry) else entry


def _bare_rows(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Rows without an object around them."""
    rows = [item for item in stream_entries(file) if isinstance(item, Entry)]
    holder = {"messages": [row.value for row in rows]}
    found = tuple(one for row in rows for one in row.found)
    yield _conversation(holder, Entry({}, file.read(), 0, found), file)


def _conversation(
    holder: dict[str, Any], entry: Entry, file: SourceFile
) -> ImportedConversation | Diagnostic:
    found = list(entry.found)
    base: Path = ("messages",) if entry.value else ()
    taken: dict[str, Any] = {}
    messages: list[Message] = []
    for index, record in enumerate(as_list(holder.get("messages"))):
        if not isinstance(record, dict):
            found.append(problem("W_RECORD_SKIPPED", f"messages[{index}]"))
            continue
        found.extend(odd_fields(record, ASSISTANT_UI, *base, index))
        named = {"id": _name(record)}
        name = claim_id(taken, id_of(named, "id", f"message-{index}", found), record, found)
        if name is not None:
            messages.append(_message(name, record, (*base, index), found))
    messages = settle(messages, found)
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", file.name)
    origin = Origin(
        format="assistant_ui",
        id=as_text(holder.get("threadId")) or as_text(holder.get("id")) or None,
        version="repository" if _is_wrapped(holder) else "rows",
        name=file.name,
        document=entry.data,
        title=as_text(holder.get("title")),
    )
    pointer = as_text(holder.get("headId")) or None
    return assemble(origin, messages, found, pointer=pointer, fallback="last")


def _is_wrapped(holder: dict[str, Any]) -> bool:
    return any(isinstance(as_dict(row).get("message"), dict) for row in as_list(holder.get("messages")))


def _name(record: dict[str, Any]) -> str:
    return as_text(as_dict(record.get("message")).get("id")) or as_text(record.get("id"))


def _message(name: str, record: dict[str, Any], path: Path, found: list[Diagnostic]) -> Message:
    parent = as_text(record.get("parentId")) or as_text(record.get("parent_id")) or None
    if isinstance(record.get("message"), dict):
        return _thread_message(name, parent, record["message"], path, found)
    content = as_dict(record.get("content"))
    stamp = record.get("created_at")
    if as_text(record.get("format")).startswith("ai-sdk") or isinstance(content.get("parts"), list):
        return ui_message(name, parent, {"createdAt": stamp, **content}, path, found)
    return _thread_message(name, parent, {"createdAt": stamp, **content}, path, found)


def _thread_message(
    name: str, parent: str | None, message: dict[str, Any], path: Path, found: list[Diagnostic]
) -> Message:
    content = message.get("content")
    parts = [*text_parts(content)] if isinstance(content, str) else _content(content, name, found)
    for item in as_list(message.get("attachments")):
        parts += _attachment(as_dict(item), name, found)
    custom = as_dict(as_dict(message.get("metadata")).get("custom"))
    return make_message(
        role_from(message.get("role"), name, found),
        name,
        parts,
        parent_id=parent,
        created_at=time_of(message.get("createdAt"), "any", name, found),
        metadata=source_note(path),
        model=as_text(custom.get("model")) or None,
        status=_status(as_dict(message.get("status"))),
    )


def _status(status: dict[str, Any]) -> Status:
    if status.get("type") == "running":
        return Incomplete(reason="interrupted")
    if status.get("type") != "incomplete":
        return COMPLETE
    reason: Any = _ENDS.get(as_text(status.get("reason")), "other")
    return Incomplete(reason=reason, error=as_text(status.get("error")) or None)


def _content(content: Any, name: str, found: list[Diagnostic]) -> list[Any]:
    return [made for part in as_list(content) for made in _part(part, name, found)]


def _part(part: Any, name: str, found: list[Diagnostic]) -> list[Any]:
    kind = part.get("type") if isinstance(part, dict) else None
    match kind:
        case "tool-call":
            return _tool_call(part)
        case "image":
            url = as_text(part.get("image"))
            name_of = as_text(part.get("filename")) or None
            image = words.ImagePart(media=media_from_url(url), media_type=media_type_of(url), name=name_of)
            return [image] if url else [unknown_part(part, name, found)]
        case "audio":
            audio = as_dict(part.get("audio"))
            media = media_from_base64(as_text(audio.get("data")))
            spelt = as_text(audio.get("format"))
            media_type = f"audio/{spelt}" if spelt else None
            return [
                words.AudioPart(media=media, media_type=media_type)
                if media
                else unknown_part(part, name, found)
            ]
        case "data" | "generative-ui":
            label = as_text(part.get("name")) or str(kind)
            return [words.DataPart(name=label, data=part.get("data", part))]
        case _:
            return part_list([part], name, found)


def _tool_call(part: dict[str, Any]) -> list[Any]:
    text = part.get("argsText")
    arguments = (
        text if isinstance(text, str) else "".join(one.text for one in result_content(part.get("args", text)))
    )
    call = make_call(part.get("toolCallId"), part.get("toolName"), arguments)
    if part.get("result") is None:
        return [call]
    result = make_result(
        call.call_id,
        result_content(part["result"]),
        name=call.name,
        is_error=part.get("isError") is True,
        state=part.get("artifact"),
    )
    return [call, result]


def _attachment(item: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    """An attachment with what was read out of it; one without content is only a name."""
    content = _content(item.get("content"), name, found)
    if not content:
        found.append(problem("W_MISSING_ATTACHMENT", name, file=item.get("name")))
    media_type, label = as_text(item.get("contentType")) or None, as_text(item.get("name")) or None
    texts = [part.text for part in content if isinstance(part, words.TextPart)]
    rest = [part for part in content if not isinstance(part, words.TextPart)]
    if rest and not texts:
        return rest
    text = "\n".join(texts) if texts else None
    return [words.FilePart(name=label, media_type=media_type, text=text), *rest]
