"""Exact changes between two versions of a text: spans with enough around them to be found.

Law: applying the spans to the old text gives the new one. A span stands by itself: ``before + old + after`` occurs
exactly once in the old text.
"""

from __future__ import annotations

import msgspec

from triptych.context.envelope.line_differences import Block, differing_lines

__all__ = ["Span", "apply_spans", "find_spans"]

_AROUND = 24
_NEAR = 12
_LEAST = 100
"""Characters that a written span takes at least, the text around it included."""


class Span(msgspec.Struct, frozen=True):
    """``old`` at ``start`` (in characters of the old text) became ``new``, between ``before`` and ``after``."""

    start: int
    old: str
    new: str
    before: str
    after: str


def find_spans(old: str, new: str) -> list[Span]:
    """The spans that turn ``old`` into ``new``, from left to right.

    Where so many would be longer than the new text itself, one span takes their place.
    """
    blocks = _joined([piece for block in _line_blocks(old, new) for piece in _narrowed(old, new, block)])
    if len(blocks) * _LEAST > len(new):
        blocks = [(blocks[0][0], blocks[-1][1], blocks[0][2], blocks[-1][3])]
    return [_around(old, new, block) for block in blocks]


def apply_spans(old: str, spans: list[Span]) -> str:
    """The new text."""
    parts: list[str] = []
    place = 0
    for span in spans:
        parts += [old[place : span.start], span.new]
        place = span.start + len(span.old)
    return "".join((*parts, old[place:]))


def _line_blocks(old: str, new: str) -> list[Block]:
    """The stretches of lines that differ, as character offsets."""
    old_lines, new_lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    old_at, new_at = _offsets(old_lines), _offsets(new_lines)
    return [
        (old_at[a], old_at[b], new_at[c], new_at[d]) for a, b, c, d in differing_lines(old_lines, new_lines)
    ]


def _offsets(lines: list[str]) -> list[int]:
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    return offsets


def _narrowed(old: str, new: str, block: Block) -> list[Block]:
    """The block without what its two sides share at both ends, in whole words."""
    a, b, c, d = block
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while b > a and d > c and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    while a > block[0] and old[a - 1].isalnum():
        a, c = a - 1, c - 1
    while b < block[1] and old[b].isalnum():
        b, d = b + 1, d + 1
    return [(a, b, c, d)]


def _joined(blocks: list[Block]) -> list[Block]:
    """Blocks that nearly touch are one: a reader follows one edit more easily than two."""
    joined: list[Block] = []
    for block in blocks:
        if joined and block[0] - joined[-1][1] <= _NEAR:
            a, _, c, _ = joined[-1]
            joined[-1] = (a, block[1], c, block[3])
        else:
            joined.append(block)
    return joined


def _around(old: str, new: str, block: Block) -> Span:
    """The span with the shortest surroundings of 24, 48, 96 … characters that occur once."""
    a, b, c, d = block
    width = _AROUND
    while True:
        start, end = max(0, a - width), min(len(old), b + width)
        whole = start == 0 and end == len(old)
        if whole or old.find(old[start:end], old.find(old[start:end]) + 1) < 0:
            return Span(start=a, old=old[a:b], new=new[c:d], before=old[start:a], after=old[b:end])
        width *= 2
