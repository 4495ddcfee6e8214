"""Which lines of two versions differ, in time that grows with their number and not with its square.

Lines that stand once on both sides hold the versions together; only the short gaps between them are compared line by
line. So the differences are exact, but in long stretches of lines that repeat not always the fewest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

__all__ = ["Block", "differing_lines"]

Block = tuple[int, int, int, int]
"""Start and end in the old text, start and end in the new one."""

_SHORT = 64


def differing_lines(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """The stretches of lines that are not the same, from left to right."""
    return [block for gap in _gaps(old, new) for block in _compared(old, new, _trimmed(old, new, gap))]


def _gaps(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """What lies between the lines that hold the versions together."""
    anchors = [(-1, -1), *_anchors(old, new), (len(old), len(new))]
    for (a, c), (b, d) in pairwise(anchors):
        yield a + 1, b, c + 1, d


def _trimmed(old: Sequence[str], new: Sequence[str], gap: Block) -> Block:
    """The gap without the lines that its sides share at both ends."""
    a, b, c, d = gap
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return a, b, c, d


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of lines that stand once on both sides, as many as stand there in the same order."""
    places = {line: place for place, line in enumerate(new)}
    counts_old, counts_new = Counter(old), Counter(new)
    once = [
        (place, places[line])
        for place, line in enumerate(old)
        if counts_old[line] == 1 and counts_new[line] == 1
    ]
    return _rising(once)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest choice of the pairs whose second numbers rise."""
    lowest: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, (_, number) in enumerate(pairs):
        length = bisect_left(lowest, number)
        before.append(ends[length - 1] if length else -1)
        lowest[length : length + 1] = [number]
        ends[length : length + 1] = [place]
    chosen: list[tuple[int, int]] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        chosen.append(pairs[place])
        place = before[place]
    return chosen[::-1]


def _compared(old: Sequence[str], new: Sequence[str], gap: Block) -> list[Block]:
    """A short gap line by line; a long one is one difference."""
    a, b, c, d = gap
    if max(b - a, d - c) > _SHORT:
        return [gap]
    matcher = SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
    found = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
    return [(a + one, a + two, c + three, c + four) for one, two, three, four in found]
