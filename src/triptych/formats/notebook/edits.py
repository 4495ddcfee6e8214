"""What a hand has changed in a file, as messages to add to the stored conversation.

The store is the truth and the file a face of it. A changed message becomes a sibling of the stored one; what
follows it on the line shown in the file follows the sibling too, as copies, so that the conversation reads as the
person left it, and the line as it was stays as a branch. Ids are made from content: the same file read twice asks
for the same messages, and those that the store already has are not asked for again.

Not here: applying them (``repository``), and files (``chat.autosave``).
"""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeGuard

import msgspec

from triptych.formats.conversation import ImportedConversation
from triptych.formats.notebook.reading import Page, hand_id, parse_page
from triptych.formats.notebook.render import short_digest
from triptych.formats.notebook.scan import Section
from triptych.model.codec import message_to_json
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, Message, ToolMessage

__all__ = ["Conflict", "HandEdits", "compare_page", "read_edits"]


_OWN = frozenset({"id", "parentId", "createdAt", "updatedAt", "activeChildId"})


class Conflict(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Something that both a hand and the store have changed; both stay.

    Attributes:
        message: the id of the message, or None when the file as a whole does not fit.
        kept: the id under which the hand's version is added, if it is.
    """

    message: MessageId | None = None
    kept: MessageId | None = None
    why: str = ""


class HandEdits(msgspec.Struct, frozen=True, kw_only=True):
    """What to do so that the stored conversation reads as the file does.

    Attributes:
        added: messages to add, parents before children; each names its parent.
        instead_of: for an added message, the stored one that it stands for.
        removed: stored messages that the file had when it was written and has no more.
        title: the new title, when the front matter has another one than was written.
        head_id: where the active path ends once all is added; None when it does not move.
    """

    added: tuple[Message, ...] = ()
    instead_of: dict[MessageId, MessageId] = msgspec.field(default_factory=dict[MessageId, MessageId])
    removed: tuple[MessageId, ...] = ()
    title: str | None = None
    head_id: MessageId | None = None
    conflicts: tuple[Conflict, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.added or self.removed or self.title is not None)


def read_edits(text: str, stored: ImportedConversation) -> HandEdits:
    """Compare a file with what was written into it and with what the store has now."""
    page = parse_page(text)
    if not page.sheet.sections and not page.keys.get("conversation"):
        why = "The file is no conversation of ours any more; nothing was taken from it."
        return HandEdits(conflicts=(Conflict(why=why),), diagnostics=page.diagnostics)
    if page.conversation.id != stored.conversation.id:
        why = f"The file belongs to the conversation {page.conversation.id!r}."
        return HandEdits(conflicts=(Conflict(why=why),), diagnostics=page.diagnostics)
    return compare_page(page, stored)


class _Merge:
    """The comparison while it goes down the file."""

    def __init__(self, page: Page, stored: ImportedConversation) -> None:
        self.page = page
        self.known = {message.id: message for message in stored.messages}
        self.moved: dict[MessageId, MessageId] = {}
        self.inserted: dict[MessageId | None, MessageId] = {}
        self.added: list[Message] = []
        self.instead: dict[MessageId, MessageId] = {}
        self.conflicts: list[Conflict] = []
        self.last: MessageId | None = None
        self.places = Counter(
            section.note.get("n") for section in page.sections if _is_place(section.note.get("n"))
        )

    def take(self, message: Message, section: Section) -> None:
        """One message of the file."""
        parent = self.parent_of(message, section)
        made = self.wanted(message, section, parent)
        if made is None:
            return
        if made.id != message.id and section.record:
            self.moved[message.id] = made.id
        if made.id not in self.known:
            self.known[made.id] = made
            self.added.append(_unshadowed(made))
            if section.record:
                self.instead[made.id] = message.id
        if not section.record and message.parent_id != made.id:
            self.inserted[message.parent_id] = made.id
        if not section.note.get("aside") and not isinstance(made, ToolMessage):
            self.last = made.id

    def parent_of(self, message: Message, section: Section) -> MessageId | None:
        """The parent as the file shows it: below what a hand put before it, and below what was edited."""
        parent = message.parent_id
        if section.note.get("aside"):
            return parent
        if not isinstance(message, ToolMessage) and parent in self.inserted:
            return self.inserted[parent]
        return self.moved.get(parent, parent) if parent is not None else None

    def wanted(self, message: Message, section: Section, parent: MessageId | None) -> Message | None:
        """The message that the store should have: the stored one itself when nothing has changed."""
        now = self.known.get(message.id)
        if not section.record:
            return message if now is not None else _below(message, parent)
        edited = _edited(message, section, now)
        if now is None and not edited and self.was_written(section):
            why = "The store has deleted this message since the file was written."
            self.conflicts.append(Conflict(message=message.id, why=why))
            return None
        if not edited and parent == message.parent_id:
            return message if now is None else now
        made = _copied(message, parent)
        if edited and now is not None and section.note.get("digest") != short_digest(now):
            why = "The store has changed this message too; the version of the file is added as its sibling."
            self.conflicts.append(Conflict(message=message.id, kept=made.id, why=why))
        return made

    def was_written(self, section: Section) -> bool:
        """Whether the section stands where it was written: not one that was pasted from another file."""
        count = self.page.keys.get("messages")
        place = section.note.get("n")
        return _is_place(count) and _is_place(place) and place < count and self.places[place] == 1


def _unshadowed(message: Message) -> Message:
    """Without broken links and times that a hand left in the record: they would stand over the right ones."""
    extra = {key: value for key, value in (message.extra or {}).items() if key not in _OWN}
    return (
        message if extra == (message.extra or {}) else msgspec.structs.replace(message, extra=extra or None)
    )


def _is_place(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def compare_page(page: Page, stored: ImportedConversation) -> HandEdits:
    """``read_edits`` for a file that was read and belongs to this conversation."""
    merge = _Merge(page, stored)
    sections = {id(section): message for message, section in zip(page.messages, page.sections, strict=True)}
    for section in page.sheet.sections:
        merge.take(sections[id(section)], section)
    new = {message.id for message in merge.added}
    removed = _removed(page, stored, merge.conflicts)
    return HandEdits(
        added=tuple(merge.added),
        instead_of=merge.instead,
        removed=removed,
        title=_title(page, stored, merge.conflicts),
        head_id=merge.last if merge.last in new else None,
        conflicts=tuple(merge.conflicts),
        diagnostics=page.diagnostics,
    )


def _title(page: Page, stored: ImportedConversation, conflicts: list[Conflict]) -> str | None:
    title, now = page.conversation.title, stored.conversation.title
    if title in (page.written.title, now):
        return None
    if now != page.written.title:
        conflicts.append(Conflict(why=f"The title was changed in the store too, to {now!r}."))
    return title


def _below(message: Message, parent: MessageId | None) -> Message:
    """A message that a hand wrote, below the message above it as that is now called."""
    if parent == message.parent_id:
        return message
    parts = message_to_json(message).get("parts", [])
    role = str(message.__struct_config__.tag)
    return msgspec.structs.replace(message, id=hand_id(parent, role, parts), parent_id=parent)


def _copied(message: Message, parent: MessageId | None) -> Message:
    """The message as a sibling of itself. What it cost was paid once, so a copy has no usage."""
    value = message_to_json(message)
    made = hand_id(f"{parent}|{message.id}", str(value.get("role")), value.get("parts"))
    copy = msgspec.structs.replace(message, id=made, parent_id=parent, active_child_id=None)
    if isinstance(copy, AssistantMessage):
        return msgspec.structs.replace(copy, usage=None, performance=None, run_id=None)
    return copy


def _edited(message: Message, section: Section, now: Message | None) -> bool:
    """Whether the words in the file are not those that were written into it."""
    digest = section.note.get("digest")
    if isinstance(digest, str):
        return digest != short_digest(message)
    return now is not None and short_digest(now) != short_digest(message)


def _removed(page: Page, stored: ImportedConversation, conflicts: list[Conflict]) -> tuple[MessageId, ...]:
    """Stored messages that a hand has taken out. Told by place, as long as places still mean the same."""
    count = page.keys.get("messages")
    if not _is_place(count) or count > len(stored.messages):
        return ()
    places = {
        section.note["n"]: message.id
        for message, section in zip(page.messages, page.sections, strict=True)
        if _is_place(section.note.get("n"))
    }
    missing = [place for place in range(count) if place not in places]
    ids = [message.id for message in stored.messages]
    same = all(place < len(ids) and ids[place] == made for place, made in places.items())
    if missing and not same:
        why = "Messages are missing in the file, but the store has changed too, so none was removed."
        conflicts.append(Conflict(why=why))
        return ()
    return tuple(ids[place] for place in missing)
