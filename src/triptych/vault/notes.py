"""A note as a value, out of the bytes of its file."""

from __future__ import annotations

import msgspec

from triptych.model.diagnostics import Diagnostic
from triptych.ports.vault import Note, NoteInfo
from triptych.vault.files import FileInfo
from triptych.vault.front_matter import parse_front_matter, split_front_matter
from triptych.vault.links import link_title
from triptych.vault.marks import front_matter_tags, inline_tags, references_of
from triptych.vault.patterns import Candidate
from triptych.vault.prose import prose_of
from triptych.vault.texts import decode_text, render_canvas, render_pdf

__all__ = ["Outline", "is_note", "outline_of", "parse_note"]


class Outline(msgspec.Struct, frozen=True):
    """What a list of notes shows of one, and what patterns see of it."""

    info: NoteInfo
    candidate: Candidate


def is_note(path: str) -> bool:
    """Whether a file counts as a note: Markdown."""
    return path.lower().endswith((".md", ".markdown"))


def parse_note(data: bytes, file: FileInfo) -> tuple[Note | None, tuple[Diagnostic, ...]]:
    """The note that a file holds. A canvas or PDF has a readable body; other kinds are text or None."""
    text, found = _readable(data, file.path)
    if text is None:
        return None, found
    yaml, body = split_front_matter(text) if is_note(file.path) else ("", text)
    front_matter, noted = parse_front_matter(yaml, file.path)
    prose = prose_of(body)
    inline = inline_tags(body, prose) if is_note(file.path) else []
    references = references_of(body, prose)
    note = Note(
        info=_info(file, tuple(dict.fromkeys((*front_matter_tags(front_matter), *inline)))),
        text=text,
        body=body,
        front_matter=front_matter,
        links=tuple(dict.fromkeys(reference.link for reference, _ in references)),
        embeds=tuple(reference for reference, embedded in references if embedded),
    )
    return note, (*found, *noted)


def _readable(data: bytes, path: str) -> tuple[str | None, tuple[Diagnostic, ...]]:
    if path.lower().endswith(".pdf"):
        return render_pdf(data, path)
    text, found = decode_text(data, path)
    if text is None or not path.lower().endswith(".canvas"):
        return text, found
    canvas, noted = render_canvas(text, path)
    return canvas, (*found, *noted)


def outline_of(data: bytes | None, file: FileInfo) -> Outline:
    """Title, times and tags; of a file that is no readable Markdown without tags."""
    text = decode_text(data, file.path)[0] if data is not None and is_note(file.path) else None
    yaml, body = split_front_matter(text or "")
    front_matter = parse_front_matter(yaml)[0]
    own = front_matter_tags(front_matter)
    tags = tuple(dict.fromkeys((*own, *inline_tags(body))))
    return Outline(_info(file, tags), Candidate(path=file.path, tags=tags, front_matter=front_matter))


def _info(file: FileInfo, tags: tuple[str, ...]) -> NoteInfo:
    return NoteInfo(
        path=file.path,
        title=link_title(file.path),
        size=file.size,
        modified_at=file.modified // 1_000_000,
        created_at=file.created // 1_000_000,
        tags=tags,
    )
