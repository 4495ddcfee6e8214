"""Shortening a text where a reader would: behind a sentence, a paragraph, a word; or a little of each section.

Lengths are UTF-16 units and white space is ECMAScript's, as note programs count; a character is never split. What is
left out is said in the text itself.
"""

from __future__ import annotations

import re

from triptych.context.rowwork import BLANKS, trim, utf16_length, utf16_start

__all__ = ["shorten", "shorten_sections"]

_MARK = "..."
_SENTENCE_END = re.compile(f"[.!?](?=[{BLANKS}])")
_HEADING = re.compile(r"(?:^|(?<=[\n\r\u2028\u2029]))(?=#{1,6} )")
_WHOLE_FACTOR = 4


def shorten(text: str, most: int) -> str:
    """The beginning of a text, at most ``most`` units, and ``...`` when something is left out.

    It ends behind the last sentence if that is past the half, else before the last blank line past the half, else
    at the last space past four fifths, else anywhere.
    """
    cut = utf16_start(text, most)
    if len(cut) == len(text):
        return text
    sentence = max((match.start() for match in _SENTENCE_END.finditer(cut)), default=-1)
    if _far(cut, sentence, most, 0.5):
        return f"{cut[: sentence + 1]} {_MARK}"
    paragraph = cut.rfind("\n\n")
    if _far(cut, paragraph, most, 0.5):
        return f"{cut[:paragraph]}\n\n{_MARK}"
    space = cut.rfind(" ")
    return f"{cut[:space]} {_MARK}" if _far(cut, space, most, 0.8) else f"{cut}{_MARK}"


def _far(cut: str, place: int, most: int, share: float) -> bool:
    """Whether a place lies behind that share of the units."""
    return place >= 0 and utf16_length(cut[:place]) > most * share


def shorten_sections(text: str, most: int, most_sections: int = 20) -> str:
    """The heading of each section with at most ``most`` units of its body; later sections are counted.

    A text without sections is shortened as a whole, to four times as much.
    """
    sections = [section for section in _HEADING.split(text) if trim(section)]
    if len(sections) <= 1:
        return shorten(text, most * _WHOLE_FACTOR)
    shown = [_section(section, most) for section in sections[:most_sections]]
    left = len(sections) - most_sections
    return "\n\n".join([*shown, f"[{left} more sections are left out]"] if left > 0 else shown)


def _section(section: str, most: int) -> str:
    heading, _, body = trim(section).partition("\n")
    body = trim(body)
    return f"{heading}\n{shorten(body, most)}" if body else heading
