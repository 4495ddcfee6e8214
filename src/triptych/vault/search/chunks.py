"""A note in pieces that are worth finding: whole lines, under one heading where possible, none too long.

A short note is one piece. A long one is cut before headings, then between paragraphs, then between lines, and only
a line that is too long by itself is cut inside. Small neighbours are joined. Nothing is lost and nothing is said
twice: the pieces in order are the note.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import msgspec

from triptych.vault.marks import Heading, headings_of

__all__ = ["LONGEST_CHUNK", "Chunk", "chunks_of"]

LONGEST_CHUNK = 2_000
"""Characters."""

_Piece = tuple[int, int]


class Chunk(msgspec.Struct, frozen=True):
    """A piece of a note; lines are counted from 1 in the file, the end is included."""

    heading: str
    start_line: int
    end_line: int
    text: str


def chunks_of(body: str, *, first_line: int = 1, longest: int = LONGEST_CHUNK) -> list[Chunk]:
    """The pieces of a body whose first line has this number in the file."""
    headings = headings_of(body)
    pieces = _joined(list(_pieces(body, headings, longest)), longest)
    found: list[Chunk] = []
    line, counted, at, heading = first_line, 0, 0, ""
    for start, end in pieces:
        line, counted = line + body.count("\n", counted, start), start
        first = ""
        while at < len(headings) and headings[at].start < end:
            heading = headings[at].text
            first, at = first or heading, at + 1
        text = body[start:end]
        if text.strip():
            last = line + text.rstrip("\n").count("\n")
            found.append(Chunk(first or (found[-1].heading if found else ""), line, last, text.rstrip("\n")))
    return found


def _pieces(body: str, headings: list[Heading], longest: int) -> Iterator[_Piece]:
    if len(body) <= longest:
        yield 0, len(body)
        return
    cuts = sorted({0, *(heading.start for heading in headings), len(body)})
    for start, end in pairwise(cuts):
        yield from _fitting(body, start, end, longest)


def _fitting(body: str, start: int, end: int, longest: int) -> Iterator[_Piece]:
    """Cut a stretch at the last paragraph end, line end or character that keeps pieces short enough."""
    while end - start > longest:
        limit = start + longest
        cut = body.rfind("\n\n", start + 1, limit - 1) + 2
        if cut <= start + longest // 4:
            cut = body.rfind("\n", start + 1, limit) + 1
        if cut <= start:
            cut = limit
        yield start, cut
        start = cut
    if end > start:
        yield start, end


def _joined(pieces: list[_Piece], longest: int) -> list[_Piece]:
    joined: list[_Piece] = []
    for start, end in pieces:
        if joined and end - joined[-1][0] <= longest:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
