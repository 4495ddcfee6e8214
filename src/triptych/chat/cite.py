"""The sentence of an attached note that an answer most likely rests on. Pure, by shared words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from triptych.context.envelope import Source
from triptych.model.parts import SourcePart

__all__ = ["cite"]

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_LEAST = 2


def cite(answer: str, question: str, sources: Iterable[Source]) -> SourcePart | None:
    """The best sentence among the notes, with its place; None when none shares enough words."""
    said, asked = _words(answer), _words(question)
    best: tuple[float, Source, str, int] | None = None
    for source in sources:
        if source.kind != "note":
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
                    source.body.count("\n", 0, match.start()) + 1,
                )
    return None if best is None else _part(*best)


def _part(_score: float, source: Source, sentence: str, line: int) -> SourcePart:
    path = dict(source.facts).get("path")
    return SourcePart(title=source.title, path=path, quote=sentence, start_line=line, end_line=line)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text) if len(word) > 1)
