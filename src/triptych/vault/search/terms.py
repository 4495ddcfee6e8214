"""Text as the index reads it, and questions as the index understands them.

Scripts without spaces between words are indexed character by character; a run of them in a question becomes a
phrase, so that every substring is found.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["expressions", "loose_expression", "spaced"]

_UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_CHARACTER = re.compile(rf"([{_UNSPACED}])")
_TERM = re.compile(rf"#[^\s#]+|[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_COMMON_WORDS = """
a about an and any are as at be but by can did do does for from had has have how i if in into is it
its me my no not of on or our she so than that the their them then there these they this to was we
were what when where which who why will with would you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_MOST_TERMS = 32


def spaced(text: str) -> str:
    """The text with space around each character of a script that has none."""
    composed = unicodedata.normalize("NFKC", text)
    return _CHARACTER.sub(r" \1 ", composed) if _CHARACTER.search(composed) else composed


def expressions(question: str) -> list[str]:
    """FTS5 expressions from narrow to wide: all of the terms, then any of them; empty when there are none."""
    phrases = [phrase for term in _terms(question) if (phrase := _phrase(term))]
    return list(dict.fromkeys(_joined(phrases, joint) for joint in ("AND", "OR"))) if phrases else []


def loose_expression(question: str) -> str | None:
    """Any of the terms, long runs of unspaced characters taken apart into pairs: when nothing else is found."""
    pairs = [pair for term in _terms(question) for pair in _pairs(term)]
    phrases = [phrase for pair in pairs if (phrase := _phrase(pair))]
    return _joined(phrases, "OR") if phrases else None


def _joined(phrases: list[str], joint: str) -> str:
    return f" {joint} ".join(f"({phrase})" for phrase in phrases)


def _terms(question: str) -> list[str]:
    found = [term.lower() for term in _TERM.findall(unicodedata.normalize("NFKC", question))]
    long = [
        term for term in dict.fromkeys(found) if len(term) > 1 or _CHARACTER.match(term) or term.isdigit()
    ]
    return ([term for term in long if term not in _COMMON] or long)[:_MOST_TERMS]


def _phrase(term: str) -> str | None:
    if term.startswith("#"):
        words = " ".join(re.findall(r"\w+", spaced(term)))
        return f'tags : "{words}"' if words else None
    return f'"{spaced(term).strip()}"'


def _pairs(term: str) -> list[str]:
    if not _CHARACTER.match(term) or len(term) < 3:
        return [term]
    return [term[place : place + 2] for place in range(len(term) - 1)]
