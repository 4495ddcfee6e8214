"""A conversation as a Copilot note, byte for byte as the program would have saved it.

A conversation that was read from a note keeps that note: untouched messages go back as the very pieces they were,
and of the front matter only the keys change whose values have changed, so other people's keys survive.

One guard beyond the program: a body whose last line looks like a context line is followed by an empty one, which
every reader takes off instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

from triptych.errors import UsageError
from triptych.formats.conversation import ImportedConversation, record_paths
from triptych.formats.copilot_md import pieces as p
from triptych.formats.copilot_md.context import context_of
from triptych.formats.copilot_md.names import parse_name
from triptych.formats.copilot_md.reading import (
    FORMAT,
    Reading,
    decode_note,
    milliseconds_of,
    model_of_key,
    parse_piece,
    zone_of,
)
from triptych.formats.copilot_md.report import body_text, losses_of
from triptych.formats.copilot_md.times import UNKNOWN_TIME, display_time
from triptych.formats.front_matter import read_keys, render_front_matter, set_keys
from triptych.formats.paths import active_path
from triptych.formats.written import Written
from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from triptych.model.parts import ReferencePart

__all__ = ["key_of_model", "write", "write_note"]

_TAGS = "tags:\n  - copilot-conversation\n"


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """A note holds one conversation; times are written in this machine's zone."""
    if len(conversations) != 1:
        raise UsageError("A Copilot note holds one conversation; write each to a file of its own.")
    return write_note(conversations[0])


def write_note(
    imported: ImportedConversation, *, zone: tzinfo | None = None, last_accessed: int | None = None
) -> Written:
    """The note of the active path. Nothing to show is a usage error, as the program saves no empty chat."""
    source = p.cut(decode_note(imported.document)) if imported.source.format == FORMAT else None
    shown = _shown(imported)
    if not shown and (source is None or source.pieces):
        raise UsageError("This conversation has no message to show, so there is nothing to write.")
    if source is None:
        top = _new_front(imported.conversation, shown, last_accessed)
        text = top + "\n\n".join(_piece(message, zone) for message in shown)
        kept: dict[str, int] = {}
    else:
        kept = {message.id: index for message in shown if (index := _untouched(message, source)) is not None}
        text = _changed(imported, source, shown, kept, zone)
    losses = losses_of(imported, shown, frozenset(kept))
    return Written(data=text.encode("utf-8", "surrogateescape"), losses=losses)


def _shown(imported: ImportedConversation) -> list[Message]:
    return [
        message
        for message in active_path(imported)
        if not message.hidden and isinstance(message, UserMessage | AssistantMessage)
    ]


def _new_front(conversation: Conversation, shown: Sequence[Message], last_accessed: int | None) -> str:
    epoch = shown[0].created_at or conversation.created_at
    topic = f"topic: {_quoted(conversation.title)}" if conversation.title else ""
    accessed = f"lastAccessedAt: {last_accessed}" if last_accessed else ""
    key = _quoted(key_of_model(_model(conversation, shown)))
    return f"---\nepoch: {epoch}\nmodelKey: {key}\n{topic}\n{accessed}\n{_TAGS}---\n\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{" ".join(escaped.splitlines())}"'


def key_of_model(model: str | None) -> str:
    """Our ``provider:name`` as ``name|provider``."""
    provider, colon, name = (model or "").partition(":")
    return f"{name}|{provider}" if colon else provider


def _model(conversation: Conversation, shown: Sequence[Message]) -> str | None:
    if conversation.model:
        return conversation.model
    replies = [message for message in shown if isinstance(message, AssistantMessage) and message.model]
    if not replies:
        return None
    last = replies[-1]
    return f"{last.provider}:{last.model}" if last.provider else last.model


def _piece(message: Message, zone: tzinfo | None) -> str:
    text = body_text(message)
    references = (part.reference for part in message.parts if isinstance(part, ReferencePart))
    context = context_of(references) if isinstance(message, UserMessage) else None
    if context is None and text.rpartition("\n")[2].startswith("[Context: "):
        context = ""
    sender = "user" if isinstance(message, UserMessage) else "ai"
    return p.render_piece(sender, text, context, display_time(message.created_at, zone))


def _changed(
    imported: ImportedConversation,
    source: p.Pieces,
    shown: Sequence[Message],
    kept: Mapping[str, int],
    zone: tzinfo | None,
) -> str:
    """The note with the raw pieces of untouched messages, and new pieces for the others."""
    keys = read_keys(source.front)[0] if source.front else {}
    zone = zone_of(source, milliseconds_of(keys.get("epoch"))) or zone
    places = [kept.get(message.id) for message in shown]
    bodies = [
        _piece(message, zone) if place is None else source.pieces[place].raw
        for message, place in zip(shown, places, strict=True)
    ]
    joined = [
        body if place is not None and following == place + 1 else _ended(body)
        for body, place, following in zip(bodies[:-1], places[:-1], places[1:], strict=True)
    ]
    if bodies:
        whole = places[-1] == len(source.pieces) - 1
        joined.append(bodies[-1] if whole else bodies[-1].rstrip("\r\n"))
    top = _front(imported.conversation, source, imported.source.name) + source.preamble
    text = top + "".join(joined)
    if len(p.cut(text).pieces) == len(shown):
        return text
    return top + "".join(_stamped(body) for body in joined)


def _stamped(body: str) -> str:
    """A piece that ends with a time line, so that what follows it cannot be taken for its text."""
    said = body.rstrip("\r\n")
    if p.lines_of(said)[2] is not None:
        return body
    return f"{said}\n[Timestamp: {UNKNOWN_TIME}]{body[len(said) :]}"


def _ended(body: str) -> str:
    return body.rstrip("\r\n") + "\n\n"


def _untouched(message: Message, source: p.Pieces) -> int | None:
    """The index of the piece that this message was read from, when reading it again gives the same."""
    paths = record_paths(message)
    index = paths[0][0] if paths and paths[0] else None
    if not isinstance(index, int) or not 0 <= index < len(source.pieces):
        return None
    again, _ = parse_piece(source.pieces[index], message.id, message.parent_id, index, Reading())
    return index if _words(again) == _words(message) else None


def _words(message: Message) -> tuple[type, object]:
    if isinstance(message, SystemMessage | ToolMessage):
        return type(message), None
    said = [part for part in message.parts if not isinstance(part, ReferencePart)]
    return type(message), (said, len(message.parts))


def _read_title(keys: dict[str, Any], name: str | None) -> str:
    topic = keys.get("topic")
    return str(topic) if topic is not None else (parse_name(name).title if name else "")


def _front(conversation: Conversation, source: p.Pieces, name: str | None) -> str:
    if source.front is None:
        return ""
    keys, _ = read_keys(source.front)
    changes: dict[str, str | None] = {}
    if conversation.model and conversation.model != model_of_key(keys.get("modelKey")):
        changes["modelKey"] = _quoted(key_of_model(conversation.model))
    if conversation.title != _read_title(keys, name):
        changes["topic"] = _quoted(conversation.title) if conversation.title else None
    return render_front_matter(set_keys(source.front, changes) if changes else source.front)
