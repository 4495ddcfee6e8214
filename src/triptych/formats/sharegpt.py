"""ShareGPT rows (``conversations`` of ``{from, value}``), as a list or JSONL, with rows of chat messages among them.

Tool calls are texts here and have no ids: results are paired with the calls before them in order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from triptych.formats.assemble import Origin, assemble
from triptych.formats.conversation import ImportedConversation, Path
from triptych.formats.jsontext import parse_json
from triptych.formats.lists import MessageList, read_lists, record_id
from triptych.formats.making import (
    as_list,
    as_text,
    make_call,
    make_message,
    make_result,
    result_content,
    role_from,
    source_note,
    text_parts,
    unknown_part,
)
from triptych.formats.openai_chat import message_from
from triptych.formats.problems import problem
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, Role

__all__ = ["matches", "read"]

_KEYS = ("conversations", "conversation", "messages")
_SPEAKERS: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "function_call": "assistant",
    "system": "system",
    "tool": "tool",
    "observation": "tool",
    "function_response": "tool",
}
_NAMES = ("name", "function", "tool", "tool_name", "api")
_ARGUMENTS = ("arguments", "parameters", "args", "input")


def matches(sample: Sample) -> bool:
    """Rows whose conversations are made of turns with ``from``."""
    return any(
        isinstance(turn, dict) and "from" in turn
        for row in (sample.object, *sample.objects)
        for key in _KEYS[:2]
        for turn in as_list(row.get(key))
    )


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file."""
    for item in read_lists(file, _KEYS):
        yield _conversation(item, file) if isinstance(item, MessageList) else item


def _conversation(listed: MessageList, file: SourceFile) -> ImportedConversation | Diagnostic:
    talk = _Talk(list(listed.found))
    system = listed.holder.get("system") or listed.holder.get("system_prompt")
    if isinstance(system, str) and system:
        talk.instruct(system)
    for index, turn in enumerate(listed.records):
        talk.take(turn, listed.path(index))
    shown = talk.compare(listed.holder)
    if not talk.messages:
        return problem("W_CONVERSATION_SKIPPED", f"{file.name}[{listed.index}]")
    given = listed.holder.get("id")
    origin = Origin(
        format="sharegpt",
        id=str(given) if isinstance(given, str | int) and given != "" else None,
        name=f"{file.name}[{listed.index}]",
        document=listed.document,
        lines=listed.lines,
    )
    return assemble(origin, talk.messages, talk.found, pointer=shown, fallback="last")


class _Talk:
    """The messages so far, and the calls that have no result yet."""

    def __init__(self, found: list[Diagnostic]) -> None:
        self.found = found
        self.messages: list[Message] = []
        self.waiting: list[tuple[str, str]] = []

    @property
    def last(self) -> str | None:
        return self.messages[-1].id if self.messages else None

    def instruct(self, text: str) -> None:
        """Instructions that stand beside the turns."""
        note = source_note(("system",))
        self.messages.append(make_message("system", record_id(None, text), text_parts(text), metadata=note))

    def take(self, turn: Any, path: Path, *, below: str | None = None) -> None:
        """Read one turn, which follows the last message or the one that is given."""
        parent = below or self.last
        if not isinstance(turn, dict):
            self.found.append(problem("W_RECORD_SKIPPED", "/".join(map(str, path))))
            return
        if "role" in turn and "from" not in turn:
            self.messages.append(message_from(turn, parent, path, None, self.found))
            return
        name = record_id(parent, turn)
        speaker = turn.get("from")
        role = _SPEAKERS.get(speaker.lower()) if isinstance(speaker, str) else None
        role = role or role_from(speaker, name, self.found)
        value = turn.get("value", turn.get("content"))
        if speaker == "function_call":
            parts = self._calls(value, name)
        elif role == "tool":
            parts = self._results(value, name)
        else:
            known = value is None or isinstance(value, str)
            parts = list(text_parts(value)) if known else [unknown_part(value, name, self.found)]
        note = source_note(path)
        self.messages.append(make_message(role, name, parts, parent_id=parent, metadata=note))

    def compare(self, holder: dict[str, Any]) -> str | None:
        """The two endings of a preference row, side by side; the id of the chosen one."""
        fork, shown = self.last, None
        for key in ("chosen", "rejected"):
            turn = holder.get(key)
            if isinstance(turn, dict) and ("from" in turn or "role" in turn):
                self.take(turn, (key,), below=fork)
                shown = shown or self.last
        return shown

    def _calls(self, value: Any, name: str) -> list[Any]:
        """One call or a list of them, as JSON text; what is no JSON is kept as a call's arguments."""
        parsed = parse_json(value.encode("utf-8", "replace"))[0] if isinstance(value, str) else value
        listed = parsed if isinstance(parsed, list) else [parsed]
        if not all(isinstance(one, dict) for one in listed) or not listed:
            self.found.append(problem("W_BAD_JSON_ARGS", name))
            listed = [{"arguments": value if isinstance(value, str) else json.dumps(value)}]
        calls: list[Any] = []
        for number, one in enumerate(listed):
            called = as_text(next((one[key] for key in _NAMES if key in one), ""))
            rest = {key: held for key, held in one.items() if key not in _NAMES}
            given = next((one[key] for key in _ARGUMENTS if key in one), rest or None)
            text = given if isinstance(given, str) else "".join(part.text for part in result_content(given))
            call = make_call(f"{name}:{number}", called, text)
            self.waiting.append((call.call_id, called))
            calls.append(call)
        return calls

    def _results(self, value: Any, name: str) -> list[Any]:
        call_id, called = self.waiting.pop(0) if self.waiting else (name, "")
        return [make_result(call_id, result_content(value), name=called or None)]
