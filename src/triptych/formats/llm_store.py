"""The message store of ``llm``: messages named by their content, linked to a parent, with threads as views on them.

Threads that share a root are one conversation here: its tree is theirs together, and the newest thread is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triptych.formats.assemble import Origin, assemble, settle
from triptych.formats.conversation import ImportedConversation
from triptych.formats.jsontext import parse_json
from triptych.formats.making import (
    arguments_text,
    as_dict,
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
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.spoken import LLM_STORE
from triptych.formats.times import read_time
from triptych.formats.tree import claim_id
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message

__all__ = ["is_store", "read_store"]

Rows = list[dict[str, Any]]


def is_store(value: dict[str, Any]) -> bool:
    """Whether an object holds the tables of the store."""
    rows = [as_dict(row) for row in as_list(value.get("messages"))[:20]]
    return ("threads" in value and "parts" in value) or any("parent_hash" in row for row in rows)


def read_store(store: dict[str, Any], data: bytes, name: str) -> Iterator[ImportedConversation | Diagnostic]:
    """One conversation for each root that threads lead to."""
    found = list(odd_fields(store, LLM_STORE))
    tables = {key: [as_dict(row) for row in as_list(rows)] for key, rows in store.items()}
    messages = settle(_messages(tables, found), found)
    roots = _roots(messages)
    groups: dict[str, list[Message]] = {}
    for message in messages:
        groups.setdefault(roots[message.id], []).append(message)
    threads = sorted(tables.get("threads", []), key=lambda one: _time(one.get("datetime_utc")))
    for one in threads:
        if as_text(one.get("tip_message_hash")) not in roots:
            yield problem("W_ACTIVE_MISSING", as_text(one.get("id")))
    if not groups:
        yield problem("W_CONVERSATION_SKIPPED", name)
    yield from (one for one in found if one.where is not None and one.where not in roots)
    for root, group in groups.items():
        mine = [one for one in threads if roots.get(as_text(one.get("tip_message_hash"))) == root]
        where = {message.id for message in group}
        noted = [one for one in found if one.where is None or one.where in where]
        yield _conversation(root, group, mine, noted, (name, data))


def _time(value: Any) -> int:
    return read_time(value)[0]


def _roots(messages: list[Message]) -> dict[str, str]:
    """The root of each message."""
    parents: dict[str, str | None] = {message.id: message.parent_id for message in messages}
    roots: dict[str, str] = {}
    for start in parents:
        walk: list[str] = []
        place: str = start
        while place not in roots:
            walk.append(place)
            above = parents[place]
            if above is None:
                roots[place] = place
            else:
                place = above
        for one in walk:
            roots[one] = roots[place]
    return roots


def _conversation(
    root: str, group: list[Message], threads: Rows, found: list[Diagnostic], source: tuple[str, bytes]
) -> ImportedConversation:
    if len(threads) > 1:
        found.append(problem("W_SHARED_MESSAGES", root, threads=[one.get("id") for one in threads]))
    newest = threads[-1] if threads else {}
    oldest = threads[0] if threads else {}
    origin = Origin(
        format="llm_logs",
        id=as_text(oldest.get("id")) or root,
        version="store",
        name=source[0],
        document=source[1],
        title=as_text(oldest.get("name")),
        created_at=_time(oldest.get("datetime_utc")),
        updated_at=_time(newest.get("datetime_utc")),
        metadata={"threads": [as_text(one.get("id")) for one in threads]},
    )
    return assemble(origin, group, found, pointer=as_text(newest.get("tip_message_hash")) or None)


def _messages(tables: dict[str, Rows], found: list[Diagnostic]) -> list[Message]:
    parts: dict[str, Rows] = {}
    for part in tables.get("parts", []):
        parts.setdefault(as_text(part.get("message_hash")), []).append(part)
    fragments = {str(one.get("id")): as_text(one.get("content")) for one in tables.get("fragments", [])}
    turns = _first_turns(tables.get("turns", []))
    taken: dict[str, Any] = {}
    messages: list[Message] = []
    for index, row in enumerate(tables.get("messages", [])):
        name = claim_id(taken, as_text(row.get("hash")) or f"message-{index}", row, found)
        if name is None:
            continue
        ordered = sorted(parts.get(name, []), key=_position)
        turn = turns.get(name, {})
        messages.append(
            make_message(
                role_from(row.get("role"), name, found),
                name,
                [made for part in ordered for made in _part(part, fragments, name, found)],
                parent_id=as_text(row.get("parent_hash")) or None,
                created_at=_time(turn.get("datetime_utc")),
                metadata=source_note(("messages", index)),
                model=as_text(turn.get("model")) or None,
            )
        )
    found.extend(problem("W_RECORD_SKIPPED", f"parts of {name}") for name in parts if name not in taken)
    return messages


def _position(part: dict[str, Any]) -> int:
    position = part.get("position")
    return position if isinstance(position, int) else 0


def _first_turns(turns: Rows) -> dict[str, dict[str, Any]]:
    """The earliest turn that each message ended: its time and model."""
    first: dict[str, dict[str, Any]] = {}
    for turn in sorted(turns, key=lambda one: _time(one.get("datetime_utc"))):
        first.setdefault(as_text(turn.get("tip_message_hash")), turn)
    return first


def _part(part: dict[str, Any], fragments: dict[str, str], name: str, found: list[Diagnostic]) -> list[Any]:
    payload = part.get("payload")
    held = parse_json(payload.encode("utf-8", "replace"))[0] if isinstance(payload, str) else payload
    inner = as_dict(held)
    text = as_text(part.get("text")) or _referred(inner.get("text_ref"), fragments, name, found)
    match part.get("type"):
        case "text":
            return list(text_parts(text))
        case "reasoning":
            private = {"llm": inner} if inner and "text_ref" not in inner else None
            return [words.ReasoningPart(text=text, redacted=not text, private=private)]
        case "tool_call":
            given = inner.get("arguments", inner.get("input"))
            arguments = arguments_text(given, name, found) if given is not None else text
            return [make_call(_call_id(inner, name), part.get("tool_name") or inner.get("name"), arguments)]
        case "tool_result":
            content = text_parts(text) or result_content(inner.get("output"))
            called = as_text(part.get("tool_name")) or None
            return [
                make_result(
                    _call_id(inner, name), content, name=called, is_error=bool(inner.get("exception"))
                )
            ]
        case "attachment":
            found.append(
                problem("W_MISSING_ATTACHMENT", name, file=inner.get("attachment_id", inner.get("id")))
            )
            return [
                words.FilePart(
                    name=as_text(inner.get("path")) or None, media_type=as_text(inner.get("type")) or None
                )
            ]
        case _:
            return [unknown_part(part, name, found)]


def _call_id(inner: dict[str, Any], name: str) -> Any:
    return inner.get("tool_call_id") or inner.get("id") or name


def _referred(pieces: Any, fragments: dict[str, str], name: str, found: list[Diagnostic]) -> str:
    """A text put together from fragments and literal pieces."""
    texts: list[str] = []
    for piece in as_list(pieces):
        one = as_dict(piece)
        key = str(one.get("fragment"))
        if "fragment" in one and key not in fragments:
            found.append(problem("W_UNRESOLVED_REFERENCE", name, fragment=one["fragment"]))
        texts.append(fragments.get(key, "") if "fragment" in one else as_text(one.get("literal")))
    return "".join(texts)
