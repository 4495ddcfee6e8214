"""Reading context blocks that other programs wrote: ``<note_context>`` and its documented siblings, in any text.

The reader is total: whatever the text, there is an answer, in time linear in its length. Blocks are found from left
to right; a block ends at the first end tag of its own name, so a block inside another stays in it, and text between
blocks belongs to none.

Not here: our own blocks (``blocks`` writes them, and nothing reads them back to know what a model has).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

from triptych.context.rowwork import BLANKS, trim

__all__ = [
    "BLOCK_KINDS",
    "BlockKind",
    "ForeignBlock",
    "content_of",
    "escape_attribute",
    "kept_text",
    "kind_of",
    "read_blocks",
    "source_of",
    "tag_of",
    "unescape",
]

SourceType = Literal["note", "url", "youtube", "pdf", "selected_text", "unknown"]


class BlockKind(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is known of a tag: what it holds, whether that can be read again, and which child names the source."""

    tag: str
    source_type: SourceType
    recoverable: bool
    source_extractor: str | None = None


class ForeignBlock(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One block of a text.

    Attributes:
        key: the source as it is written, or else the tag; the second one without a source is ``tag:2``.
        text: the whole block.
        start, end: its place in the text, in characters.
        note_path: the key, for a block that holds a note.
        earlier: it is a preview of what an earlier turn gave (``prior_context``).
    """

    key: str
    tag: str
    text: str
    start: int
    end: int
    note_path: str | None = None
    earlier: bool = False


def _kinds(source_type: SourceType, child: str | None, *tags: str) -> list[BlockKind]:
    recoverable = source_type != "selected_text"
    return [
        BlockKind(tag=tag, source_type=source_type, recoverable=recoverable, source_extractor=child)
        for tag in tags
    ]


BLOCK_KINDS: Mapping[str, BlockKind] = MappingProxyType(
    {
        kind.tag: kind
        for kind in (
            *_kinds("note", "path", "note_context", "active_note", "embedded_note", "vault_note"),
            *_kinds("note", "path", "retrieved_document"),
            *_kinds("url", "url", "url_content", "web_tab_context", "active_web_tab"),
            *_kinds("youtube", "url", "youtube_video_context"),
            *_kinds("url", "url", "twitter_content"),
            *_kinds("pdf", "name", "embedded_pdf"),
            *_kinds("selected_text", None, "selected_text", "web_selected_text"),
            *_kinds("note", None, "localSearch"),
        )
    }
)
"""The documented tags, in their documented order."""

_EARLIER = "prior_context"
_HINT = "prior_context_note"
_OPEN = re.compile(rf"<({'|'.join([*BLOCK_KINDS, _EARLIER, _HINT])})(?:[{BLANKS}][^>]*)?>")
_TAG = re.compile(rf"<([A-Za-z0-9_]+)(?:[{BLANKS}][^>]*)?>")
_ENTITIES = MappingProxyType({"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"})
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
_SOURCE_CHILDREN = ("path", "url", "name")


def kind_of(tag: str) -> BlockKind:
    """What is known of a tag; an unknown one holds nothing that could be read again."""
    return BLOCK_KINDS.get(tag) or BlockKind(tag=tag, source_type="unknown", recoverable=False)


def read_blocks(text: str) -> list[ForeignBlock]:
    """The blocks of a text, in order."""
    found: list[ForeignBlock] = []
    nameless: dict[str, int] = {}
    for tag, start, end in _spans(text):
        if tag != _HINT:
            found.append(_block(tag, text[start:end], start, nameless))
    return found


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Tag, start and end of each block; a tag that is not closed any more is looked for once."""
    place = 0
    unclosed: set[str] = set()
    while (match := _OPEN.search(text, place)) is not None:
        tag, place = match[1], match.end()
        closing = f"</{tag}>"
        end = -1 if tag in unclosed else text.find(closing, place)
        if end < 0:
            unclosed.add(tag)
            continue
        place = end + len(closing)
        yield tag, match.start(), place


def _block(tag: str, text: str, start: int, nameless: dict[str, int]) -> ForeignBlock:
    earlier = tag == _EARLIER
    source = _attribute(text, "source") if earlier else source_of(text)
    key = source or _numbered(tag, nameless)
    kind = _attribute(text, "type") or "note" if earlier else kind_of(tag).source_type
    return ForeignBlock(
        key=key,
        tag=tag,
        text=text,
        start=start,
        end=start + len(text),
        note_path=key if kind == "note" else None,
        earlier=earlier,
    )


def _numbered(tag: str, nameless: dict[str, int]) -> str:
    nameless[tag] = nameless.get(tag, 0) + 1
    return tag if nameless[tag] == 1 else f"{tag}:{nameless[tag]}"


def _attribute(block: str, name: str) -> str:
    """An attribute of the start tag as it is written, entities and all."""
    match = re.search(rf'\s{name}="([^"]*)"', block[: block.find(">") + 1])
    return match[1] if match is not None else ""


def tag_of(block: str) -> str | None:
    """The name of the tag that a text begins with."""
    match = _TAG.match(block)
    return match[1] if match is not None else None


def source_of(block: str, *, any_kind: bool = False) -> str:
    """The path, address or name that a block gives for its source, as written; empty when it gives none.

    ``any_kind`` takes any of the three, whatever the tag is.
    """
    child = kind_of(tag_of(block) or "").source_extractor
    children = _SOURCE_CHILDREN if any_kind else (child,) if child is not None else ()
    return next((value for name in children if (value := _child(block, name))), "")


def _child(block: str, name: str) -> str:
    match = re.search(rf"<{name}>([^<]+)</{name}>", block)
    return match[1] if match is not None else ""


def content_of(block: str) -> str:
    """What stands in the first ``<content>`` child; the whole text when there is none."""
    _, opened, rest = block.partition("<content>")
    content, closed, _ = rest.partition("</content>")
    return content if opened and closed else block


def kept_text(text: str) -> str:
    """A text of blocks without what cannot be read again and without hints about earlier previews.

    Blocks inside other blocks and the text between them stay as they are, whole.
    """
    pieces: list[str] = []
    place = 0
    for tag, start, end in _spans(text):
        if tag == _HINT or (tag != _EARLIER and not kind_of(tag).recoverable):
            pieces.append(text[place:start])
            place = end
    return trim("".join((*pieces, text[place:])))


def escape_attribute(text: str) -> str:
    """The text so that it can stand between quotes in a tag: the five signs of markup as entities."""
    return re.sub(r"[&<>\"']", _entity, text)


def _entity(match: re.Match[str]) -> str:
    return next(f"&{name};" for name, sign in _ENTITIES.items() if sign == match[0])


def unescape(text: str) -> str:
    """The five entities as signs, once; any other stays."""
    return _ENTITY.sub(lambda match: _ENTITIES[match[1]], text)
