"""LobeHub's topic file (version 2.0): rows in a tree, a tool's answer a row of its own.

Of the other two files (a dump of the tables, the old export of sessions) those that were read are continued in
their own tables; new ones are never made.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation
from triptych.formats.folding import fold, path_to
from triptych.formats.paths import active_path
from triptych.formats.writers.frame import Changes, Target, write_with
from triptych.formats.writers.values import iso_time, media_url, texts_of
from triptych.formats.written import Written
from triptych.model import parts as words
from triptych.model.messages import AssistantMessage, Message, ToolMessage, role_of

__all__ = ["write"]

Record = dict[str, Any]
_EPOCH = "1970-01-01T00:00:00.000Z"


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """One topic, or the file that the conversations were read from."""
    return write_with(_TARGET, conversations)


def _make(imported: ImportedConversation) -> Record:
    updated = iso_time(imported.conversation.updated_at) or _EPOCH
    rows = [row for message in _shown_root_first(imported) for row in _rows(message, imported)]
    _choose(rows, imported)
    return {
        "version": "2.0",
        "title": imported.conversation.title,
        "messages": rows,
        "exportedAt": updated,
    }


def _shown_root_first(imported: ImportedConversation) -> list[Message]:
    """The messages with the shown root before the others: of several roots the program shows the first."""
    path = active_path(imported)
    first = path[0].id if path else None
    return sorted(imported.messages, key=lambda message: message.id != first)


def _rows(message: Message, imported: ImportedConversation) -> list[Record]:
    """The rows of a message: one, or one a result where a message has several or a reply holds its own."""
    if isinstance(message, ToolMessage):
        results = [part for part in message.parts if isinstance(part, words.ToolResultPart)]
        return [
            _result(
                message,
                part,
                message.id if index == 0 else f"{message.id}~{index}",
                message.parent_id,
                imported,
            )
            for index, part in enumerate(results)
        ]
    inline = [part for part in message.parts if isinstance(part, words.ToolResultPart)]
    rows = [_row(message)]
    rows += [
        _result(message, part, f"{message.id}~result-{index}", message.id, imported)
        for index, part in enumerate(inline)
    ]
    return rows


def _base(message: Message, name: str, parent: str | None) -> Record:
    created = iso_time(message.created_at) or _EPOCH
    record: Record = {"id": name, "createdAt": created, "updatedAt": iso_time(message.updated_at) or created}
    record |= {"parentId": parent} if parent else {}
    fields = {"threadId": message.thread_id, "agentId": message.agent_id, "groupId": message.group_id}
    record |= {key: value for key, value in fields.items() if value}
    return record | ({"favorite": True} if message.favorite else {})


def _row(message: Message) -> Record:
    record: Record = {"role": role_of(message), "content": "\n\n".join(texts_of(message.parts))}
    record |= _base(message, message.id, message.parent_id)
    record |= _pictures(message.parts)
    return record | _reply(message) if isinstance(message, AssistantMessage) else record


def _reply(message: AssistantMessage) -> Record:
    record: Record = {
        key: value for key, value in (("model", message.model), ("provider", message.provider)) if value
    }
    thoughts = [part for part in message.parts if isinstance(part, words.ReasoningPart)]
    tools = [_call(part) for part in message.parts if isinstance(part, words.ToolCallPart)]
    errors = [part for part in message.parts if isinstance(part, words.ErrorPart)]
    cited = [part for part in message.parts if isinstance(part, words.SourcePart)]
    if thoughts:
        record["reasoning"] = _reasoning(thoughts)
    if tools:
        record["tools"] = tools
    if message.usage is not None and message.usage.raw:
        record["metadata"] = {"usage": message.usage.raw}
    if errors:
        record["error"] = {"type": errors[0].code, "message": errors[0].message}
    if cited:
        record["search"] = {"citations": [{"url": one.url, "title": one.title} for one in cited]}
    return record


def _reasoning(thoughts: Sequence[words.ReasoningPart]) -> Record:
    record: Record = {"content": "\n\n".join(part.text for part in thoughts)}
    duration = next((part.duration for part in thoughts if part.duration is not None), None)
    private = next(((part.private or {}).get("anthropic") for part in thoughts), None)
    record |= {"duration": duration} if duration is not None else {}
    signed = isinstance(private, dict) and isinstance(private.get("signature"), str)
    return record | ({"signature": private["signature"]} if signed and isinstance(private, dict) else {})


def _call(part: words.ToolCallPart) -> Record:
    return {
        "id": part.call_id,
        "identifier": part.namespace or part.name,
        "apiName": part.name,
        "arguments": part.arguments,
        "type": "default",
    }


def _pictures(parts: Sequence[Any]) -> Record:
    images = [
        {"id": f"image-{index}", "url": url, "alt": part.alt or part.name or ""}
        for index, part in enumerate(parts)
        if isinstance(part, words.ImagePart) and (url := media_url(part.media, part.media_type))
    ]
    return {"imageList": images} if images else {}


def _result(
    message: Message,
    part: words.ToolResultPart,
    name: str,
    parent: str | None,
    imported: ImportedConversation,
) -> Record:
    call = _called(imported, part.call_id)
    plugin: Record = {
        "identifier": (call.namespace or call.name) if call else (part.name or ""),
        "apiName": part.name or (call.name if call else ""),
        "arguments": call.arguments if call else "",
        "type": "default",
    }
    record: Record = {"role": "tool", "content": "\n\n".join(texts_of(part.content))}
    record |= _base(message, name, parent) | {"tool_call_id": part.call_id, "plugin": plugin}
    record |= {"pluginState": part.state} if part.state is not None else {}
    return record | ({"pluginError": {"message": record["content"]}} if part.is_error else {})


def _called(imported: ImportedConversation, call_id: str) -> words.ToolCallPart | None:
    for message in imported.messages:
        for part in message.parts:
            if isinstance(part, words.ToolCallPart) and part.call_id == call_id:
                return part
    return None


def _choose(rows: Sequence[Any], imported: ImportedConversation) -> None:
    """At every fork on the shown path, say which child is the shown one."""
    known = {message.id for message in imported.messages}
    head = imported.conversation.head_id
    if head is None or head not in known:
        return
    folded = fold(
        [message for message in imported.messages if message.parent_id is None or message.parent_id in known]
    )
    by_id = {row.get("id"): row for row in rows if isinstance(row, dict)}
    place = folded.owners.get(head, head)
    line = path_to(folded, place) if place in folded.parents else []
    for above, below in itertools.pairwise(line):
        children = folded.children.get(above, [])
        row = by_id.get(above)
        if len(children) > 1 and row is not None and below in children:
            metadata = row.get("metadata")
            row["metadata"] = (metadata if isinstance(metadata, dict) else {}) | {
                "activeBranchIndex": children.index(below)
            }


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    table, plugins, millis = _table(value)
    rows = {row.get("id"): row for row in table if isinstance(row, dict)}
    for message in imported.messages:
        if message.id in changes.changed and message.id in rows:
            rows[message.id] |= {
                key: item for key, item in _row(message).items() if key in ("content", "tools", "reasoning")
            }
    for message in changes.fresh:
        for row in _rows(message, imported):
            kin = rows.get(message.parent_id) or next(iter(rows.values()), {})
            table.append(_as_in(row, kin, millis))
            rows[row["id"]] = table[-1]
            if plugins is not None and "plugin" in row:
                plugins.append(
                    {"id": row["id"], "toolCallId": row["tool_call_id"], **table[-1].pop("plugin")}
                )
    table[:] = [row for row in table if not isinstance(row, dict) or row.get("id") not in changes.gone]
    if changes.moved:
        _choose(table, imported)
    if "version" in value and value.get("version") == "2.0" and "title" in value:
        value["title"] = imported.conversation.title
    return value


def _table(value: Record) -> tuple[list[Any], list[Any] | None, bool]:
    """The rows of the messages, those of the plugins where they are apart, and whether times are numbers."""
    if "exportType" in value:
        return value["state"]["messages"], None, True
    if "schemaHash" in value:
        return value["data"]["messages"], value["data"].setdefault("messagePlugins", []), False
    return value["messages"], None, False


def _as_in(row: Record, kin: Record, millis: bool) -> Record:
    """A row as its neighbours are: in the same topic and session, with times in the same form."""
    row = dict(row)
    for key in ("topicId", "sessionId", "agentId", "groupId", "userId"):
        if key in kin and key not in row:
            row[key] = kin[key]
    if millis:
        for key in ("createdAt", "updatedAt"):
            row[key] = kin.get(key) if row[key] == _EPOCH else _milliseconds(row[key])
    return row


def _milliseconds(stamp: str) -> int:
    from datetime import datetime

    return int(datetime.fromisoformat(stamp).timestamp() * 1000)


_TARGET = Target(name="lobehub", make=_make, extend=_extend, indent=1)
