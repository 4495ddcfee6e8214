"""Claude Code sessions: append-only JSONL, one record a line, linked by ``parentUuid``.

Assistant records hold one block each and share ``message.id``: together they are one message. System records and
progress are links of the chain without being messages. What breaks chains here is repaired: parents that were
never written (the record before takes their place), boundaries of a compaction (joined by ``logicalParentUuid``),
and error or hook records that stole the next prompt from the real reply. Sub-agents' records (side chains) stay
roots of their own, hidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from triptych.formats.anthropic_blocks import block_parts, read_usage
from triptych.formats.assemble import Origin, assemble
from triptych.formats.claude_code_chain import Chain, mend_chain
from triptych.formats.conversation import ImportedConversation
from triptych.formats.lists import split_results
from triptych.formats.making import as_dict, as_text, make_message, role_from, source_note, time_of
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile, read_lines
from triptych.formats.spoken import ANTHROPIC
from triptych.formats.streaming import Line, stream_lines
from triptych.formats.tree import claim_id
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import AssistantMessage, Message
from triptych.model.status import COMPLETE, Incomplete, Status

__all__ = ["matches", "read"]

_SPOKEN = frozenset({"user", "assistant"})
_SILENT = frozenset(
    {
        "system",
        "summary",
        "attachment",
        "progress",
        "file-history-snapshot",
        "queue-operation",
        "custom-title",
        "ai-title",
        "agent-name",
        "last-prompt",
        "pr-link",
        "tag",
        "mode",
        "permission-mode",
    }
)
"""Records that belong to a session without being messages of it."""


def matches(sample: Sample) -> bool:
    """Lines with ``parentUuid``, or with a session id and a type."""
    rows = [line for line in sample.lines if isinstance(line, dict)]
    return any(
        "parentUuid" in row
        or ("sessionId" in row and "type" in row and "payload" not in row)
        or (row.get("type") == "summary" and "leafUuid" in row)
        or (row.get("type") == "file-history-snapshot" and "messageId" in row)
        for row in rows
    )


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The session that the file holds."""
    found: list[Diagnostic] = []
    session = _Session(found)
    for line in stream_lines(read_lines(file), found):
        session.take(line)
    messages = mend_chain(session.chain, session.messages, found)
    if not messages:
        yield from found
        yield problem("W_CONVERSATION_SKIPPED", file.name)
        return
    origin = Origin(
        format="claude_code",
        id=session.name(file.name),
        name=file.name,
        document=file.read(),
        lines=True,
        title=session.title,
        model=_model(messages),
        metadata={"project": session.folder} if session.folder else None,
    )
    yield assemble(origin, messages, found, pointer=_last_of_main(messages), fallback="last")


def _model(messages: list[Message]) -> str | None:
    names = [one.model for one in messages if isinstance(one, AssistantMessage) and one.model]
    return f"anthropic:{names[-1]}" if names else None


def _last_of_main(messages: list[Message]) -> str | None:
    """The last record is what a resumed session goes on from; side chains are not resumed."""
    main = [one.id for one in messages if not (one.metadata or {})["source"].get("sidechain")]
    return main[-1] if main else None


class _Session:
    """What was read of a session so far."""

    def __init__(self, found: list[Diagnostic]) -> None:
        self.found = found
        self.chain = Chain()
        self.messages: dict[str, Message] = {}
        self.taken: dict[str, Any] = {}
        self.by_reply: dict[str, str] = {}
        self.sessions: dict[str, None] = {}
        self.agents: set[str] = set()
        self.title = ""
        self.folder = ""
        self.replayed = False

    def name(self, file_name: str) -> str | None:
        """The session's id; with the agent's for a file of a sub-agent."""
        stem = file_name.rpartition("/")[2].removesuffix(".jsonl")
        session = stem if stem in self.sessions else next(iter(self.sessions), None)
        if session and self.chain.only_side() and len(self.agents) == 1:
            return f"{session}:{next(iter(self.agents))}"
        return session

    def take(self, line: Line) -> None:
        """Read one record."""
        record = line.value
        where = f"line {line.index + 1}"
        if not isinstance(record, dict):
            self.found.append(problem("W_BAD_LINE", where))
            return
        kind = as_text(record.get("type"))
        self._learn(record)
        if kind in _SPOKEN:
            self._speak(record, where, line.index)
        elif kind in _SILENT:
            self._pass(record)
        else:
            self.found.append(problem("W_UNKNOWN_RECORD", where, type=kind))
            self._pass(record)

    def _learn(self, record: dict[str, Any]) -> None:
        """What a record says of the session as such."""
        if as_text(record.get("sessionId")):
            self.sessions[record["sessionId"]] = None
        if as_text(record.get("agentId")):
            self.agents.add(record["agentId"])
        self.folder = self.folder or as_text(record.get("cwd"))
        if record.get("type") in ("custom-title", "ai-title"):
            self.title = as_text(record.get("customTitle")) or as_text(record.get("aiTitle")) or self.title
        if isinstance(record.get("forkedFrom"), dict) and not self.replayed:
            self.replayed = True
            self.found.append(problem("W_REPLAYED_PREFIX", session=record["forkedFrom"]))

    def _pass(self, record: dict[str, Any]) -> None:
        """A record that is a link of the chain, but no message."""
        name = as_text(record.get("uuid"))
        if not name:
            return
        claimed = claim_id(self.taken, name, record, self.found)
        if claimed is not None:
            self.chain.add(claimed, record, silent=True)

    def _speak(self, record: dict[str, Any], where: str, index: int) -> None:
        name = as_text(record.get("uuid"))
        if not name:
            self.found.append(problem("W_MISSING_FIELD", where, field="uuid"))
            name = f"line-{index}"
        claimed = claim_id(self.taken, name, record, self.found)
        if claimed is None:
            return
        self.found.extend(odd_fields(record.get("message"), ANTHROPIC, index, "message"))
        inner = as_dict(record.get("message"))
        reply = as_text(inner.get("id")) if record.get("type") == "assistant" else ""
        first = self.by_reply.get(reply) if reply else None
        if first is not None:
            self.chain.merge(claimed, first)
            self.messages[first] = _merged(self.messages[first], record, index, self.found)
            return
        if reply:
            self.by_reply[reply] = claimed
        self.chain.add(claimed, record)
        for message in _messages(claimed, record, inner, index, self.found):
            self.messages[message.id] = message


def _messages(
    name: str, record: dict[str, Any], inner: dict[str, Any], index: int, found: list[Diagnostic]
) -> list[Message]:
    side = record.get("isSidechain") is True
    role = role_from(inner.get("role") or record.get("type"), name, found)
    parts = block_parts(inner.get("content"), name, found)
    state = record.get("toolUseResult")
    if state is not None:
        parts = [
            msgspec.structs.replace(part, state=state) if isinstance(part, words.ToolResultPart) else part
            for part in parts
        ]
    fields = {
        "created_at": time_of(record.get("timestamp"), "iso", name, found),
        "hidden": side or record.get("isMeta") is True,
    }
    if record.get("isCompactSummary") is True:
        note = source_note((index,), compaction=True)
        return [make_message("system", name, parts, metadata=note, **fields)]
    made = split_results(
        role,
        name,
        parts,
        None,
        (index,),
        model=as_text(inner.get("model")) or None,
        provider="anthropic",
        usage=read_usage(inner.get("usage")),
        status=_status(record, inner),
        agent_id=as_text(record.get("agentId")) or None,
        **fields,
    )
    return [_marked(message, sidechain=True) for message in made] if side else made


def _marked(message: Message, **marks: Any) -> Message:
    metadata = message.metadata or {}
    return msgspec.structs.replace(message, metadata={**metadata, "source": {**metadata["source"], **marks}})


def _status(record: dict[str, Any], inner: dict[str, Any]) -> Status:
    if record.get("isApiErrorMessage") is True:
        return Incomplete(reason="error")
    return Incomplete(reason="length") if inner.get("stop_reason") == "max_tokens" else COMPLETE


def _merged(message: Message, record: dict[str, Any], index: int, found: list[Diagnostic]) -> Message:
    """A reply with one more of its records: new blocks are appended, a longer copy of the last one replaces it."""
    if not isinstance(message, AssistantMessage):
        return message
    inner = as_dict(record.get("message"))
    parts = list(message.parts)
    for part in block_parts(inner.get("content"), message.id, found):
        if part in parts:
            continue
        if parts and _grows(parts[-1], part):
            parts.pop()
        parts.append(part)
    metadata = message.metadata or {}
    paths = [*metadata["source"]["paths"], [index]]
    return msgspec.structs.replace(
        message,
        parts=tuple(parts),
        usage=read_usage(inner.get("usage")) or message.usage,
        status=_status(record, inner),
        metadata={**metadata, "source": {**metadata["source"], "paths": paths}},
    )


def _grows(last: Any, new: Any) -> bool:
    """Whether the new part is the last one, further written."""
    if isinstance(last, words.TextPart) and isinstance(new, words.TextPart):
        return new.text.startswith(last.text)
    if isinstance(last, words.ReasoningPart) and isinstance(new, words.ReasoningPart):
        return bool(last.text) and new.text.startswith(last.text)
    return False
