"""Codex rollouts: JSONL of ``{timestamp, type, payload}``; old ones are bare items with state records between.

Every turn stands there twice, as events for the terminal and as response items; the items are read. Instructions
and environment notes that the program injects are hidden. A fork begins with a copy of its parent's lines: they
are kept and reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from triptych.formats.assemble import Origin, assemble, made_id
from triptych.formats.conversation import ImportedConversation
from triptych.formats.making import ROLES, as_dict, as_text, make_message, source_note, text_parts, time_of
from triptych.formats.openai_content import read_usage
from triptych.formats.problems import problem
from triptych.formats.responses_items import ITEM_TYPES, ItemTurns
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile, read_lines
from triptych.formats.spoken import OPENAI_RESPONSES
from triptych.formats.streaming import Line, stream_lines
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import AssistantMessage, Message, UserMessage, message_text
from triptych.model.status import Incomplete

__all__ = ["matches", "read"]

_KINDS = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "session_state",
        "world_state",
    }
)
_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
    "<collaboration_mode>",
    "# AGENTS.md instructions",
)
"""How the texts begin that the program itself puts among the user's messages."""


def matches(sample: Sample) -> bool:
    """Lines with a time, a type and a payload, or the records of old rollouts."""
    rows = [line for line in sample.lines if isinstance(line, dict)]
    return any(
        (isinstance(row.get("payload"), dict) and as_text(row.get("type")) in _KINDS)
        or "record_type" in row
        or (isinstance(row.get("timestamp"), str) and "instructions" in row and "id" in row)
        for row in rows
    )


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The session that the file holds."""
    found: list[Diagnostic] = []
    rollout = _Rollout(found)
    for line in stream_lines(read_lines(file), found):
        rollout.take(line)
    messages = rollout.turns.messages
    if not messages:
        yield from found
        yield problem("W_CONVERSATION_SKIPPED", file.name)
        return
    meta = rollout.meta
    hints = {
        "project": as_text(meta.get("cwd")) or None,
        "forkedFrom": as_text(meta.get("forked_from_id")) or as_text(meta.get("parent_thread_id")) or None,
    }
    origin = Origin(
        format="codex",
        id=as_text(meta.get("id")) or None,
        version="modern" if rollout.modern else "legacy",
        name=file.name,
        document=file.read(),
        lines=True,
        created_at=time_of(meta.get("timestamp"), "iso", "session_meta", found),
        model=f"openai:{rollout.model}" if rollout.model else None,
        metadata={key: value for key, value in hints.items() if value},
    )
    yield assemble(origin, messages, found, fallback="last")


class _Rollout:
    """What was read of a session so far."""

    def __init__(self, found: list[Diagnostic]) -> None:
        self.found = found
        self.turns = ItemTurns(found)
        self.meta: dict[str, Any] = {}
        self.model = ""
        self.modern = False
        self.replaying = False

    def take(self, line: Line) -> None:
        """Read one record."""
        record = line.value
        where = f"line {line.index + 1}"
        if not isinstance(record, dict):
            self.found.append(problem("W_BAD_LINE", where))
            return
        payload = record.get("payload")
        if not isinstance(payload, dict):
            self._take_bare(record, line.index, where)
            return
        self.modern = True
        match record.get("type"):
            case "session_meta":
                self._meta(payload)
            case "turn_context":
                self.replaying = False
                self.model = as_text(payload.get("model")) or self.model
            case "response_item":
                self._item(payload, (line.index, "payload"), record.get("timestamp"), where)
            case "event_msg":
                self._event(payload)
            case "compacted":
                self._compacted(payload, (line.index, "payload"), record.get("timestamp"), where)
            case kind if as_text(kind) not in _KINDS:
                self.found.append(problem("W_UNKNOWN_RECORD", where, type=kind))
            case _:
                pass

    def _meta(self, payload: dict[str, Any]) -> None:
        """The first one is this session's; a second one begins the copy of another session's lines."""
        if not self.meta:
            self.meta = payload
        elif payload.get("id") != self.meta.get("id"):
            self.replaying = True
            self.found.append(problem("W_REPLAYED_PREFIX", session=payload.get("id")))

    def _take_bare(self, record: dict[str, Any], index: int, where: str) -> None:
        """A record of an old rollout: the session's first line, a state, or an item as it is."""
        if "record_type" in record:
            return
        if not self.meta and "id" in record and "timestamp" in record and "type" not in record:
            self.meta = record
            return
        spoken = "role" in record and "content" in record
        if spoken or record.get("type") == "message" or as_text(record.get("type")) in ITEM_TYPES:
            self._item(record, (index,), record.get("timestamp"), where)
        else:
            self.found.append(problem("W_UNKNOWN_RECORD", where, type=record.get("type")))

    def _item(self, item: dict[str, Any], path: Any, stamp: Any, where: str) -> None:
        if item.get("type") == "ghost_snapshot":
            return
        fields: dict[str, Any] = {
            "created_at": time_of(stamp, "iso", where, self.found),
            "model": self.model or None,
            "provider": "openai",
        }
        self.found.extend(odd_fields(item, OPENAI_RESPONSES, *path))
        before = len(self.turns.messages)
        message = self.turns.take(item, path, **fields)
        if len(self.turns.messages) > before:
            self._settle(message, item)

    def _settle(self, message: Message, item: dict[str, Any]) -> None:
        """Mark a new message: what was injected is hidden, what was copied is said to be so."""
        if ROLES.get(as_text(item.get("role"))) == "system" or _injected(message):
            message = msgspec.structs.replace(message, hidden=True)
        if self.replaying:
            metadata = message.metadata or {}
            source = {**metadata["source"], "replayed": True}
            message = msgspec.structs.replace(message, metadata={**metadata, "source": source})
        self.turns.messages[-1] = message

    def _event(self, payload: dict[str, Any]) -> None:
        """Events repeat what items say; only usage and interruptions are news."""
        reply = self._last_reply()
        if reply is None:
            return
        place, message = reply
        if payload.get("type") == "token_count":
            usage = read_usage(as_dict(payload.get("info")).get("last_token_usage"))
            self.turns.messages[place] = msgspec.structs.replace(message, usage=usage or message.usage)
        elif payload.get("type") == "turn_aborted" and place == len(self.turns.messages) - 1:
            self.turns.messages[place] = msgspec.structs.replace(message, status=Incomplete(reason="stopped"))

    def _last_reply(self) -> tuple[int, AssistantMessage] | None:
        for place in range(len(self.turns.messages) - 1, -1, -1):
            message = self.turns.messages[place]
            if isinstance(message, AssistantMessage):
                return place, message
        return None

    def _compacted(self, payload: dict[str, Any], path: Any, stamp: Any, where: str) -> None:
        """A summary that replaces what was before; the replacement history is for the model, not news."""
        self.turns.close()
        text = as_text(payload.get("message"))
        parent = self.turns.last_id
        if not text:
            self.found.append(problem("W_OPAQUE_CONTENT", where, type="compacted"))
        message = make_message(
            "system",
            made_id(parent or "", where, text),
            text_parts(text),
            parent_id=parent,
            created_at=time_of(stamp, "iso", where, self.found),
            hidden=not text,
            metadata=source_note(path, compaction=True),
        )
        self.turns.messages.append(message)


def _injected(message: Message) -> bool:
    return isinstance(message, UserMessage) and message_text(message).lstrip().startswith(_INJECTED)
