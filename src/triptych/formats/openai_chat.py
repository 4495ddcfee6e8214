"""Arrays of OpenAI chat messages, alone or in a request, and fine-tuning JSONL.

Preference rows (``input``, ``preferred_output``, ``non_preferred_output``) hold a branch: both outputs follow the
same input, and the preferred one is shown.
"""

from __future__ import annotations

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
    make_call,
    make_message,
    make_result,
    media_from_base64,
    role_from,
    source_note,
    text_parts,
)
from triptych.formats.openai_content import content_parts, read_usage
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import OPENAI_CHAT
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message

__all__ = ["matches", "message_from", "read"]

_INPUT: Path = ("input", "messages")
_REJECTED: Path = ("non_preferred_output",)


def matches(sample: Sample) -> bool:
    """Messages with a ``role``, or objects that hold some."""
    rows = [sample.object, *sample.objects]
    held = [as_list(row.get("messages")) for row in rows]
    held += [as_list(as_dict(row.get("input")).get("messages")) for row in rows]
    return any(_is_message(row) for listed in (rows, *held) for row in listed)


def _is_message(record: Any) -> bool:
    return isinstance(record, dict) and isinstance(record.get("role"), str) and "contentBlocks" not in record


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file."""
    for item in read_lists(file, ("messages", "preferred_output")):
        yield _conversation(item, file) if isinstance(item, MessageList) else item


def _conversation(listed: MessageList, file: SourceFile) -> ImportedConversation | Diagnostic:
    found = list(listed.found)
    model = as_text(listed.holder.get("model"))
    messages: list[Message] = []
    fork: str | None = None
    shown: str | None = None
    for records, base in _branches(listed):
        stem = fork
        for index, record in enumerate(records):
            path = listed.path(index) if base is None else (*base, index)
            message = _message(record, stem, path, model, found)
            if message is not None:
                messages.append(message)
                stem = message.id
        if base == _INPUT:
            fork = stem
        if base != _REJECTED:
            shown = stem
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", f"{file.name}[{listed.index}]")
    origin = Origin(
        format="openai_chat",
        id=as_text(listed.holder.get("id")) or None,
        name=f"{file.name}[{listed.index}]" if listed.index else file.name,
        document=listed.document,
        lines=listed.lines,
        title=as_text(listed.holder.get("title")),
        model=f"openai:{model}" if model else None,
    )
    return assemble(origin, messages, found, pointer=shown, fallback="last")


def _branches(listed: MessageList) -> Iterator[tuple[list[Any], Path | None]]:
    """The lists of a conversation: one, or the input of a preference row and its two outputs."""
    given = as_dict(listed.holder.get("input"))
    if not isinstance(given.get("messages"), list) or listed.base != ("preferred_output",):
        yield listed.records, None
        return
    yield given["messages"], _INPUT
    yield listed.records, listed.base
    yield as_list(listed.holder.get("non_preferred_output")), _REJECTED


def _message(
    record: Any, parent: str | None, path: Path, model: str, found: list[Diagnostic]
) -> Message | None:
    if not isinstance(record, dict):
        found.append(problem("W_RECORD_SKIPPED", "/".join(map(str, path))))
        return None
    found.extend(odd_fields(record, OPENAI_CHAT, *path))
    return message_from(record, parent, path, model or None, found)


def message_from(
    record: dict[str, Any], parent: str | None, path: Path, model: str | None, found: list[Diagnostic]
) -> Message:
    """One chat message as it stands in requests and logs."""
    name = record_id(parent, record)
    role = role_from(record.get("role"), name, found)
    parts = content_parts(record.get("content"), name, found)
    if role == "tool":
        called = as_text(record.get("name"))
        parts = [make_result(record.get("tool_call_id") or called, parts, name=called or None)]
    elif role == "assistant":
        parts = [*_reasoning(record), *parts, *_spoken(record), *_calls(record, name, found)]
    return make_message(
        role,
        name,
        parts,
        parent_id=parent,
        metadata=source_note(path),
        model=as_text(record.get("model")) or model,
        usage=read_usage(record.get("usage")),
    )


def _reasoning(record: dict[str, Any]) -> list[Any]:
    """What servers that are compatible with OpenAI's add; the names differ."""
    text = as_text(record.get("reasoning_content")) or as_text(record.get("reasoning"))
    return [words.ReasoningPart(text=text)] if text else []


def _spoken(record: dict[str, Any]) -> list[Any]:
    refusal, audio = as_text(record.get("refusal")), as_dict(record.get("audio"))
    media = media_from_base64(as_text(audio.get("data"))) if audio.get("data") else None
    transcript = as_text(audio.get("transcript"))
    spoken = [words.AudioPart(media=media, transcript=transcript or None)] if media else []
    return [
        *([words.RefusalPart(text=refusal)] if refusal else []),
        *spoken,
        *([] if media else text_parts(transcript)),
    ]


def _calls(record: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    calls: list[Any] = []
    for item in as_list(record.get("tool_calls")):
        call = as_dict(item)
        custom = as_dict(call.get("custom"))
        function = as_dict(call.get("function"))
        given = custom.get("input") if custom else function.get("arguments")
        text = as_text(given) if custom else arguments_text(given, name, found)
        calls.append(make_call(call.get("id"), (custom or function).get("name"), text))
    old = record.get("function_call")
    if isinstance(old, dict):
        text = arguments_text(old.get("arguments"), name, found)
        calls.append(make_call(old.get("name"), old.get("name"), text))
    return calls
