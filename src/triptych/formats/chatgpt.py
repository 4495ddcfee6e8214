"""ChatGPT data exports: ``conversations.json``, its shards, and single conversations.

Each conversation maps node ids to ``{message, parent, children}`` with a pointer to the shown leaf. Model output
is spread over nodes: thoughts, calls (``recipient`` is a tool) and results are nodes of their own and become
messages of their own. Attachments are named by pointers; whether their bytes are in the export is told by the
names of the files beside it.

Not here: shards and ZIPs (``read``), which offer every file on its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from triptych.formats.assemble import Origin, assemble, settle
from triptych.formats.chatgpt_parts import CALL_CONTENT, Scope, content_parts, extra_parts
from triptych.formats.conversation import ImportedConversation
from triptych.formats.making import as_dict, as_list, as_text, make_call, make_message, make_result, time_of
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.spoken import CHATGPT
from triptych.formats.streaming import Entry, stream_entries
from triptych.formats.tree import check_children, order_siblings
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message
from triptych.model.status import COMPLETE, Incomplete, Status

__all__ = ["matches", "read"]

_LISTS = frozenset({"conversations"})
_EDITABLE = frozenset({"user_editable_context", "model_editable_context"})
_ROLES = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}
_SEPARATORS = re.compile(r"[-.]")


def matches(sample: Sample) -> bool:
    """A ``mapping`` of nodes; DeepSeek's exports have one too, but with ``fragments`` or ``inserted_at``."""
    listed = as_list(sample.object.get("conversations"))
    entries = [sample.object, *sample.objects, *(item for item in listed if isinstance(item, dict))]
    mapped = next((entry for entry in entries if isinstance(entry.get("mapping"), dict)), None)
    if mapped is None or "inserted_at" in mapped:
        return False
    nodes = [as_dict(node) for node in list(mapped["mapping"].values())[:50]]
    return not any("fragments" in as_dict(node.get("message")) for node in nodes)


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file, as it is reached."""
    present = _present(file)
    for entry in stream_entries(file, _LISTS):
        yield _conversation(entry, file, present) if isinstance(entry, Entry) else entry


def _present(file: SourceFile) -> frozenset[str]:
    """The ids of the assets in the export: the beginnings of file names, up to each dash or dot."""
    found: set[str] = set()
    for name in file.siblings:
        base = name.rpartition("/")[2]
        found.update(base[: match.start()] for match in _SEPARATORS.finditer(base))
    return frozenset(found)


def _conversation(
    entry: Entry, file: SourceFile, present: frozenset[str]
) -> ImportedConversation | Diagnostic:
    value, found = entry.value, list(entry.found)
    name = as_text(value.get("id")) or as_text(value.get("conversation_id"))
    mapping = value.get("mapping")
    if not isinstance(mapping, dict) or not mapping:
        return problem("W_CONVERSATION_SKIPPED", name or f"{file.name}[{entry.index}]")
    scope = Scope(
        present=present, mapping=mapping, model=as_text(value.get("default_model_slug")) or None, found=found
    )
    found.extend(odd_fields(mapping, CHATGPT, "mapping"))
    parents, children, messages = _nodes(scope)
    messages = settle(messages, found, nodes=parents)
    if any(len(listed) > 1 for listed in children.values()):
        by_id: dict[str, Message] = {message.id: message for message in messages}
        messages = [by_id[one] for one in order_siblings(list(by_id), children)]
    pointer = value.get("current_node")
    if isinstance(pointer, str) and pointer in parents:
        pointer = _shown(pointer, parents, {message.id for message in messages})
    origin = Origin(
        format="chatgpt",
        id=name or None,
        name=file.name,
        document=entry.data,
        title=as_text(value.get("title")),
        created_at=time_of(value.get("create_time"), "s", name, found),
        updated_at=time_of(value.get("update_time"), "s", name, found),
        model=_model(value.get("default_model_slug")),
        favorite=value.get("is_starred") is True,
        metadata=_hints(value),
    )
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", name or f"{file.name}[{entry.index}]")
    return assemble(
        origin, messages, found, pointer=pointer if isinstance(pointer, str) else None, pairing=False
    )


def _hints(value: dict[str, Any]) -> dict[str, Any]:
    """The project (a "gizmo" whose id begins with g-p-) and the archive mark, where there are any."""
    gizmo = as_text(value.get("gizmo_id"))
    hints: dict[str, Any] = {"project": gizmo} if gizmo.startswith("g-p-") else {}
    return hints | ({"archived": True} if value.get("is_archived") is True else {})


def _model(slug: Any) -> str | None:
    return f"openai:{slug}" if isinstance(slug, str) and slug else None


def _shown(pointer: str, parents: dict[str, str | None], kept: set[Any]) -> str:
    """The pointer itself, or the nearest message above it when it names a node without one."""
    seen: set[str] = set()
    place: str | None = pointer
    while place is not None and place not in kept and place not in seen:
        seen.add(place)
        place = parents.get(place)
    return place if place in kept and place is not None else pointer


def _nodes(
    scope: Scope,
) -> tuple[dict[str, str | None], dict[str, list[Any]], list[Message]]:
    """The links of all nodes, and the messages of those that have one."""
    parents: dict[str, str | None] = {}
    children: dict[str, list[Any]] = {}
    messages: list[Message] = []
    names: set[str] = set()
    unsaid: list[str] = []
    found = scope.found
    for key, node in scope.mapping.items():
        if not isinstance(node, dict):
            found.append(problem("W_RECORD_SKIPPED", key))
            continue
        parent = node.get("parent")
        parents[key] = parent if isinstance(parent, str) else None
        children[key] = as_list(node.get("children"))
        if parent is None and "parent" not in node:
            unsaid.append(key)
        message = node.get("message")
        if isinstance(message, dict):
            name = as_text(message.get("id"))
            if name and name in names:
                found.append(problem("W_DUPLICATE_ID", key, id=name))
            names.add(name)
            messages.append(_message(key, parents[key], message, scope))
        elif parent is not None:
            found.append(problem("W_NULL_MESSAGE", key))
    named = check_children(parents, children, found)
    for key in unsaid:
        if key in named:
            parents[key] = named[key]
            found.append(problem("W_PARENT_INFERRED", key, parent=named[key]))
    return parents, children, messages


def _message(key: str, parent: str | None, message: dict[str, Any], scope: Scope) -> Message:
    metadata = as_dict(message.get("metadata"))
    content = as_dict(message.get("content"))
    author = as_dict(message.get("author"))
    role = _ROLES.get(as_text(author.get("role")))
    if role is None:
        scope.found.append(problem("W_UNKNOWN_ROLE", key, role=author.get("role")))
        role = "assistant"
    parts = content_parts(content, key, scope)
    if role == "tool":
        parts = [
            make_result(
                _caller(scope.mapping, key),
                parts,
                name=as_text(author.get("name")) or None,
                is_error=content.get("content_type") == "system_error",
            )
        ]
    elif role == "assistant" and _is_call(message):
        called = (
            as_text(content.get("text")) if as_text(content.get("content_type")) in CALL_CONTENT else None
        )
        text = called if called is not None else "".join(getattr(part, "text", "") for part in parts)
        parts = [make_call(key, message.get("recipient"), text)]
    parts += extra_parts(metadata, role, parts, key, scope)
    created = message.get("create_time")
    return make_message(
        role,  # pyright: ignore[reportArgumentType] # one of our four words
        key,
        parts,
        parent_id=parent,
        created_at=int(created * 1000 + 0.5)
        if type(created) is float
        else time_of(created, "s", key, scope.found),
        hidden=_hidden(role, message, metadata, content),
        metadata={"source": {"paths": [["mapping", key]]}},
        model=as_text(metadata.get("model_slug")) or scope.model,
        provider="openai",
        status=_status(message, metadata),
    )


def _is_call(message: dict[str, Any]) -> bool:
    recipient = message.get("recipient")
    return isinstance(recipient, str) and recipient not in ("all", "")


def _caller(mapping: dict[str, Any], key: str) -> str:
    """The node whose call a result answers: the nearest node above it that is no result; itself if none is."""
    seen = {key}
    place = as_dict(mapping.get(key)).get("parent")
    while isinstance(place, str) and place not in seen and place in mapping:
        seen.add(place)
        node = as_dict(mapping[place])
        message = as_dict(node.get("message"))
        if message and as_dict(message.get("author")).get("role") != "tool":
            return place
        place = node.get("parent")
    return key


def _hidden(role: str, message: dict[str, Any], metadata: dict[str, Any], content: dict[str, Any]) -> bool:
    """What the program itself does not show: marked or weightless messages, instructions, editable contexts."""
    return (
        role == "system"
        or metadata.get("is_visually_hidden_from_conversation") is True
        or message.get("weight") == 0
        or as_text(content.get("content_type")) in _EDITABLE
    )


def _status(message: dict[str, Any], metadata: dict[str, Any]) -> Status:
    finish = as_dict(metadata.get("finish_details")).get("type")
    if finish == "max_tokens":
        return Incomplete(reason="length")
    if finish == "interrupted":
        return Incomplete(reason="stopped")
    return Incomplete(reason="interrupted") if message.get("status") == "in_progress" else COMPLETE
