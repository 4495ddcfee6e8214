"""Items of OpenAI's Responses wire as parts and messages: for item lists, for Codex and for Open WebUI's output.

Items on the assistant's side (reasoning, calls, output messages) belong together until a user's item or an output
comes between. An output is a tool message of its own.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from triptych.formats.conversation import Path
from triptych.formats.lists import record_id
from triptych.formats.making import (
    ROLES,
    arguments_text,
    as_dict,
    as_list,
    as_text,
    make_call,
    make_message,
    make_result,
    media_from_base64,
    result_content,
    role_from,
    source_note,
    unknown_part,
)
from triptych.formats.openai_content import content_parts
from triptych.formats.problems import problem
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import AssistantMessage, Message

__all__ = ["ITEM_TYPES", "ItemTurns", "is_output", "item_parts"]

_CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "tool_search_call",
    }
)
_SERVER_CALLS = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
    }
)
_OUTPUTS = frozenset({f"{kind}_output" for kind in _CALLS} | {"tool_search_output"})
_DATA = frozenset(
    {
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "configuration_update",
        "program",
        "program_output",
        "ghost_snapshot",
        "agent_message",
        "additional_tools",
    }
)
_OPAQUE = frozenset({"compaction", "compaction_summary", "context_compaction"})
ITEM_TYPES = _CALLS | _SERVER_CALLS | _OUTPUTS | _DATA | _OPAQUE | {"reasoning", "item_reference"}
"""The types of items that are known, without ``message``, which other formats have too."""

_FAMILY = "openai"
_OWN_NAMES = {"computer_call": "computer", "local_shell_call": "local_shell", "shell_call": "shell"}


def is_output(item: dict[str, Any]) -> bool:
    """Whether an item is what a tool answered."""
    return as_text(item.get("type")) in _OUTPUTS


def item_parts(item: dict[str, Any], where: str, found: list[Diagnostic]) -> list[Any]:
    """The parts of one item on the assistant's side, or of an output."""
    kind = as_text(item.get("type"))
    if kind == "message" or (not kind and "content" in item):
        return content_parts(item.get("content"), where, found)
    if kind == "reasoning":
        return [_reasoning(item, where, found)]
    if kind in _OUTPUTS:
        return [_output(item, where, found)]
    if kind in _CALLS:
        return [_call(item, where, found)]
    if kind in _SERVER_CALLS:
        return _server_call(item)
    if kind in _DATA:
        return [words.DataPart(name=kind, data=item)]
    if kind in _OPAQUE:
        found.append(problem("W_OPAQUE_CONTENT", where, type=kind))
        return [words.ReasoningPart(redacted=True, private={_FAMILY: item})]
    return [unknown_part(item, where, found)]


def _reasoning(item: dict[str, Any], where: str, found: list[Diagnostic]) -> words.ReasoningPart:
    listed = as_list(item.get("summary")) or as_list(item.get("content"))
    texts = [as_text(as_dict(piece).get("text")) for piece in listed]
    if not any(texts):
        found.append(problem("W_OPAQUE_CONTENT", where, type="reasoning"))
    private = {key: item[key] for key in ("id", "encrypted_content") if item.get(key)}
    return words.ReasoningPart(
        text="\n\n".join(filter(None, texts)),
        redacted=not any(texts),
        private={_FAMILY: private} if private else None,
    )


def _call(item: dict[str, Any], where: str, found: list[Diagnostic]) -> words.ToolCallPart:
    kind = as_text(item.get("type"))
    name = as_text(item.get("name")) or _OWN_NAMES.get(kind, kind.removesuffix("_call"))
    if kind == "function_call":
        text = arguments_text(item.get("arguments"), where, found)
    elif kind == "custom_tool_call":
        text = as_text(item.get("input"))
    else:
        text = json.dumps(item.get("action", item.get("operation", item.get("arguments"))))
    return make_call(item.get("call_id") or item.get("id"), name, text, **_item_id(item))


def _item_id(item: dict[str, Any]) -> dict[str, Any]:
    """The item's own id, which the provider wants back: calls are paired by ``call_id``, not by it."""
    return {"private": {_FAMILY: {"id": item["id"]}}} if item.get("id") and item.get("call_id") else {}


def _server_call(item: dict[str, Any]) -> list[Any]:
    """A call that the provider ran itself; what it brought stands in the same item, where anywhere."""
    kind = as_text(item.get("type"))
    given = item.get("arguments", item.get("action", item.get("code", item.get("queries"))))
    text = given if isinstance(given, str) else json.dumps(given) if given is not None else ""
    call = make_call(
        item.get("id"),
        item.get("name") or kind.removesuffix("_call"),
        text,
        namespace=as_text(item.get("server_label")) or None,
        server_side=True,
        private={_FAMILY: item},
    )
    image = media_from_base64(as_text(item.get("result"))) if item.get("result") else None
    if image is not None:
        return [call, words.ImagePart(media=image)]
    answer = item.get("output", item.get("outputs", item.get("results")))
    if answer is None:
        return [call]
    failed = item.get("error") is not None
    return [call, make_result(call.call_id, result_content(answer), name=call.name, is_error=failed)]


def _output(item: dict[str, Any], where: str, found: list[Diagnostic]) -> words.ToolResultPart:
    output = item.get("output")
    if isinstance(output, list) and all(isinstance(one, dict) and "type" in one for one in output):
        content = content_parts(output, where, found)
    else:
        content = result_content(output)
    return make_result(item.get("call_id") or item.get("id"), content, name=as_text(item.get("name")) or None)


class ItemTurns:
    """Items put together to messages, one after the other.

    ``messages`` is the result; ``take`` adds an item. Fields such as the time and the model go to the message that
    the item begins.
    """

    def __init__(self, found: list[Diagnostic]) -> None:
        self.found = found
        self.messages: list[Message] = []
        self._open = False

    @property
    def last_id(self) -> str | None:
        """The id of the latest message."""
        return self.messages[-1].id if self.messages else None

    def close(self) -> None:
        """What comes next begins a message of its own."""
        self._open = False

    def take(self, item: dict[str, Any], path: Path, **fields: Any) -> Message:
        """Add an item; returns the message that it begins or continues."""
        kind, role = as_text(item.get("type")), item.get("role")
        if kind in ("", "message") and ROLES.get(as_text(role)) != "assistant":
            return self._say(item, path, fields)
        if is_output(item) or kind in _OPAQUE:
            self.close()
            hidden = {"hidden": True} if kind in _OPAQUE else {}
            message = self._add("tool" if is_output(item) else "assistant", item, path, fields | hidden)
            self.close()
            return message
        if self._open:
            return self._continue(item, path)
        message = self._add("assistant", item, path, fields)
        self._open = True
        return message

    def _say(self, item: dict[str, Any], path: Path, fields: dict[str, Any]) -> Message:
        self.close()
        role = role_from(item.get("role"), str(path[-1]) if path else "", self.found)
        message = self._add(role, item, path, fields)
        self._open = role == "assistant"
        return message

    def _add(self, role: Any, item: dict[str, Any], path: Path, fields: dict[str, Any]) -> Message:
        name = record_id(self.last_id, item)
        parts = item_parts(item, name, self.found)
        note = source_note(path)
        metadata = {**note, **fields.pop("metadata", {})} if "metadata" in fields else note
        message = make_message(role, name, parts, parent_id=self.last_id, metadata=metadata, **fields)
        self.messages.append(message)
        return message

    def _continue(self, item: dict[str, Any], path: Path) -> Message:
        message = self.messages[-1]
        if not isinstance(message, AssistantMessage):
            return message
        metadata = message.metadata or {}
        source = metadata["source"]
        paths = [*source["paths"], list(path)]
        grown = msgspec.structs.replace(
            message,
            parts=(*message.parts, *item_parts(item, message.id, self.found)),
            metadata={**metadata, "source": {**source, "paths": paths}},
        )
        self.messages[-1] = grown
        return grown
