"""A conversation as our Markdown: the active path first, then the other branches, then nothing.

The file can be read as it stands: headings say who spoke, when and as which model; texts are prose. What a person
does not need is in comments. Of a file that was there before, front matter keys that are not ours, and text before
the first heading, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

import msgspec

from triptych.errors import UsageError
from triptych.formats.conversation import ImportedConversation
from triptych.formats.front_matter import (
    FrontMatter,
    quoted,
    render_front_matter,
    set_keys,
    split_front_matter,
)
from triptych.formats.notebook.blocks import comment, part_blocks
from triptych.formats.notebook.escape import ROLES
from triptych.formats.notebook.reading import FORMAT, VERSION, decode_page
from triptych.formats.notebook.scan import scan
from triptych.formats.paths import active_path
from triptych.formats.written import Written
from triptych.model.codec import message_to_json
from triptych.model.conversations import Conversation
from triptych.model.digest import content_digest, digest_json
from triptych.model.foreign import clean_text
from triptych.model.messages import AssistantMessage, Message, ToolMessage
from triptych.model.parts import ToolResultPart
from triptych.model.status import COMPLETE, Streaming

__all__ = ["conversation_digest", "render_page", "short_digest", "write", "write_page"]

_NAMES = {role: name for name, role in ROLES.items()}
_TAGS = "tags:\n  - triptych-conversation\n"
_DIGITS = 16

Sources = Mapping[str, Mapping[str, str]]
"""Per message id: the digests of what its references gave, by segment key (see ``model.envelope``)."""


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """A file holds one conversation."""
    if len(conversations) != 1:
        raise UsageError("A Markdown file holds one conversation; write each to a file of its own.")
    return write_page(conversations[0])


def write_page(imported: ImportedConversation) -> Written:
    """The file. Nothing is lost; a conversation that was read from such a file keeps that file's other keys."""
    previous = decode_page(imported.document) if imported.source.format == FORMAT else None
    return Written(data=render_page(imported, previous=previous).encode())


def render_page(
    imported: ImportedConversation,
    *,
    previous: str | None = None,
    sources: Sources | None = None,
    zone: tzinfo = UTC,
) -> str:
    """The text of the file. ``previous`` is what it held before; ``zone`` is for the headings only."""
    path = [message.id for message in active_path(imported)]
    shown = set(path)
    places = {message.id: index for index, message in enumerate(imported.messages)}
    aside = [message for message in imported.messages if message.id not in shown]
    by_id = {message.id: message for message in imported.messages}
    blocks = [
        _section(message, places[message.id], message.id not in shown, (sources or {}).get(message.id), zone)
        for message in [*(by_id[one] for one in path), *aside]
    ]
    front, preamble = _top(imported, previous)
    return render_front_matter(front) + preamble + "".join(f"\n{block}\n" for block in blocks)


def _top(imported: ImportedConversation, previous: str | None) -> tuple[FrontMatter, str]:
    values = _keys(imported)
    old = scan(clean_text(previous)) if previous else None
    if old is not None and old.front is not None:
        return set_keys(old.front, values), _preamble(old.preamble)
    lines = "".join(f"{key}: {value}\n" for key, value in values.items() if value is not None)
    front, _ = split_front_matter(f"---\n{lines}{_TAGS}---\n")
    if front is None:
        raise UsageError("The record of this conversation is too large for the front matter of a note.")
    return front, _preamble(old.preamble) if old else ""


def _preamble(text: str) -> str:
    return "\n" + text.strip("\n") + "\n" if text.strip() else ""


def _keys(imported: ImportedConversation) -> dict[str, str | None]:
    conversation = imported.conversation
    record = msgspec.json.encode(conversation).decode()
    return {
        "triptych": VERSION,
        "conversation": quoted(conversation.id),
        "title": quoted(conversation.title),
        "project": quoted(conversation.project_id),
        "model": quoted(conversation.model) if conversation.model else None,
        "updated": quoted(_iso(conversation.updated_at)) if conversation.updated_at else None,
        "messages": str(len(imported.messages)),
        "digest": quoted(conversation_digest(conversation, imported.messages)),
        "record": quoted(record),
    }


def _iso(milliseconds: int) -> str:
    moment = _moment(milliseconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}" if moment else ""


def _moment(milliseconds: int, zone: tzinfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(milliseconds // 1000, zone)
    except (ValueError, OverflowError, OSError):
        return None


def conversation_digest(conversation: Conversation, messages: Iterable[Message]) -> str:
    """The digest of a whole conversation: its record and every message in order, whatever they hold."""
    return digest_json([msgspec.to_builtins(conversation), [message_to_json(one) for one in messages]])


def short_digest(message: Message) -> str:
    """What tells whether the words of a message are those that were written, however far a reply has got."""
    if isinstance(message, AssistantMessage) and isinstance(message.status, Streaming):
        message = msgspec.structs.replace(message, status=COMPLETE)
    return content_digest(message).removeprefix("b2:")[:_DIGITS]


def _section(
    message: Message, place: int, aside: bool, sources: Mapping[str, str] | None, zone: tzinfo
) -> str:
    value = message_to_json(message)
    parts = value.pop("parts") if isinstance(value.get("parts"), list) else []
    note: dict[str, Any] = {"n": place, "digest": short_digest(message)}
    if aside:
        note["aside"] = True
    if sources:
        note["sources"] = dict(sources)
    head = f"{_heading(message, aside, zone)}\n{comment('message', value | {'file': note})}"
    return "\n\n".join([head, *part_blocks(parts)])


def _heading(message: Message, aside: bool, zone: tzinfo) -> str:
    words = [f"## {_NAMES[_role(message)]}"]
    if isinstance(message, AssistantMessage) and message.model:
        words.append(" ".join(message.model.split()))
    if isinstance(message, ToolMessage):
        names = [part.name for part in message.parts if isinstance(part, ToolResultPart) and part.name]
        words += [" ".join(name.split()) for name in names[:1]]
    moment = _moment(message.created_at, zone) if message.created_at else None
    words += [f"{moment:%Y-%m-%d %H:%M}"] if moment else []
    words += ["hidden"] if message.hidden else []
    words += ["other branch"] if aside else []
    return " · ".join(words)


def _role(message: Message) -> str:
    return str(message.__struct_config__.tag)
