"""What an answer rests on: one sentence by shared words, and the passages that a search found. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from triptych.context.envelope import Source
from triptych.model.parts import SourcePart

__all__ = ["cite", "passages"]

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_LEAST = 2
_CITABLE = frozenset({"note", "search"})


def cite(answer: str, question: str, sources: Iterable[Source]) -> SourcePart | None:
    """The best sentence among notes and found passages, with its place; None when none shares enough words."""
    said, asked = _words(answer), _words(question)
    best: tuple[float, Source, str, int] | None = None
    for source in sources:
        if source.kind not in _CITABLE:
            continue
        for match in _SENTENCE.finditer(source.body):
            words = _words(match[0])
            shared = len(words & said) + 0.5 * len(words & asked)
            score = shared / (4 + len(words)) if len(words & (said | asked)) >= _LEAST else 0
            if score > (best[0] if best else 0):
                best = (
                    score,
                    source,
                    match[0].strip(" #*->|\t"),
                    source.body.count("\n", 0, match.start()) + _first_line(source),
                )
    return None if best is None else _part(*best)


def _part(_score: float, source: Source, sentence: str, line: int) -> SourcePart:
    path = dict(source.facts).get("path")
    return SourcePart(title=source.title, path=path, quote=sentence, start_line=line, end_line=line)


def passages(sources: Iterable[Source], *, beside: SourcePart | None = None) -> tuple[SourcePart, ...]:
    """The passages that a search found, by title and lines; without the one that ``beside`` quotes already."""
    found = (_passage(source) for source in sources if source.kind == "search")
    return tuple(one for one in found if beside is None or not _holds(one, beside))


def _passage(source: Source) -> SourcePart:
    facts, first = dict(source.facts), _first_line(source)
    last = int(facts.get("end_line", first))
    return SourcePart(title=source.title, path=facts.get("path"), start_line=first, end_line=last)


def _holds(passage: SourcePart, quoted: SourcePart) -> bool:
    if passage.path != quoted.path or quoted.start_line is None:
        return False
    return (passage.start_line or 0) <= quoted.start_line <= (passage.end_line or 0)


def _first_line(source: Source) -> int:
    """A note is counted from its own first line, a found passage from where it stands in the file."""
    return int(dict(source.facts).get("start_line", 1))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text) if len(word) > 1)
