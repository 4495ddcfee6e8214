"""Arrays of Anthropic messages, alone or in a request (``{model, system, messages}``), and JSONL of requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triptych.formats.anthropic_blocks import block_parts, read_usage
from triptych.formats.assemble import Origin, assemble
from triptych.formats.conversation import ImportedConversation
from triptych.formats.lists import MessageList, read_lists, record_id, split_results
from triptych.formats.making import as_list, as_text, make_message, role_from, source_note
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import ANTHROPIC
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message

__all__ = ["matches", "read"]

_BLOCKS = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "image",
        "document",
        "search_result",
        "web_search_tool_result",
    }
)


def matches(sample: Sample) -> bool:
    """Messages with a block type that only Anthropic has, or a request with ``system`` beside its messages."""
    holders = [holder for holder in (sample.object, *sample.objects) if "messages" in holder]
    for records in ([*sample.objects] if not holders else []), *(as_list(one["messages"]) for one in holders):
        blocks = [
            block
            for record in records
            if isinstance(record, dict) and "role" in record
            for block in as_list(record.get("content"))
            if isinstance(block, dict)
        ]
        if any(as_text(block.get("type")) in _BLOCKS and "image_url" not in block for block in blocks):
            return True
    return any("system" in one and isinstance(one.get("max_tokens"), int) for one in holders)


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file."""
    for item in read_lists(file):
        yield _conversation(item, file) if isinstance(item, MessageList) else item


def _conversation(listed: MessageList, file: SourceFile) -> ImportedConversation | Diagnostic:
    found = list(listed.found)
    model = as_text(listed.holder.get("model"))
    messages = _system(listed, found)
    for index, record in enumerate(listed.records):
        parent = messages[-1].id if messages else None
        if not isinstance(record, dict):
            found.append(problem("W_RECORD_SKIPPED", f"messages[{index}]"))
            continue
        found.extend(odd_fields(record, ANTHROPIC, *listed.path(index)))
        name = as_text(record.get("id")) or record_id(parent, record)
        messages += split_results(
            role_from(record.get("role"), name, found),
            name,
            block_parts(record.get("content"), name, found),
            parent,
            listed.path(index),
            model=as_text(record.get("model")) or model or None,
            provider="anthropic",
            usage=read_usage(record.get("usage")),
        )
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", f"{file.name}[{listed.index}]")
    origin = Origin(
        format="anthropic",
        id=as_text(listed.holder.get("id")) or None,
        name=file.name,
        document=listed.document,
        lines=listed.lines,
        model=f"anthropic:{model}" if model else None,
    )
    return assemble(origin, messages, found, fallback="last")


def _system(listed: MessageList, found: list[Diagnostic]) -> list[Message]:
    """The instructions, which stand outside the list."""
    system: Any = listed.holder.get("system")
    if not system:
        return []
    name = record_id(None, system)
    parts = block_parts(system, name, found)
    return [make_message("system", name, parts, metadata=source_note(("system",)))]
