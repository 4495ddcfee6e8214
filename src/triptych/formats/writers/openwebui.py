"""Open WebUI's import file: a list of chats, each with its whole tree of user messages and replies.

A reply that is more than a text is written twice, as the program does: as ``output`` items (the truth) and as text
with details for older versions. Instructions go to the chat's parameters.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation
from triptych.formats.writers.frame import Changes, Target, write_with
from triptych.formats.writers.turns import Turn, head_turn, touched, turns_of
from triptych.formats.writers.values import media_url, model_name, texts_of
from triptych.formats.written import Written
from triptych.model import parts as words
from triptych.model.messages import AssistantMessage, SystemMessage, message_text, role_of
from triptych.model.status import Incomplete

__all__ = ["write"]

Record = dict[str, Any]
_ROLES = ("user", "assistant")


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """The list of chats."""
    return write_with(_TARGET, conversations)


def _make(imported: ImportedConversation) -> Record:
    conversation = imported.conversation
    turns = turns_of(imported, _ROLES)
    history = {"messages": _records(turns, imported), "currentId": head_turn(imported, turns)}
    system = [message_text(one) for one in imported.messages if isinstance(one, SystemMessage)]
    model = model_name(conversation.model)
    created, updated = conversation.created_at // 1000, conversation.updated_at // 1000
    chat: Record = {
        "id": "",
        "title": conversation.title,
        "models": [model] if model else [],
        "params": {"system": "\n\n".join(system)} if system else {},
        "history": history,
        "messages": [],
        "tags": [],
        "timestamp": conversation.created_at,
        "files": [],
    }
    return {
        "id": conversation.id,
        "user_id": "",
        "title": conversation.title,
        "chat": chat,
        "updated_at": updated,
        "created_at": created,
        "share_id": None,
        "archived": False,
        "pinned": conversation.favorite,
        "meta": {},
        "folder_id": None,
    }


def _records(turns: Sequence[Turn], imported: ImportedConversation) -> dict[str, Record]:
    children: dict[str | None, list[str]] = {}
    for turn in turns:
        children.setdefault(turn.parent, []).append(turn.message.id)
    model = model_name(imported.conversation.model)
    return {turn.message.id: _record(turn, children.get(turn.message.id, []), model) for turn in turns}


def _record(turn: Turn, children: list[str], model: str | None) -> Record:
    message = turn.message
    record: Record = {
        "id": message.id,
        "parentId": turn.parent,
        "childrenIds": children,
        "role": role_of(message),
        "content": "",
        "timestamp": message.created_at // 1000,
    }
    if not isinstance(message, AssistantMessage):
        return record | {"models": [model] if model else []} | _content(turn.parts, reply=False)
    name = message.model or model
    record |= {"model": name, "modelName": name, "modelIdx": 0} if name else {}
    record["done"] = not (isinstance(message.status, Incomplete) and message.status.reason == "interrupted")
    record |= {"usage": message.usage.raw} if message.usage and message.usage.raw else {}
    return record | _content(turn.parts, reply=True)


def _content(parts: Sequence[Any], *, reply: bool) -> Record:
    """The fields that say what was said: content, and where that is not all, output, files, sources, error."""
    fields: Record = {"content": "\n\n".join(texts_of(parts))}
    if reply and (len(texts_of(parts)) != 1 or _is_rich(parts)):
        items = [item for index, part in enumerate(parts) for item in _items(part, index)]
        fields = {"content": "".join(_detail(part, parts) for part in parts)}
        fields |= {"output": items} if items else {}
    elif not reply and len(texts_of(parts)) > 1:
        fields["content"] = [{"type": "text", "text": text} for text in texts_of(parts)]
    files = [file for part in parts if (file := _file(part)) is not None]
    sources = [_source(part) for part in parts if isinstance(part, words.SourcePart)]
    errors = [part for part in parts if isinstance(part, words.ErrorPart)]
    fields |= {"files": files} if files else {}
    fields |= {"sources": sources} if sources else {}
    return fields | ({"error": {"content": errors[0].message}} if errors else {})


def _is_rich(parts: Sequence[Any]) -> bool:
    kinds = (
        words.ReasoningPart
        | words.ToolCallPart
        | words.ToolResultPart
        | words.RefusalPart
        | words.UnknownPart
    )
    return any(isinstance(part, kinds) for part in parts) or any(
        "<details" in text for text in texts_of(parts)
    )


def _items(part: Any, index: int) -> list[Record]:
    """The output items of a part."""
    match part:
        case words.TextPart(text=text):
            content = [{"type": "output_text", "text": text}]
            return [_item("message", index, role="assistant", content=content)]
        case words.RefusalPart(text=text):
            content = [{"type": "refusal", "refusal": text}]
            return [_item("message", index, role="assistant", content=content)]
        case words.ReasoningPart(text=text):
            shown = {"content": [{"type": "output_text", "text": text}], "summary": None}
            return [_item("reasoning", index, start_tag="<think>", end_tag="</think>", **shown)]
        case words.ToolCallPart():
            named = {"call_id": part.call_id, "name": part.name, "arguments": part.arguments}
            return [_item("function_call", index, **named)]
        case words.ToolResultPart():
            texts = [{"type": "input_text", "text": text} for text in texts_of(part.content)]
            return [_item("function_call_output", index, call_id=part.call_id, output=texts)]
        case words.UnknownPart(raw=raw):
            return [raw] if isinstance(raw, dict) and isinstance(raw.get("type"), str) else []
        case _:
            return []


def _item(kind: str, index: int, **fields: Any) -> Record:
    own = {} if kind in ("reasoning", "function_call") else {"id": f"item-{index}"}
    return {"type": kind, **own, "status": "completed", **fields}


def _detail(part: Any, parts: Sequence[Any]) -> str:
    """A part inside the text, as versions show it that know no output items."""
    match part:
        case words.TextPart(text=text) | words.RefusalPart(text=text):
            return text
        case words.ReasoningPart(text=text):
            quoted = "\n".join(f"&gt; {html.escape(line, quote=False)}" for line in text.split("\n"))
            summary = "<summary>Thought</summary>"
            return f'<details type="reasoning" done="true" duration="0">\n{summary}\n{quoted}\n</details>\n'
        case words.ToolCallPart():
            return _tool_detail(part, parts)
        case _:
            return ""


def _tool_detail(call: words.ToolCallPart, parts: Sequence[Any]) -> str:
    answers = (one for one in parts if isinstance(one, words.ToolResultPart) and one.call_id == call.call_id)
    result = next(answers, None)
    done = "true" if result else "false"
    shown = "\n\n".join(texts_of(result.content)) if result else ""
    named = {"done": done, "id": call.call_id, "name": call.name, "arguments": json.dumps(call.arguments)}
    named |= {"result": json.dumps(shown)} if result else {}
    attributes = " ".join(f'{key}="{html.escape(value)}"' for key, value in named.items())
    return f'<details type="tool_calls" {attributes}>\n<summary>Tool Executed</summary>\n</details>\n'


def _file(part: Any) -> Record | None:
    if isinstance(part, words.ImagePart):
        url = media_url(part.media, part.media_type)
        return {"type": "image", "url": url} if url else None
    if not isinstance(part, words.FilePart) or part.media is None:
        return None
    known = part.media.file_id if isinstance(part.media, words.ProviderMedia) else None
    url = known or media_url(part.media, part.media_type)
    named: Record = {"type": "file", "id": known, "url": url, "name": part.name or ""}
    return named | ({"size": part.size} if part.size is not None else {}) if url else None


def _source(part: words.SourcePart) -> Record:
    source = {"name": part.title or part.path or part.url or ""} | ({"url": part.url} if part.url else {})
    return {"source": source, "document": [part.quote] if part.quote else [], "metadata": [], "distances": []}


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    chat = value["chat"] if isinstance(value.get("chat"), dict) else value
    history = chat.get("history")
    records = history.get("messages") if isinstance(history, dict) else None
    if not isinstance(history, dict) or not isinstance(records, dict):
        return _make(imported)
    turns = turns_of(imported, _ROLES)
    added, renewed = touched(turns, changes)
    model = model_name(imported.conversation.model)
    for turn in renewed:
        records[turn.message.id].update(
            _content(turn.parts, reply=isinstance(turn.message, AssistantMessage))
        )
    for name in changes.gone:
        records.pop(name, None)
    for record in records.values():
        listed = record.get("childrenIds") if isinstance(record, dict) else None
        if isinstance(listed, list) and changes.gone:
            listed[:] = [child for child in listed if child not in changes.gone]
    for turn in added:
        below: list[str] = [one.message.id for one in turns if one.parent == turn.message.id]
        records[turn.message.id] = _record(turn, below, model)
        _link(records, turn)
    if changes.moved:
        history["currentId"] = head_turn(imported, turns)
    if imported.conversation.title != changes.original.conversation.title:
        for holder in (value, chat):
            holder["title"] = imported.conversation.title
    return value


def _link(records: dict[str, Any], turn: Turn) -> None:
    parent = records.get(turn.parent) if turn.parent else None
    if not isinstance(parent, dict):
        return
    listed = parent.setdefault("childrenIds", [])
    if isinstance(listed, list) and turn.message.id not in listed:
        listed.append(turn.message.id)


_TARGET = Target(name="openwebui", make=_make, extend=_extend, holds="list", indent=1)
