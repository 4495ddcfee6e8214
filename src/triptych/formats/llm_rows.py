"""One row a turn, as ``llm logs --json`` prints them and as the old tables hold them.

A system prompt that every row repeats is one message; results of tools stand on the row after the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triptych.formats.assemble import Origin, assemble
from triptych.formats.conversation import ImportedConversation
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
    media_from_url,
    result_content,
    source_note,
    text_parts,
    time_of,
)
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.spoken import LLM_LOGS
from triptych.formats.tree import claim_id
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, Role
from triptych.model.usage import Usage

__all__ = ["is_row", "read_rows", "rows_from_tables"]


def is_row(row: dict[str, Any]) -> bool:
    """Whether a record is one turn of a log."""
    return "conversation_id" in row and "prompt" in row and "response" in row


def read_rows(rows: list[Any], data: bytes, name: str) -> Iterator[ImportedConversation | Diagnostic]:
    """The conversations of the rows, in the order in which they first occur."""
    groups: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for index, row in enumerate(rows):
        if isinstance(row, dict) and is_row(row):
            key = as_text(row.get("conversation_id")) or as_text(row.get("id")) or f"row-{index}"
            groups.setdefault(key, []).append((index, row))
        else:
            yield problem("W_UNKNOWN_RECORD", f"{name}[{index}]")
    if not groups:
        yield problem("W_CONVERSATION_SKIPPED", name)
    for key, group in groups.items():
        yield _conversation(key, group, data, name)


def _conversation(
    key: str, group: list[tuple[int, dict[str, Any]]], data: bytes, name: str
) -> ImportedConversation:
    log = _Log()
    for index, row in group:
        log.take(row, index)
    last = group[-1][1]
    model = as_text(last.get("conversation_model")) or as_text(last.get("model"))
    origin = Origin(
        format="llm_logs",
        id=key,
        version="rows",
        name=name,
        document=data,
        title=as_text(last.get("conversation_name")),
        model=f"llm:{model}" if model else None,
    )
    return assemble(origin, log.messages, log.found, fallback="last")


class _Log:
    """The messages of one conversation so far."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.found: list[Diagnostic] = []
        self.system = ""
        self.taken: dict[str, Any] = {}

    def take(self, row: dict[str, Any], index: int) -> None:
        """Read one turn."""
        turn = claim_id(self.taken, as_text(row.get("id")) or f"row-{index}", row, self.found)
        if turn is None:
            return
        self.found.extend(odd_fields(row, LLM_LOGS, index))
        system = as_text(row.get("system"))
        if system and system != self.system:
            self.system = system
            self._add("system", f"{turn}:system", text_parts(system), row, index)
        results = [as_dict(item) for item in as_list(row.get("tool_results"))]
        if results:
            self._add("tool", f"{turn}:results", [_result(item) for item in results], row, index)
        prompt = [*text_parts(row.get("prompt")), *_attachments(row, turn, self.found)]
        if prompt or not results:
            self._add("user", f"{turn}:prompt", prompt, row, index)
        self._answer(turn, row, index)

    def _answer(self, turn: str, row: dict[str, Any], index: int) -> None:
        reasoning = as_text(row.get("reasoning"))
        calls = [_call(as_dict(item), turn, self.found) for item in as_list(row.get("tool_calls"))]
        thought = [words.ReasoningPart(text=reasoning)] if reasoning else []
        self._add(
            "assistant", f"{turn}:response", [*thought, *text_parts(row.get("response")), *calls], row, index
        )

    def _add(self, role: Role, name: str, parts: list[Any], row: dict[str, Any], index: int) -> None:
        found: list[Diagnostic] = []
        created = time_of(row.get("datetime_utc"), "iso", name, found)
        self.found.extend(found if role == "assistant" else [])
        self.messages.append(
            make_message(
                role,
                name,
                parts,
                parent_id=self.messages[-1].id if self.messages else None,
                created_at=created,
                metadata=source_note((index,)),
                model=as_text(row.get("resolved_model")) or as_text(row.get("model")) or None,
                usage=_usage(row),
            )
        )


def _usage(row: dict[str, Any]) -> Usage | None:
    spent, made = count(row.get("input_tokens")), count(row.get("output_tokens"))
    return None if spent is None and made is None else Usage(input_tokens=spent, output_tokens=made)


def _call(item: dict[str, Any], turn: str, found: list[Diagnostic]) -> words.ToolCallPart:
    call_id = item.get("tool_call_id") or item.get("id")
    return make_call(call_id, item.get("name"), arguments_text(item.get("arguments"), turn, found))


def _result(item: dict[str, Any]) -> words.ToolResultPart:
    failed = item.get("exception")
    content = result_content(item.get("output")) or result_content(failed)
    call_id = item.get("tool_call_id") or item.get("id")
    return make_result(call_id, content, name=as_text(item.get("name")) or None, is_error=bool(failed))


def _attachments(row: dict[str, Any], turn: str, found: list[Diagnostic]) -> list[Any]:
    parts: list[Any] = []
    for item in as_list(row.get("attachments")):
        one = as_dict(item)
        media_type = as_text(one.get("type")) or as_text(one.get("mimetype")) or None
        url = as_text(one.get("url"))
        data = as_text(one.get("content")) or as_text(as_dict(one.get("content")).get("content"))
        media: Any = media_from_url(url) if url else media_from_base64(data) if data else None
        if media is None:
            found.append(problem("W_MISSING_ATTACHMENT", turn, file=one.get("path") or one.get("id")))
            media = words.ProviderMedia(
                family="llm", file_id=as_text(one.get("id")) or as_text(one.get("path"))
            )
        if (media_type or "").startswith("image/"):
            parts.append(words.ImagePart(media=media, media_type=media_type))
        else:
            parts.append(
                words.FilePart(media=media, media_type=media_type, name=as_text(one.get("path")) or None)
            )
    return parts


def rows_from_tables(tables: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows of the old tables with what ``llm logs --json`` joins to them."""
    names = {as_text(one.get("id")): one for one in tables.get("conversations", [])}
    attachments = {as_text(one.get("id")): one for one in tables.get("attachments", [])}
    rows: list[dict[str, Any]] = []
    for response in tables["responses"]:
        name = response.get("id")
        conversation = names.get(as_text(response.get("conversation_id")), {})
        linked = [one for one in tables.get("prompt_attachments", []) if one.get("response_id") == name]
        rows.append(
            {
                **response,
                "conversation_name": conversation.get("name"),
                "conversation_model": conversation.get("model"),
                "tool_calls": [one for one in tables.get("tool_calls", []) if one.get("response_id") == name],
                "tool_results": [
                    one for one in tables.get("tool_results", []) if one.get("response_id") == name
                ],
                "attachments": [attachments.get(as_text(one.get("attachment_id")), one) for one in linked],
            }
        )
    return rows
