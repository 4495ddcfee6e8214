"""Claude.ai exports: a list of conversations with flat ``chat_messages`` that name their parents.

Roots name a sentinel as their parent; old exports name no parents at all and are lines. All branches stand in one
list, and the file does not say which is shown (captures of the program's own API do). Calls and results stand
inside the assistant's message, often without ids: they are paired in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triptych.formats.assemble import Origin, assemble, settle
from triptych.formats.conversation import ImportedConversation
from triptych.formats.making import (
    as_dict,
    as_list,
    as_text,
    count,
    id_of,
    kept_raw,
    make_call,
    make_message,
    make_result,
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
from triptych.formats.spoken import CLAUDE_AI
from triptych.formats.streaming import Entry, stream_entries
from triptych.formats.tree import claim_id
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message

__all__ = ["matches", "read"]

_SENTINEL = "00000000-0000-4000-8000-000000000000"
_LISTS = frozenset({"conversations"})
_NOTES = frozenset({"token_budget", "voice_note", "flag"})
_PARENT = "parent_message_uuid"


def matches(sample: Sample) -> bool:
    """Conversations with ``chat_messages``."""
    listed = [item for item in as_list(sample.object.get("conversations")) if isinstance(item, dict)]
    return any("chat_messages" in entry for entry in (sample.object, *sample.objects, *listed))


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file, as it is reached."""
    for entry in stream_entries(file, _LISTS):
        yield _conversation(entry, file) if isinstance(entry, Entry) else entry


def _conversation(entry: Entry, file: SourceFile) -> ImportedConversation | Diagnostic:
    value, found = entry.value, list(entry.found)
    name = as_text(value.get("uuid"))
    found.extend(odd_fields(value.get("chat_messages"), CLAUDE_AI, "chat_messages"))
    messages = settle(_messages(as_list(value.get("chat_messages")), found), found)
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", name or f"{file.name}[{entry.index}]")
    model = as_text(value.get("model"))
    project = as_text(value.get("project_uuid"))
    origin = Origin(
        format="claude_ai",
        id=name or None,
        name=file.name,
        document=entry.data,
        title=as_text(value.get("name")),
        created_at=time_of(value.get("created_at"), "iso", name, found),
        updated_at=time_of(value.get("updated_at"), "iso", name, found),
        model=f"anthropic:{model}" if model else None,
        favorite=value.get("is_starred") is True,
        metadata={"project": project} if project else None,
    )
    return assemble(origin, messages, found, pointer=as_text(value.get("current_leaf_message_uuid")) or None)


def _messages(records: list[Any], found: list[Diagnostic]) -> list[Message]:
    said = any(isinstance(record, dict) and isinstance(record.get(_PARENT), str) for record in records)
    taken: dict[str, Any] = {}
    messages: list[Message] = []
    previous: str | None = None
    for index, record in enumerate(records):
        if not isinstance(record, dict):
            found.append(problem("W_RECORD_SKIPPED", f"chat_messages[{index}]"))
            continue
        name = claim_id(taken, id_of(record, "uuid", f"message-{index}", found), record, found)
        if name is None:
            continue
        parent = _parent(record, name, previous, found) if said else previous
        messages.append(_message(name, parent, record, index, found))
        previous = name
    return messages


def _parent(record: dict[str, Any], name: str, previous: str | None, found: list[Diagnostic]) -> str | None:
    """The parent that the record names; where it does not speak of parents at all, the record before it."""
    if _PARENT not in record:
        found.append(problem("W_PARENT_INFERRED", name, parent=previous))
        return previous
    parent = record[_PARENT]
    return parent if isinstance(parent, str) and parent not in (_SENTINEL, "") else None


def _message(
    name: str, parent: str | None, record: dict[str, Any], index: int, found: list[Diagnostic]
) -> Message:
    role = role_from(record.get("sender"), name, found)
    parts = _blocks(as_list(record.get("content")), name, found) or text_parts(record.get("text"))
    parts += _files(record, name, found)
    return make_message(
        role,
        name,
        parts,
        parent_id=parent,
        created_at=time_of(record.get("created_at"), "iso", name, found),
        metadata=source_note(("chat_messages", index)),
        provider="anthropic",
    )


def _blocks(blocks: list[Any], name: str, found: list[Diagnostic]) -> list[Any]:
    parts: list[Any] = []
    waiting: list[str] = []
    for index, block in enumerate(blocks):
        if isinstance(block, dict):
            parts += _block(block, f"{name}:{index}", waiting, name, found)
        else:
            parts.append(unknown_part(block, name, found))
    return parts


def _block(
    block: dict[str, Any], made: str, waiting: list[str], name: str, found: list[Diagnostic]
) -> list[Any]:
    """The parts of one block. ``waiting`` holds the calls without an id that have no result yet."""
    match block.get("type"):
        case "text":
            return [*text_parts(block.get("text")), *_sources(block)]
        case "thinking":
            return [_thinking(block)]
        case "tool_use":
            call = as_text(block.get("id"))
            if not call:
                waiting.append(made)
            arguments = block.get("input")
            text = arguments if isinstance(arguments, str) else _json(arguments)
            return [make_call(call or made, block.get("name"), text)]
        case "tool_result":
            call = as_text(block.get("tool_use_id")) or (waiting.pop(0) if waiting else made)
            return [_result(call, block)]
        case str(kind) if kind in _NOTES:
            return [words.DataPart(name=kind, data=block)]
        case _:
            return [unknown_part(block, name, found)]


def _json(value: Any) -> str:
    return "".join(part.text for part in result_content(value))


def _thinking(block: dict[str, Any]) -> words.ReasoningPart:
    signature = as_text(block.get("signature"))
    return words.ReasoningPart(
        text=as_text(block.get("thinking")),
        private={"anthropic": {"signature": signature}} if signature else None,
    )


def _result(call: str, block: dict[str, Any]) -> words.ToolResultPart:
    content = block.get("content")
    parts: list[Any] = []
    for item in content if isinstance(content, list) else [content]:
        one = as_dict(item)
        known = one.get("type") == "text" or isinstance(item, str) or item is None
        text = one.get("text") if one else item
        parts += result_content(text) if known else [kept_raw(item)]
    return make_result(
        call,
        parts,
        name=as_text(block.get("name")) or None,
        is_error=block.get("is_error") is True,
        state=block.get("display_content"),
    )


def _sources(block: dict[str, Any]) -> list[Any]:
    details = [as_dict(as_dict(citation).get("details")) for citation in as_list(block.get("citations"))]
    urls = {as_text(detail.get("url")): detail for detail in details if as_text(detail.get("url"))}
    return [
        words.SourcePart(url=url, title=as_text(detail.get("title")) or None) for url, detail in urls.items()
    ]


def _named_files(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The files of both lists; newer exports name the same ones in either."""
    named = [as_dict(item) for item in as_list(record.get("files")) + as_list(record.get("files_v2"))]
    keys = [as_text(one.get("file_uuid")) or as_text(one.get("file_name")) for one in named]
    return [one for place, one in enumerate(named) if not keys[place] or keys.index(keys[place]) == place]


def _files(record: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    """Attachments come with the text read out of them; other files only with their names."""
    parts: list[Any] = []
    for item in as_list(record.get("attachments")):
        one = as_dict(item)
        text = one.get("extracted_content")
        if not isinstance(text, str):
            found.append(problem("W_MISSING_ATTACHMENT", name, file=one.get("file_name")))
        parts.append(
            words.FilePart(
                name=as_text(one.get("file_name")) or None,
                media_type=as_text(one.get("file_type")) or None,
                size=count(one.get("file_size")),
                text=text if isinstance(text, str) else None,
            )
        )
    for one in _named_files(record):
        found.append(problem("W_MISSING_ATTACHMENT", name, file=one.get("file_name")))
        parts.append(words.FilePart(name=as_text(one.get("file_name")) or None))
    return parts
