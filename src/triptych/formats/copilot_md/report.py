"""What a Copilot note does not hold of a conversation, and where the program itself would misread our text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triptych.formats.conversation import ImportedConversation
from triptych.formats.copilot_md import pieces as p
from triptych.formats.copilot_md.marks import answer_parts, without_reasoning_mark
from triptych.formats.loss_report import branch_losses, lost, message_losses, unique
from triptych.formats.written import Loss
from triptych.model import references as r
from triptych.model.messages import AssistantMessage, Message
from triptych.model.parts import ErrorPart, ReferencePart, TextPart

__all__ = ["body_text", "losses_of"]

_HEADER = re.compile(r"^\*\*(?:user|ai)\*\*: ", re.MULTILINE)
_PARTS = frozenset({"text", "error", "reference"})
_FIELDS = frozenset({"created_at", "origin"})
_LISTED = (
    r.NoteReference
    | r.PdfReference
    | r.CanvasReference
    | r.UrlReference
    | r.WebTabReference
    | r.TagReference
    | r.FolderReference
)


def body_text(message: Message) -> str:
    """What the note shows of a message: its text, and errors as the program marks them."""
    texts = [text for part in message.parts if (text := _shown_part(part)) is not None]
    text = "\n\n".join(texts)
    return without_reasoning_mark(text) if isinstance(message, AssistantMessage) else text


def _shown_part(part: object) -> str | None:
    match part:
        case TextPart(text=text):
            return text
        case ErrorPart(message=text):
            return f"<errorChunk>{text}</errorChunk>"
        case _:
            return None


def losses_of(
    imported: ImportedConversation, shown: Sequence[Message], untouched: frozenset[str]
) -> tuple[Loss, ...]:
    """The report. A message that went back as the piece it came from has lost nothing."""
    made = [message for message in shown if message.id not in untouched]
    return unique(
        [
            *branch_losses(imported, shown),
            *message_losses(imported, made, parts=_PARTS, fields=_FIELDS),
            *(loss for message in made for loss in _text_losses(imported, message)),
            *(loss for message in made for loss in _reference_losses(imported, message)),
        ]
    )


def _text_losses(imported: ImportedConversation, message: Message) -> Iterator[Loss]:
    text = body_text(message)
    if message.created_at % 1000:
        yield lost(imported, message, "created_at", "Times are written in whole seconds, without a zone.")
    if text != text.strip(p.SPACE):
        yield lost(
            imported, message, "text", "Blank lines and spaces at the ends are trimmed when it is read."
        )
    if _HEADER.search(text):
        yield lost(
            imported,
            message,
            "text",
            "A line looks like a header: the program would split the message there.",
        )
    if isinstance(message, AssistantMessage) and text and not _read_alike(text):
        yield lost(imported, message, "text", "It holds marks that are read as reasoning, tools or errors.")
    if sum(isinstance(part, TextPart | ErrorPart) for part in message.parts) > 1:
        yield lost(imported, message, "parts", "Several texts become one.")


def _read_alike(text: str) -> bool:
    again = answer_parts(text)
    return len(again) == 1 and isinstance(again[0], TextPart | ErrorPart)


def _reference_losses(imported: ImportedConversation, message: Message) -> Iterator[Loss]:
    for part in message.parts:
        if not isinstance(part, ReferencePart):
            continue
        if isinstance(message, AssistantMessage) or not isinstance(part.reference, _LISTED):
            yield lost(
                imported, message, "reference", "The context line has no list for this kind of reference."
            )
        elif _plain_name(part.reference) != part.reference:
            yield lost(imported, message, "reference", "Only the name of the reference is written.")
        elif any(mark in _name(part.reference) for mark in (", ", " | ", "]")):
            yield lost(imported, message, "reference", "The context line has no escapes for this name.")


def _name(reference: r.Reference) -> str:
    match reference:
        case r.UrlReference(url=name) | r.WebTabReference(url=name) | r.TagReference(tag=name):
            return name
        case r.NoteReference(path=name) | r.PdfReference(path=name) | r.CanvasReference(path=name):
            return name
        case r.FolderReference(path=name):
            return name
        case _:
            return ""


def _plain_name(reference: r.Reference) -> r.Reference:
    match reference:
        case r.NoteReference(path=path):
            return r.NoteReference(path=path)
        case r.WebTabReference(url=url):
            return r.WebTabReference(url=url)
        case _:
            return reference
