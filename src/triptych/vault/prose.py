"""Markdown with its code blanked out: same length, same lines, so that places found in it are places in the note.

Fences and code spans follow CommonMark; a fence may be indented as deep as a list wants. Indented code is read as
prose. This is what makes a thousand notes a second readable for tags, links and headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["prose_of"]

_FENCE = re.compile(r"^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(`{3,}(?=[^`\n]*$)|~{3,})", re.MULTILINE)
_TICKS = re.compile(r"`+")
_BREAK = re.compile(r"\n[ \t]*\n")
_VISIBLE = re.compile(r"[^\n]")


def prose_of(text: str) -> str:
    """The text with every character of code replaced by a space; line ends stay."""
    if "`" not in text and "~~~" not in text:
        return text
    unfenced = _without(text, list(_fences(text)))
    return _without(unfenced, list(_spans(unfenced))) if "`" in unfenced else unfenced


def _without(text: str, places: list[tuple[int, int]]) -> str:
    if not places:
        return text
    pieces: list[str] = []
    last = 0
    for start, end in places:
        pieces.append(text[last:start])
        pieces.append(_VISIBLE.sub(" ", text[start:end]))
        last = end
    return "".join((*pieces, text[last:]))


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each fenced block, marks included; an unclosed one runs to the end."""
    place = 0
    while (opening := _FENCE.search(text, place)) is not None:
        mark = opening[1]
        closing = re.compile(rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        found = closing.search(text, opening.end())
        place = found.end() if found else len(text)
        yield opening.start(), place


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each code span: as many ticks close it as open it, within one paragraph."""
    start = 0
    for end in (*(found.start() for found in _BREAK.finditer(text)), len(text)):
        yield from _paragraph_spans(text, start, end)
        start = end


def _paragraph_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    runs = [found for found in _TICKS.finditer(text, start, end) if not _escaped(text, found.start())]
    last_of = {len(run[0]): place for place, run in enumerate(runs)}
    place = 0
    while place < len(runs):
        length = len(runs[place][0])
        close = place + 1
        if last_of[length] > place:
            while len(runs[close][0]) != length:
                close += 1
            yield runs[place].start(), runs[close].end()
            place = close
        place += 1


def _escaped(text: str, place: int) -> bool:
    before = place
    while before and text[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1
