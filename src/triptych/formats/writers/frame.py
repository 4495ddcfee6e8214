"""What all writers of JSON and JSONL do alike: keep the source, add what is new, join documents, report losses.

Not here: what a record looks like; that is each writer's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from triptych.errors import UsageError
from triptych.formats.conversation import ImportedConversation
from triptych.formats.read import read
from triptych.formats.tree import nearest_kept, repair_parents
from triptych.formats.writers.report import Matching, reread_losses
from triptych.formats.written import Loss, Written
from triptych.model.ids import MessageId
from triptych.model.messages import Message, role_of

__all__ = ["Changes", "Target", "changes_of", "dump_json", "load_document", "without_hidden", "write_with"]


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """What the store has that the document has not.

    Attributes:
        original: the conversation as its document says it, read anew.
        fresh: messages that are not in the document, in order.
        changed: ids of messages whose words are other ones now.
        gone: ids of messages that are only in the document.
        moved: the title or the head is another one.
    """

    original: ImportedConversation
    fresh: tuple[Message, ...] = ()
    changed: frozenset[MessageId] = frozenset()
    gone: frozenset[MessageId] = frozenset()
    moved: bool = False

    @property
    def none(self) -> bool:
        """Whether the document says all."""
        return not (self.fresh or self.changed or self.gone or self.moved)


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A format, as its writer describes it.

    Attributes:
        name: its name in the registry; ``reader`` another one when something else reads it.
        make: a conversation from elsewhere as the value of one document (for lines: the list of lines).
        extend: the document's value with the changes; the value it is given may be changed.
        holds: how several documents make a file: ``one`` alone, in a ``list``, or as ``lines``.
        matching: how messages are found again when the result is read.
    """

    name: str
    make: Callable[[ImportedConversation], Any]
    extend: Callable[[Any, ImportedConversation, Changes], Any]
    holds: Literal["one", "list", "lines"] = "one"
    matching: Matching = "id"
    reader: str | None = None
    indent: int | None = None


def write_with(target: Target, conversations: Sequence[ImportedConversation]) -> Written:
    """The file, and what is not in it."""
    container = _container(target, conversations)
    if container == "one" and len(conversations) != 1:
        raise UsageError(f"A file of {target.name} holds one conversation; write each to a file of its own.")
    if container == "shared":
        return _shared(target, conversations)
    written = [_document(target, imported) for imported in conversations]
    data = _joined(container, [data for data, _ in written])
    return Written(data=data, losses=tuple(one for _, lost in written for one in lost))


def _container(target: Target, conversations: Sequence[ImportedConversation]) -> str:
    """How the documents make a file: as they did in the file that all were read from, else as the format does."""
    own = bool(conversations) and all(
        one.source.format == target.name and one.document for one in conversations
    )
    if not own or target.holds == "list":
        return target.holds
    if len(conversations) > 1 and len({one.document for one in conversations}) == 1:
        return "shared"
    if any(one.source.lines for one in conversations):
        return "one"
    if _bare(conversations[0].source.name).endswith(".jsonl"):
        return "lines"
    return "list" if target.holds == "lines" or len(conversations) > 1 else "one"


def _shared(target: Target, conversations: Sequence[ImportedConversation]) -> Written:
    """Several conversations in one document: each adds its changes to the same value."""
    changed = [
        (one, changes) for one in conversations if (changes := changes_of(one, target.name)) is not None
    ]
    changed = [(one, changes) for one, changes in changed if not changes.none]
    document = conversations[0].document
    value = load_document(conversations[0]) if changed else None
    if value is None:
        return Written(data=document)
    for imported, changes in changed:
        value = target.extend(value, imported, changes)
    return Written(data=_encoded(value, conversations[0].source.lines, target, document))


def _joined(container: str, documents: list[bytes]) -> bytes:
    if container == "list":
        return b"[" + b",\n".join(documents) + b"]\n"
    if container == "lines":
        ended = [data if data.endswith(b"\n") else data + b"\n" for data in documents[:-1]]
        return b"".join([*ended, *documents[-1:]])
    return documents[0]


def _document(target: Target, imported: ImportedConversation) -> tuple[bytes, tuple[Loss, ...]]:
    changes = changes_of(imported, target.name, alone=True)
    if changes is not None and changes.none:
        return imported.document, ()
    value = load_document(imported) if changes is not None else None
    if changes is not None and value is not None:
        held = frozenset(message.id for message in changes.original.messages)
        shown = without_hidden(imported, held)
        fresh = tuple(message for message in shown.messages if message.id not in held)
        made = target.extend(value, shown, msgspec.structs.replace(changes, fresh=fresh))
        data = _encoded(made, imported.source.lines, target, imported.document)
        held -= changes.changed
    else:
        made = target.make(without_hidden(imported))
        data = _encoded(made, isinstance(made, Lines), target, b"")
        held = frozenset[MessageId]()
    return data, reread_losses(imported, data, target.reader or target.name, target.matching, held)


def without_hidden(
    imported: ImportedConversation, keep: frozenset[MessageId] = frozenset()
) -> ImportedConversation:
    """The conversation without hidden messages, for programs that would show them.

    What hung below one hangs below the next one above. Those to ``keep`` stay.
    """
    gone = {message.id for message in imported.messages if message.hidden and message.id not in keep}
    if not gone:
        return imported
    raw: dict[str, str | None] = {message.id: message.parent_id for message in imported.messages}
    parents = nearest_kept(repair_parents(raw, []), raw.keys() - gone)
    messages = tuple(
        msgspec.structs.replace(message, parent_id=parents[message.id])
        for message in imported.messages
        if message.id not in gone
    )
    head = imported.conversation.head_id
    moved = parents[head] if head is not None and head in gone else head
    conversation = msgspec.structs.replace(imported.conversation, head_id=moved)
    return msgspec.structs.replace(imported, messages=messages, conversation=conversation)


class Lines(list[Any]):
    """A document that is lines of JSON, as values; bytes among them are lines that stay as they are."""


def _encoded(value: Any, lines: bool, target: Target, document: bytes) -> bytes:
    if not lines and not isinstance(value, Lines):
        single = target.holds == "lines" or (document and b"\n" not in document.strip())
        ended = document.endswith(b"\n") if document else target.holds == "lines"
        return dump_json(value, None if single else target.indent) + (b"\n" if ended else b"")
    rows = [row if isinstance(row, bytes) else dump_json(row) for row in value]
    ended = not document or document.endswith(b"\n")
    return b"\n".join(rows) + (b"\n" if ended else b"")


def changes_of(imported: ImportedConversation, name: str, *, alone: bool = False) -> Changes | None:
    """Compare a conversation with its document; None when it has none of this format.

    ``alone``: None, too, when the document holds other conversations, which must not go along.
    """
    if imported.source.format != name or not imported.document:
        return None
    found, _ = read(imported.document, name=_bare(imported.source.name), format_name=name)
    original = next((one for one in found if _alike(one, imported)), None)
    if original is None or (alone and len(found) > 1):
        return None
    then = {message.id: message for message in original.messages}
    now = {message.id: message for message in imported.messages}
    changed = {
        made for made, message in now.items() if made in then and _words(message) != _words(then[made])
    }
    old, new = original.conversation, imported.conversation
    return Changes(
        original=original,
        fresh=tuple(message for message in imported.messages if message.id not in then),
        changed=frozenset(changed),
        gone=frozenset(then.keys() - now.keys()),
        moved=(old.title, old.head_id) != (new.title, new.head_id),
    )


def _bare(name: str | None) -> str:
    return (name or "").partition("[")[0]


def _alike(one: ImportedConversation, imported: ImportedConversation) -> bool:
    ids = {message.id for message in imported.messages}
    return not one.messages or any(message.id in ids for message in one.messages)


def _words(message: Message) -> Any:
    return role_of(message), message.parts


def load_document(imported: ImportedConversation) -> Any:
    """The document as the standard library reads it, with all that others wrote; None for a damaged one.

    Of lines, the bytes of each: they are not touched.
    """
    if imported.source.lines:
        return Lines(imported.document.removesuffix(b"\n").split(b"\n"))
    try:
        return json.loads(imported.document.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None


def dump_json(value: Any, indent: int | None = None) -> bytes:
    """JSON as others write it; lone surrogates that were read go out as they came in."""
    separators = (",", ":") if indent is None else None
    try:
        return json.dumps(value, ensure_ascii=False, separators=separators, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=separators, indent=indent).encode()
