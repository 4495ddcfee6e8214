"""Our Markdown cut into front matter, preamble and sections, one a message, with the JSON value of each.

Total: any text can be scanned, and every line of it lands somewhere: a mark that a hand has broken is prose, with
a diagnostic. Not here: values to messages (``reading``), and what was changed by hand (``edits``).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from triptych.formats.front_matter import FrontMatter, split_front_matter
from triptych.formats.notebook.blocks import FENCE, PART, TEXT, fenced_part, label_of, load_json
from triptych.formats.notebook.escape import HEADING, ROLES, unescape_text
from triptych.model.diagnostics import Diagnostic

__all__ = ["Section", "Sheet", "scan"]

_MESSAGE = re.compile(r"<!--triptych message (\{.*\})-->(.*)\Z", re.DOTALL)
_BLANK = re.compile(r"[ \t]*\Z")


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One message of the file.

    Attributes:
        role: as its heading or its record says.
        record: the JSON of the message without its parts; empty for one that was written by hand.
        note: what the record says about the file: ``n`` its place, ``digest`` of what was written, ``aside``
            when it is on another branch, ``sources`` the digests of what its references gave.
        parts: the JSON values of its parts.
    """

    role: str
    record: dict[str, Any]
    note: dict[str, Any]
    parts: tuple[Any, ...]


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """A whole file."""

    front: FrontMatter | None
    preamble: str
    sections: tuple[Section, ...]
    diagnostics: tuple[Diagnostic, ...]


class _Open:
    """The section that lines are being added to; ``unclosed`` are fences known to have no end below."""

    def __init__(self, role: str, unclosed: set[str]) -> None:
        self.role = role
        self.unclosed = unclosed
        self.meta: dict[str, Any] | None = None
        self.parts: list[Any] = []
        self.prose: list[str] = []
        self.opened: dict[str, Any] | None = None

    def end_text(self) -> None:
        """Close the prose gathered so far as a text part, when there is any or one was opened."""
        text = unescape_text("\n".join(_trimmed(self.prose)))
        if self.opened is not None or _trimmed(self.prose):
            self.parts.append({"type": "text", "text": text, **(self.opened or {})})
        self.prose = []
        self.opened = None

    def section(self) -> Section:
        """What was gathered, closed."""
        self.end_text()
        meta = dict(self.meta or {})
        note = meta.pop("file", None)
        return Section(
            role=self.role, record=meta, note=note if isinstance(note, dict) else {}, parts=tuple(self.parts)
        )


def scan(text: str) -> Sheet:
    """The file in its parts. Carriage returns are an editor's, for ours are escaped."""
    front, rest = split_front_matter(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = rest.split("\n")
    preamble: list[str] = []
    sections: list[Section] = []
    found: list[Diagnostic] = []
    unclosed: set[str] = set()
    current: _Open | None = None
    place = 0
    while place < len(lines):
        started = _started(lines, place, current, unclosed, found)
        if started is not None:
            if current is not None:
                sections.append(current.section())
            current, place = started
        elif current is None:
            preamble.append(lines[place])
            place += 1
        else:
            place = _add(current, lines, place, found)
    if current is not None:
        sections.append(current.section())
    return Sheet(
        front=front, preamble="\n".join(preamble), sections=tuple(sections), diagnostics=tuple(found)
    )


def _started(
    lines: list[str], place: int, current: _Open | None, unclosed: set[str], found: list[Diagnostic]
) -> tuple[_Open, int] | None:
    """A section that begins at this line, and the place after its beginning."""
    heading = HEADING.match(lines[place])
    if heading is not None:
        following = place + 1
        while following < len(lines) and _BLANK.match(lines[following]):
            following += 1
        meta = _meta(lines[following]) if following < len(lines) else None
        if meta is None and heading[1] == "Tool":
            return None
        opened = _Open(ROLES[heading[1]], unclosed)
        return _with_meta(opened, meta, following) if meta is not None else (opened, place + 1)
    if not lines[place].startswith("<!--triptych message "):
        return None
    meta = _meta(lines[place])
    if meta is None:
        found.append(_broken(lines[place]))
        return None
    if current is not None and current.meta is None:
        return None
    return _with_meta(_Open("user", unclosed), meta, place)


def _with_meta(opened: _Open, meta: tuple[dict[str, Any], str], place: int) -> tuple[_Open, int]:
    opened.meta, tail = meta
    if isinstance(opened.meta.get("role"), str):
        opened.role = opened.meta["role"]
    if tail.strip(" \t"):
        opened.prose.append(tail)
    return opened, place + 1


def _meta(line: str) -> tuple[dict[str, Any], str] | None:
    matched = _MESSAGE.match(line)
    value = _loaded(matched[1]) if matched else None
    return (value, matched[2]) if matched and isinstance(value, dict) else None


def _loaded(text: str) -> Any:
    try:
        return load_json(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _add(current: _Open, lines: list[str], place: int, found: list[Diagnostic]) -> int:
    """Add what begins at this line to the section; the place after it."""
    line = lines[place]
    if current.meta is None and (meta := _meta(line)) is not None:
        _with_meta(current, meta, place)
        return place + 1
    fence = FENCE.match(line)
    if fence is not None and (end := _fence_end(lines, place, fence[1], current.unclosed)) is not None:
        part = fenced_part(fence[2], _loaded(fence[3]), "\n".join(lines[place + 1 : end]))
        if part is not None:
            current.end_text()
            current.parts.append(part)
            return end + 1
    if "<!--triptych " in line and _add_comment(current, line, found):
        return place + 1
    current.prose.append(line)
    return place + 1


def _fence_end(lines: list[str], place: int, fence: str, unclosed: set[str]) -> int | None:
    if fence in unclosed:
        return None
    end = next((at for at in range(place + 1, len(lines)) if lines[at].rstrip(" \t") == fence), None)
    if end is None:
        unclosed.add(fence)
    return end


def _add_comment(current: _Open, line: str, found: list[Diagnostic]) -> bool:
    text = TEXT.match(line)
    opened = _loaded(text[1]) if text else None
    if text and isinstance(opened, dict):
        current.end_text()
        current.opened = opened
        current.prose += [text[2]] if text[2].strip(" \t") else []
        return True
    part = PART.match(line)
    value = _loaded(part[2]) if part else None
    if part is None or (value is None and part[2].strip() != "null"):
        found.append(_broken(line))
        return False
    if part[1].strip() != label_of(value):
        current.prose.append(part[1].rstrip())
    current.end_text()
    current.parts.append(value)
    current.prose += [part[3]] if part[3].strip(" \t") else []
    return True


def _trimmed(lines: list[str]) -> list[str]:
    """The lines without the blank ones at both ends."""
    shown = [index for index, line in enumerate(lines) if not _BLANK.match(line)]
    return lines[shown[0] : shown[-1] + 1] if shown else []


def _broken(line: str) -> Diagnostic:
    return Diagnostic(
        code="broken_mark",
        message="One of our marks was changed by hand and is read as text.",
        detail={"line": line[:200]},
    )
