"""From bare matches to hits: how well linked and how fresh a note is, and room for other notes.

Boosts are small: they decide between pieces that say about the same, never against what they say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

from triptych.ports.search import SearchHit
from triptych.vault.search.index import Match

__all__ = ["MOST_OF_A_NOTE", "ranked"]

MOST_OF_A_NOTE = 2
"""How many pieces of one note may be among the hits."""

_LINK_WEIGHT, _MOST_LINKED = 0.1, 1.15
_FRESH_WEIGHT, _FRESH_DAYS = 0.1, 30.0
_NANOSECONDS_A_DAY = 86_400 * 1e9


def ranked(
    matches: Iterable[Match], *, linked: Callable[[str], int], newest: int, limit: int
) -> list[SearchHit]:
    """The best hits, best first. Freshness is counted from the newest change in the vault."""
    scored = [
        (match.score * _link_boost(linked(match.title)) * _fresh_boost(match.modified, newest), match)
        for match in matches
    ]
    scored.sort(key=lambda one: (-one[0], one[1].path, one[1].start_line))
    taken: Counter[str] = Counter()
    hits: list[SearchHit] = []
    for score, match in scored:
        if taken[match.path] < MOST_OF_A_NOTE and len(hits) < limit:
            taken[match.path] += 1
            hits.append(_hit(match, score))
    return hits


def _link_boost(links: int) -> float:
    return min(1 + _LINK_WEIGHT * math.log1p(links), _MOST_LINKED)


def _fresh_boost(modified: int, newest: int) -> float:
    days = max(newest - modified, 0) / _NANOSECONDS_A_DAY
    return 1 + _FRESH_WEIGHT * math.exp(-days / _FRESH_DAYS)


def _hit(match: Match, score: float) -> SearchHit:
    return SearchHit(
        path=match.path,
        title=match.title,
        text=match.text,
        start_line=match.start_line,
        end_line=match.end_line,
        score=score,
        heading=match.heading,
    )
