"""A Copilot note cut into front matter, preamble and one raw piece a message; and a message made into a piece.

The parts of the cut always add up to the text. A header (``**user**: `` or ``**ai**: ``) inside a body looks like
the next message; the rule here: the program writes front matter, and a time line at the end of every message, so in
a file with both, only headers that follow a time line begin a message. In any other file (written by hand) every
header outside a code fence does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal

import msgspec

from triptych.formats.front_matter import FrontMatter, split_front_matter

__all__ = ["SPACE", "Piece", "Pieces", "cut", "lines_of", "piece_body", "render_piece"]

SPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What ECMAScript's ``trim`` takes off."""

Sender = Literal["user", "ai"]
_HEADER = re.compile(r"\*\*(user|ai)\*\*: ")
_LINE_HEADER = re.compile(r"^\*\*(user|ai)\*\*: ", re.MULTILINE)
_FENCE = re.compile(r"^(?:\*\*(?:user|ai)\*\*: | {0,3})(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


class Piece(msgspec.Struct, frozen=True):
    """One message as it stands: header, body, context and time lines, and the blank lines after it."""

    sender: Sender
    raw: str


class Pieces(msgspec.Struct, frozen=True):
    """A whole note. ``ambiguous`` counts the lines that look like headers and were taken as text."""

    front: FrontMatter | None
    preamble: str
    pieces: tuple[Piece, ...]
    ambiguous: int = 0


def cut(text: str) -> Pieces:
    """The note in its parts; any text at all can be cut."""
    front, rest = split_front_matter(text)
    first = _HEADER.search(rest)
    if first is None:
        return Pieces(front, rest, ())
    headers = [first, *_LINE_HEADER.finditer(rest, first.end())]
    starts, ambiguous = _boundaries(rest, headers, by_program=front is not None)
    ends = [*(start.start() for start in starts[1:]), len(rest)]
    pieces = tuple(
        Piece("user" if start[1] == "user" else "ai", rest[start.start() : end])
        for start, end in zip(starts, ends, strict=True)
    )
    return Pieces(front, rest[: first.start()], pieces, ambiguous)


def _boundaries(
    text: str, headers: list[re.Match[str]], *, by_program: bool
) -> tuple[list[re.Match[str]], int]:
    later = headers[1:]
    starts = [one for one in later if by_program and _follows_stamp(text, one.start())]
    if not starts:
        fenced = _fenced(text, headers[0].start())
        starts = [one for one in later if not _inside(fenced, one.start())]
    return [headers[0], *starts], len(later) - len(starts)


def _follows_stamp(text: str, place: int) -> bool:
    while place and text[place - 1] in SPACE:
        place -= 1
    line = text.rfind("\n", 0, place) + 1
    return place > line and text[place - 1] == "]" and text.startswith("[Timestamp: ", line)


def _inside(spans: list[tuple[int, int]], place: int) -> bool:
    """Whether a place lies in one of the spans, which are in order and do not overlap."""
    index = bisect_right(spans, (place, place)) - 1
    return index >= 0 and spans[index][0] <= place < spans[index][1]


def _fenced(text: str, start: int) -> list[tuple[int, int]]:
    """The spans of closed code fences; a fence that is never closed fences nothing.

    The first line of an answer stands behind its header, so a fence may open there too.
    """
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for found in _FENCE.finditer(text, start):
        mark, info = found[1], found[2]
        if opened is None:
            opened = (found.start(1), mark)
        elif mark[0] == opened[1][0] and len(mark) >= len(opened[1]) and not info.strip():
            spans.append((opened[0], found.start(1)))
            opened = None
    return spans


def piece_body(piece: Piece) -> str:
    """The piece without its header, trimmed as the program trims."""
    return piece.raw.partition("**: ")[2].strip(SPACE)


def lines_of(body: str) -> tuple[str, str | None, str | None]:
    """Body text, context value and time value; a value is what stands between the label and the bracket.

    The context's value reaches to the *last* bracket of its line: a path may hold one. A context line counts only
    right above the time line (or at the end), as the program has it.
    """
    text, stamp = _last_line(body, "[Timestamp: ", first_bracket=True)
    text, context = _last_line(text, "[Context: ", first_bracket=False)
    return text.rstrip(SPACE), context, stamp


def _last_line(body: str, label: str, *, first_bracket: bool) -> tuple[str, str | None]:
    head, newline, line = body.rpartition("\n")
    if not line.startswith(label):
        return body, None
    inner = line[len(label) :]
    end = inner.find("]") if first_bracket else inner.rfind("]")
    if end < 0:
        return body, None
    return head if newline else "", inner[:end]


def render_piece(sender: Sender, text: str, context: str | None, stamp: str) -> str:
    """A message as the program writes it, without blank lines after it."""
    line = f"\n[Context: {context}]" if context is not None else ""
    return f"**{sender}**: {text}{line}\n[Timestamp: {stamp}]"
