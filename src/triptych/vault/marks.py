"""What stands in a note's prose: tags, links, embeds, headings, block marks; each with its place.

All functions take the body as written; code in it is ignored (``prose``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

from triptych.ports.vault import Embed
from triptych.vault.prose import prose_of

__all__ = [
    "Heading",
    "block_text",
    "embeds_of",
    "front_matter_tags",
    "heading_key",
    "headings_of",
    "inline_tags",
    "links_of",
    "references_of",
    "section_text",
]

_TAG = re.compile(r"#([^\s!-,.:-@\[-^`{-~\u2000-\u206f\u3000-\u303f\uff01-\uff0f]+)")
_WIKI = re.compile(r"\[\[([^\[\]\n]+?)\]\]")
_INLINE = re.compile(
    r"\[(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,500}\]"
    r"\(\s*(?:<([^<>\n]+)>|([^\s()]+(?:\([^\s()]*\)[^\s()]*)*))(?:\s+[\"'(][^\n]*?[\"')])?\s*\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?=[ \t]|$)", re.MULTILINE)
_UNDERLINE = re.compile(r"\n {0,3}(=+|-+)[ \t]*(?=\n|\Z)")
_NO_HEADING = re.compile(r" {4}|\s*(?:[>#*+-]|\Z)")
_BLOCK_MARK = re.compile(r"(?:^|(?<=\s))\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]")


class Heading(msgspec.Struct, frozen=True):
    """A heading: rank 1 to 6, its text, and where its line starts and ends in the body, in characters."""

    rank: int
    text: str
    start: int
    end: int


def inline_tags(body: str, prose: str | None = None) -> list[str]:
    """``#tags`` of the prose without ``#``, in order, each once; a number alone is no tag."""
    if "#" not in body:
        return []
    text = prose_of(body) if prose is None else prose
    found = (
        match[1].rstrip("/")
        for match in _TAG.finditer(text)
        if match.start() == 0 or text[match.start() - 1].isspace()
    )
    return list(dict.fromkeys(tag for tag in found if tag and not tag.isdigit()))


def front_matter_tags(front_matter: Mapping[str, Any]) -> list[str]:
    """The tags that front matter gives under ``tags`` or ``tag``: a list, or text with commas or spaces."""
    found: list[str] = []
    for key, value in front_matter.items():
        if key.lower() in {"tags", "tag"}:
            items = re.split(r"[,\s]+", value) if isinstance(value, str) else value
            found.extend(
                str(item).strip().lstrip("#")
                for item in (items if isinstance(items, list) else [items])
                if isinstance(item, str | int) and not isinstance(item, bool)
            )
    return list(dict.fromkeys(tag for tag in found if tag))


def links_of(body: str) -> list[str]:
    """Targets of wikilinks and of relative Markdown links, without aliases, in order, each once; embeds too."""
    return list(dict.fromkeys(embed.link for embed, _ in references_of(body)))


def embeds_of(body: str) -> list[Embed]:
    """``![[…]]`` and ``![](…)`` of files in the vault, each time that one stands there."""
    return [embed for embed, embedded in references_of(body) if embedded]


def references_of(body: str, prose: str | None = None) -> list[tuple[Embed, bool]]:
    """Every link in order, and whether it is an embed; its place includes the ``!`` of an embed."""
    if "](" not in body and "[[" not in body:
        return []
    text = prose_of(body) if prose is None else prose
    found = [_reference(body, match, _wiki_target(body, match)) for match in _WIKI.finditer(text)]
    if "](" in text:
        found.extend(
            _reference(body, match, _relative(match[1] or match[2])) for match in _INLINE.finditer(text)
        )
    return sorted((one for one in found if one[0].link), key=lambda one: one[0].start)


def _reference(body: str, match: re.Match[str], target: str) -> tuple[Embed, bool]:
    embedded = match.start() > 0 and body[match.start() - 1] == "!"
    return Embed(link=target, start=match.start() - embedded, end=match.end()), embedded


def _wiki_target(body: str, match: re.Match[str]) -> str:
    return body[match.start(1) : match.end(1)].replace("\\|", "|").partition("|")[0].strip()


def _relative(written: str) -> str:
    return "" if _SCHEME.match(written) else unquote(written)


def headings_of(body: str) -> list[Heading]:
    """Every heading in order, those underlined with ``===`` or ``---`` included."""
    prose = prose_of(body)
    found = [_heading(body, match) for match in _HEADING.finditer(prose)]
    found.extend(one for match in _UNDERLINE.finditer(prose) if (one := _underlined(body, match)))
    return sorted(found, key=lambda one: one.start)


def _heading(body: str, match: re.Match[str]) -> Heading:
    end = body.find("\n", match.end())
    end = len(body) if end < 0 else end
    text = body[match.end() : end].strip()
    bare = text.rstrip("#")
    closed = bare if not bare or bare[-1] in " \t" else text
    return Heading(len(match[1]), closed.strip(), match.start(), end)


def _underlined(body: str, match: re.Match[str]) -> Heading | None:
    start = body.rfind("\n", 0, match.start()) + 1
    line = body[start : match.start()]
    if _NO_HEADING.match(line):
        return None
    return Heading(1 if match[1][0] == "=" else 2, line.strip(), start, match.end())


def heading_key(text: str) -> str:
    """How headings are compared: trimmed, white space collapsed, letter case and link marks ignored."""
    return " ".join(re.sub(r"\[\[|\]\]|[#|^:%\\]", " ", text).split()).casefold()


def section_text(body: str, heading: str) -> str | None:
    """A heading and all below it, up to the next of the same or a higher rank; None when it is not there.

    ``a#b`` names the heading b below the heading a.
    """
    headings = headings_of(body)
    steps = [heading_key(part) for part in heading.split("#") if part.strip()]
    found = _section(headings, [heading_key(heading)], len(body)) or _section(headings, steps, len(body))
    return body[found[0] : found[1]].rstrip() if found else None


def _section(headings: list[Heading], steps: list[str], end: int) -> tuple[int, int] | None:
    start, place = 0, -1
    for wanted in steps:
        inside = (
            at
            for at in range(place + 1, len(headings))
            if headings[at].start < end and heading_key(headings[at].text) == wanted
        )
        place = next(inside, -1)
        if place < 0:
            return None
        start, end = headings[place].start, _section_end(headings, place, end)
    return (start, end) if place >= 0 else None


def _section_end(headings: list[Heading], place: int, otherwise: int) -> int:
    rank = headings[place].rank
    later = (one.start for one in headings[place + 1 :] if one.rank <= rank)
    return min(next(later, otherwise), otherwise)


def block_text(body: str, block: str) -> str | None:
    """The paragraph or list item that ends with ``^block``, without the mark; None when it is not there.

    A mark on a line of its own belongs to the block above it.
    """
    for match in _BLOCK_MARK.finditer(prose_of(body)):
        if match[1].casefold() == block.casefold():
            return _block_around(body, match.start(), match.end())
    return None


def _block_around(body: str, mark: int, end: int) -> str:
    lines = body[:mark].rstrip(" \t").split("\n")
    if lines[-1] == "":
        while lines and not lines[-1].strip():
            lines.pop()
    taken: list[str] = []
    while lines and lines[-1].strip() and not (taken and _HEADING.match(lines[-1])):
        taken.append(lines.pop())
        if _ITEM.match(taken[-1]):
            break
    below = _item_children(body[end:], taken[-1]) if taken else []
    return "\n".join((*reversed(taken), *below)).strip("\n")


def _item_children(rest: str, first: str) -> list[str]:
    """The lines below a list item that are indented deeper than it."""
    item = _ITEM.match(first)
    return [] if item is None else list(_deeper(rest.split("\n")[1:], len(item[1])))


def _deeper(lines: list[str], indent: int) -> Iterator[str]:
    for line in lines:
        if not line.strip() or len(line) - len(line.lstrip()) <= indent:
            return
        yield line
