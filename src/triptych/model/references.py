"""What a person attached to a message, by name; its body is resolved when the message is sent."""

from __future__ import annotations

import msgspec

from triptych.model.ids import BlobDigest, ConversationId, MessageId

__all__ = [
    "CanvasReference",
    "ConversationReference",
    "FolderReference",
    "ImageReference",
    "NoteReference",
    "PdfReference",
    "Reference",
    "SearchReference",
    "SelectionReference",
    "TagReference",
    "UrlReference",
    "WebTabReference",
]


class _Reference(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="kind",
):
    pass


class NoteReference(_Reference, frozen=True, kw_only=True, tag="note"):
    """A note of the vault, or the piece of it under a heading or a block mark.

    Attributes:
        path: relative to the vault, with ``/``.
        active: it is the note that the person is working in.
        embedded_in: the path of the note that embeds it, when it came along with that one.
    """

    path: str
    heading: str | None = None
    block: str | None = None
    active: bool = False
    embedded_in: str | None = None


class FolderReference(_Reference, frozen=True, kw_only=True, tag="folder"):
    """Every note under a folder."""

    path: str


class TagReference(_Reference, frozen=True, kw_only=True, tag="tag"):
    """Every note that carries a tag; written without ``#``."""

    tag: str


class SelectionReference(_Reference, frozen=True, kw_only=True, tag="selection"):
    """Text that was selected: its own snapshot, since it may not be there any more.

    ``start_line`` and ``end_line`` count from 1.
    """

    text: str
    path: str | None = None
    url: str | None = None
    title: str | None = None
    start_line: int | None = None
    end_line: int | None = None


class UrlReference(_Reference, frozen=True, kw_only=True, tag="url"):
    """A page to be fetched."""

    url: str


class WebTabReference(_Reference, frozen=True, kw_only=True, tag="webTab"):
    """A page that the client had open, with the text it gave us (None: it could not read it)."""

    url: str
    title: str | None = None
    text: str | None = None
    active: bool = False


class PdfReference(_Reference, frozen=True, kw_only=True, tag="pdf"):
    """A PDF file of the vault."""

    path: str


class ImageReference(_Reference, frozen=True, kw_only=True, tag="image"):
    """An image file of the vault, or one that was uploaded."""

    path: str | None = None
    blob: BlobDigest | None = None
    media_type: str | None = None


class CanvasReference(_Reference, frozen=True, kw_only=True, tag="canvas"):
    """A canvas file (JSON Canvas) of the vault."""

    path: str


class SearchReference(_Reference, frozen=True, kw_only=True, tag="search"):
    """A search over the vault whose best hits come along."""

    query: str


class ConversationReference(_Reference, frozen=True, kw_only=True, tag="conversation"):
    """Another conversation, or one message of it."""

    conversation_id: ConversationId
    message_id: MessageId | None = None


Reference = (
    NoteReference
    | FolderReference
    | TagReference
    | SelectionReference
    | UrlReference
    | WebTabReference
    | PdfReference
    | ImageReference
    | CanvasReference
    | SearchReference
    | ConversationReference
)
