"""LangChain message dumps (``{type, data}``, ``{lc: 1, …}`` or flat) and LangGraph's state history.

A state history holds snapshots, newest first, that repeat their messages: their union by id is a tree, and a fork
of checkpoints is a branch. The newest snapshot is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from triptych.formats.anthropic_blocks import block_parts
from triptych.formats.assemble import Origin, assemble
from triptych.formats.conversation import ImportedConversation, Path
from triptych.formats.lists import MessageList, read_lists, record_id
from triptych.formats.making import (
    ROLES,
    arguments_text,
    as_dict,
    as_list,
    as_text,
    count,
    make_call,
    make_message,
    make_result,
    role_from,
    source_note,
)
from triptych.formats.openai_content import content_parts
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import LANGCHAIN, SNAPSHOT
from triptych.formats.streaming import read_document
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, Role
from triptych.model.usage import Usage

__all__ = ["matches", "read"]

_TYPES = frozenset({"human", "ai", "system", "tool", "function", "chat", "remove", "developer"})
_CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
    "ChatMessage": "chat",
    "RemoveMessage": "remove",
}
_ALL = "__remove_all__"
_OPENAI_PARTS = frozenset({"image_url", "input_audio", "file", "input_text", "output_text", "refusal"})


def matches(sample: Sample) -> bool:
    """Messages by their type words, serialised constructors, or snapshots of a graph's state."""
    rows = [
        *sample.objects,
        *(item for item in as_list(sample.object.get("messages")) if isinstance(item, dict)),
        *([sample.object] if sample.object else []),
    ]
    return any(_is_message(row) or _is_snapshot(row) for row in rows)


def _is_message(row: dict[str, Any]) -> bool:
    if row.get("lc") == 1 and "id" in row:
        return True
    known = isinstance(row.get("type"), str) and _plain_type(row["type"]) in _TYPES
    return known and ("data" in row or ("content" in row and "role" not in row))


def _is_snapshot(row: dict[str, Any]) -> bool:
    return isinstance(row.get("values"), dict) and ("config" in row or "parent_config" in row)


def _plain_type(kind: str) -> str:
    """The type without the mark of a streamed chunk, and class names as type words."""
    kind = kind.removesuffix("Chunk")
    return _CLASSES.get(kind, kind)


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The conversations of the file."""
    value, data, problems = read_document(file) if _is_history(file) else (None, b"", [])
    if isinstance(value, dict) and _is_snapshot(value):
        yield _history(_thread(value), [((), value)], data, file, problems)
        return
    if isinstance(value, list):
        yield from _histories(value, data, file, problems)
        return
    for item in read_lists(file):
        yield _conversation(item, file) if isinstance(item, MessageList) else item


def _is_history(file: SourceFile) -> bool:
    return b'"values"' in file.head(1 << 16) and b'"checkpoint_id"' in file.head(1 << 20)


class _Line(msgspec.Struct):
    """The messages of one conversation while they are read: their records, their order, who is in the list at hand."""

    found: list[Diagnostic]
    messages: dict[str, Message] = {}  # msgspec copies it
    contents: dict[str, Any] = {}
    numbers: dict[str, int] = {}
    listed: set[str] = set()

    def add(self, record: dict[str, Any], parent: str | None, path: Path) -> str | None:
        """Add a record below ``parent``; returns the id of its message (None when it only removes others)."""
        inner = _unwrapped(record)
        kind = _plain_type(as_text(inner.get("type")))
        if kind == "remove":
            self._remove(as_text(inner.get("id")))
            return None
        wanted = as_text(inner.get("id")) or record_id(parent, record)
        name, number = wanted, 1
        while name in self.messages and not self._is_same(name, record, parent):
            number += 1
            name = f"{wanted}~{number}"
        if name in self.listed:
            self.found.append(problem("W_DUPLICATE_RECORD", wanted))
            return None
        self.listed.add(name)
        if name in self.messages:
            return name
        if number > 1 and self.contents[wanted] != record:
            self.found.append(problem("W_DUPLICATE_ID", wanted, renamed=name))
        self.found.extend(odd_fields(record, LANGCHAIN, *path))
        self.numbers[name] = len(self.messages)
        self.messages[name] = _message(name, parent, inner, path, self.found)
        self.contents[name] = record
        return name

    def _is_same(self, name: str, record: dict[str, Any], parent: str | None) -> bool:
        """Whether a record is the known message: a list from which earlier messages were taken out still ties it.

        What comes twice in one list is the same, wherever it stands.
        """
        if self.contents[name] != record:
            return False
        if name in self.listed or parent is None:
            return True
        if self.numbers[parent] > self.numbers[name]:
            return False
        place: str | None = self.messages[name].parent_id
        while place is not None and place != parent:
            place = self.messages[place].parent_id
        return place == parent

    def _remove(self, target: str) -> None:
        self.found.append(problem("W_REMOVED_MESSAGE", target))
        for name in self.messages if target == _ALL else [target]:
            if name in self.messages:
                self.messages[name] = msgspec.structs.replace(self.messages[name], hidden=True)


def _conversation(listed: MessageList, file: SourceFile) -> ImportedConversation | Diagnostic:
    line = _Line(list(listed.found))
    parent: str | None = None
    for index, record in enumerate(listed.records):
        if isinstance(record, dict):
            parent = line.add(record, parent, listed.path(index)) or parent
        else:
            line.found.append(problem("W_RECORD_SKIPPED", f"messages[{index}]"))
    if not line.messages:
        return problem("W_CONVERSATION_SKIPPED", f"{file.name}[{listed.index}]")
    origin = Origin(
        format="langchain",
        id=as_text(listed.holder.get("thread_id")) or as_text(listed.holder.get("id")) or None,
        version="messages",
        name=file.name,
        document=listed.document,
        lines=listed.lines,
    )
    return assemble(origin, list(line.messages.values()), line.found, fallback="last")


def _histories(
    snapshots: list[Any], data: bytes, file: SourceFile, problems: list[Diagnostic]
) -> Iterator[ImportedConversation | Diagnostic]:
    """One conversation for each thread of a state history."""
    threads: dict[str, list[int]] = {}
    for index, snapshot in enumerate(snapshots):
        if isinstance(snapshot, dict) and _is_snapshot(snapshot):
            threads.setdefault(_thread(snapshot), []).append(index)
        else:
            yield problem("W_UNKNOWN_RECORD", f"{file.name}[{index}]")
    for thread, numbers in threads.items():
        yield _history(thread, [((index,), snapshots[index]) for index in numbers], data, file, problems)


def _thread(snapshot: dict[str, Any]) -> str:
    return as_text(as_dict(as_dict(snapshot.get("config")).get("configurable")).get("thread_id"))


def _history(
    thread: str,
    snapshots: list[tuple[Path, dict[str, Any]]],
    data: bytes,
    file: SourceFile,
    problems: list[Diagnostic],
) -> ImportedConversation | Diagnostic:
    line = _Line(list(problems))
    pointer: str | None = None
    for base, snapshot in reversed(snapshots):
        parent: str | None = None
        line.listed.clear()
        line.found.extend(odd_fields(snapshot, SNAPSHOT, *base))
        for place, record in enumerate(as_list(as_dict(snapshot.get("values")).get("messages"))):
            path: Path = (*base, "values", "messages", place)
            if isinstance(record, dict):
                parent = line.add(record, parent, path) or parent
            else:
                line.found.append(problem("W_RECORD_SKIPPED", "/".join(map(str, path))))
        pointer = parent or pointer
    if not line.messages:
        return problem("W_CONVERSATION_SKIPPED", thread or file.name)
    origin = Origin(
        format="langchain",
        id=thread or None,
        version="history",
        name=file.name,
        document=data,
    )
    return assemble(origin, list(line.messages.values()), line.found, pointer=pointer, fallback="last")


def _unwrapped(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a message, whatever they are wrapped in."""
    if isinstance(record.get("data"), dict) and isinstance(record.get("type"), str):
        return {**record["data"], "type": record["type"]}
    if record.get("lc") == 1:
        names = as_list(record.get("id"))
        kwargs = as_dict(record.get("kwargs"))
        return {**kwargs, "type": _plain_type(str(names[-1])) if names else kwargs.get("type")}
    return record


def _message(
    name: str, parent: str | None, inner: dict[str, Any], path: Path, found: list[Diagnostic]
) -> Message:
    kind = _plain_type(as_text(inner.get("type")))
    role = _role(inner, kind, name, found)
    parts = _content(inner, name, found)
    if role == "tool":
        artifact = inner.get("artifact")
        failed = inner.get("status") == "error"
        call_id = inner.get("tool_call_id") or inner.get("name")
        called = as_text(inner.get("name")) or None
        parts = [make_result(call_id, parts, name=called, is_error=failed, state=artifact)]
    elif role == "assistant":
        parts = [*_reasoning(inner, parts), *parts, *_calls(inner, name, found)]
    answered = as_dict(inner.get("response_metadata"))
    return make_message(
        role,
        name,
        parts,
        parent_id=parent,
        metadata=source_note(path),
        model=as_text(answered.get("model_name")) or as_text(answered.get("model")) or None,
        provider=as_text(answered.get("model_provider")) or None,
        usage=_usage(inner.get("usage_metadata")),
    )


def _role(inner: dict[str, Any], kind: str, name: str, found: list[Diagnostic]) -> Role:
    word = as_text(inner.get("role")) if kind == "chat" else kind
    return ROLES[word] if word in ROLES else role_from(word, name, found)


def _content(inner: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    content = inner.get("content")
    if not isinstance(content, list):
        return content_parts(content, name, found)
    called = bool(inner.get("tool_calls"))
    return [part for block in content for part in _block(block, name, found, called=called)]


def _block(block: Any, name: str, found: list[Diagnostic], *, called: bool) -> list[Any]:
    """A content block in the words of OpenAI, of Anthropic, or of LangChain's own standard."""
    kind = as_text(block.get("type")) if isinstance(block, dict) else ""
    if kind in ("tool_use", "tool_call", "tool_call_chunk", "input_json_delta") and called:
        return []
    if kind == "reasoning":
        return [words.ReasoningPart(text=as_text(block.get("reasoning")) or as_text(block.get("text")))]
    if kind == "tool_call":
        return [_call(block, name, found)]
    if kind in ("image", "file", "audio", "video") and "source" not in block:
        return content_parts([_standard(block)], name, found)
    return content_parts([block], name, found) if kind in _OPENAI_PARTS else block_parts([block], name, found)


def _standard(block: dict[str, Any]) -> dict[str, Any]:
    """LangChain's standard media block in OpenAI's words; the block itself where there is no such word."""
    data, url = as_text(block.get("base64")) or as_text(block.get("data")), as_text(block.get("url"))
    media_type = as_text(block.get("mime_type")) or "application/octet-stream"
    address = url or (f"data:{media_type};base64,{data}" if data else "")
    if block.get("type") == "image" and address:
        return {"type": "image_url", "image_url": address}
    return {"type": "file", "file_data": address} if address else block


def _reasoning(inner: dict[str, Any], parts: list[Any]) -> list[Any]:
    text = as_text(as_dict(inner.get("additional_kwargs")).get("reasoning_content"))
    known = any(isinstance(part, words.ReasoningPart) for part in parts)
    return [words.ReasoningPart(text=text)] if text and not known else []


def _calls(inner: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    calls = [_call(as_dict(call), name, found) for call in as_list(inner.get("tool_calls"))]
    calls += [_call(as_dict(call), name, found) for call in as_list(inner.get("invalid_tool_calls"))]
    if calls:
        return calls
    raw = [as_dict(call) for call in as_list(as_dict(inner.get("additional_kwargs")).get("tool_calls"))]
    return [_call({**as_dict(call.get("function")), "id": call.get("id")}, name, found) for call in raw]


def _call(call: dict[str, Any], name: str, found: list[Diagnostic]) -> words.ToolCallPart:
    text = arguments_text(call.get("args", call.get("arguments")), name, found)
    return make_call(call.get("id"), call.get("name"), text)


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    return Usage(
        input_tokens=count(value.get("input_tokens")),
        cached_input_tokens=count(as_dict(value.get("input_token_details")).get("cache_read")),
        output_tokens=count(value.get("output_tokens")),
        reasoning_tokens=count(as_dict(value.get("output_token_details")).get("reasoning")),
        raw=value,
    )
