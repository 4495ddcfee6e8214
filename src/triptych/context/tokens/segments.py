"""An estimate by segments, as the accounting of recorded conversations needs it (rules of *tokenx* 1.6).

A text is split at runs of white space and of ASCII punctuation; each segment has a rule by its script and kind.
It is exact to those rules and slow; ``estimate`` is the one for budgets.

Not here: a real vocabulary (``counter``).
"""

from __future__ import annotations

import math
import re

from triptych.context.rowwork import BLANKS, utf16_length

__all__ = ["estimate_segments"]

_PUNCTUATION = r"[.,!?;(){}\[\]<>:/\\|@#$%^&*+=`~_\"-]"
_SPLIT = re.compile(rf"([{BLANKS}]+|{_PUNCTUATION}+)")
_HAS_PUNCTUATION = re.compile(_PUNCTUATION)
_STRUCTURE = re.compile(rf"\n[{BLANKS}]")
_NUMBER = re.compile(r"[0-9]+\Z")
_CJK = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\u3000-\u30ff\uff00-\uffef\u2e80-\u2eff\u31c0-\u31ef\u3200-\u32ff\u3300-\u33ff"
    "\uac00-\ud7af\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\ud7b0-\ud7ff]"
)
_PICTURES = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3"
    "\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705"
    "\u2708-\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757"
    "\u2763-\u2767\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d"
    "\u3297\u3299\U0001f000-\U0001f0ff\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f171\U0001f17e\U0001f17f"
    "\U0001f18e\U0001f191-\U0001f19a\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f"
    "\U0001f232-\U0001f23a\U0001f23c-\U0001f23f\U0001f249-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f"
    "\U0001f680-\U0001f6ff\U0001f774-\U0001f77f\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f"
    "\U0001f85a-\U0001f85f\U0001f888-\U0001f88f\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945"
    "\U0001f947-\U0001faff\U0001fc00-\U0001fffd"
)
_COMPONENTS = "#*0-9\u200d\u20e3\ufe0f\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff\U0001f9b0-\U0001f9b3\U000e0020-\U000e007f"
_LANGUAGES = (
    (re.compile("[äöüßẞ]", re.IGNORECASE), 2.6),
    (re.compile("[éèêëàâîïôûùüÿçœæáíóúñ]", re.IGNORECASE), 3.0),
    (re.compile("[ąćęłńóśźżěščřžýůúďťň]", re.IGNORECASE), 2.5),
    (re.compile("[\u0430-\u044f\u0451]", re.IGNORECASE), 4.0),
    (re.compile("[\u03ac-\u03ce]", re.IGNORECASE), 2.75),
    (re.compile(f"[{_PICTURES}][{_PICTURES}{_COMPONENTS}]*\\Z"), 0.75),
)
"""Characters of a token, by the first of these that a segment has; the last one has to be all of it."""

_CHARACTERS = 6
_SHORT = 3
_KANA = 1.35


def estimate_segments(text: str) -> int:
    """The tokens of a text by these rules."""
    return sum(_tokens(segment) for segment in _SPLIT.split(text) if segment)


def _tokens(segment: str) -> int:
    if not segment.strip(BLANKS):
        return 1 if _STRUCTURE.search(segment) else 0
    for pattern, characters in _LANGUAGES:
        found = pattern.match(segment) if characters < 1 else pattern.search(segment)
        if found:
            return math.ceil(len(segment) / characters)
    if _CJK.search(segment):
        return _cjk(segment)
    return _plain(segment)


def _plain(segment: str) -> int:
    length = utf16_length(segment)
    if _NUMBER.match(segment):
        return math.ceil(length / 3)
    if length <= _SHORT:
        return 1
    return math.ceil(length / (2 if _HAS_PUNCTUATION.search(segment) else _CHARACTERS))


def _cjk(segment: str) -> int:
    kana = sum("\u3040" <= character <= "\u30ff" for character in segment)
    return len(segment) - kana + math.ceil(kana / _KANA)
