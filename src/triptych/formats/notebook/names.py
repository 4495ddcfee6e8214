"""Names of our files: from a template, in every script, never longer than file systems allow.

A name is short in bytes (that is what file systems count), cut between whole characters, and free of what any
system or a wikilink cannot hold. Identity is never in a name: it is in the front matter, so a file may be called
and moved as a person likes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo

from triptych.errors import UsageError
from triptych.model.conversations import DEFAULT_PROJECT, Conversation

__all__ = ["DEFAULT_TEMPLATE", "LONGEST", "UNTITLED", "candidate_paths", "clean_name", "file_name", "shorten"]

DEFAULT_TEMPLATE = "{title} {date}"
"""``{title}``, ``{date}`` (2026-01-02), ``{time}`` (030405), ``{project}`` and ``{id}`` are filled in, each time they stand."""

UNTITLED = "Untitled"
LONGEST = 120
"""Bytes of a name with its ending. Sync services and encrypted folders leave less than the usual 255."""

_ILLEGAL = re.compile(
    r'[\\/:*?"<>|#^\[\]\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]'
)
_VARIABLE = re.compile(r"\{(title|date|time|project|id)\}")
_BRACED = re.compile(r"\{([^{}]*)\}")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|\Z)", re.IGNORECASE)
_JOINERS = "\u200d\ufe0e\ufe0f"
_MOST = 999


def file_name(
    conversation: Conversation, *, template: str = DEFAULT_TEMPLATE, project: str = "", zone: tzinfo = UTC
) -> str:
    """The name of a conversation's file, with ``.md``.

    Args:
        conversation: its title, times and id.
        template: see ``DEFAULT_TEMPLATE``; an unknown variable is a usage error.
        project: the name of its project.
        zone: of the dates.
    """
    unknown = [name for name in _BRACED.findall(template) if not _VARIABLE.fullmatch(f"{{{name}}}")]
    if unknown:
        raise UsageError(
            f"The template has no variable {unknown[0]!r}; use title, date, time, project or id."
        )
    date, time = _date(conversation.created_at, zone)
    title = " ".join(conversation.title.split())
    values = {"title": "", "date": date, "time": time, "project": project, "id": conversation.id}
    rest = clean_name(_VARIABLE.sub(lambda found: values[found[1]], template), empty="")
    room = max(LONGEST - len(".md") - len(rest.encode()) - 1, 20)
    values["title"] = shorten(clean_name(title), room)
    named = clean_name(_VARIABLE.sub(lambda found: values[found[1]], template))
    return shorten(named, LONGEST - len(".md")) + ".md"


def _date(milliseconds: int, zone: tzinfo) -> tuple[str, str]:
    if not milliseconds:
        return "", ""
    try:
        moment = datetime.fromtimestamp(milliseconds // 1000, zone)
    except (ValueError, OverflowError, OSError):
        return "", ""
    return f"{moment.year:04d}-{moment:%m-%d}", f"{moment:%H%M%S}"


def clean_name(text: str, *, empty: str = UNTITLED) -> str:
    """A text as part of a path, on every system: one line, no separators, no dot in front, no blank or dot at the end."""
    legal = _ILLEGAL.sub(" ", unicodedata.normalize("NFC", text))
    name = " ".join(legal.split()).lstrip(". ").rstrip(". ")
    return f"_{name}" if _DEVICE.match(name) else name or empty


def shorten(text: str, limit: int) -> str:
    """The longest beginning of at most so many UTF-8 bytes that does not cut a character or its marks apart."""
    if len(text.encode()) <= limit:
        return text
    cut = len(text.encode()[:limit].decode("utf-8", "ignore"))
    while cut and _continues(text, cut):
        cut -= 1
    return text[:cut].rstrip(". ") or UNTITLED[:limit]


def _continues(text: str, place: int) -> bool:
    """Whether the character here belongs to the one before it."""
    here, before = text[place], text[place - 1]
    joined = here in _JOINERS or before == "\u200d" or "\U0001f3fb" <= here <= "\U0001f3ff"
    return joined or unicodedata.combining(here) != 0 or unicodedata.category(here) in ("Mn", "Mc", "Me")


def candidate_paths(
    conversation: Conversation,
    *,
    folder: str = "",
    project: str = "",
    template: str = DEFAULT_TEMPLATE,
    zone: tzinfo = UTC,
) -> Iterator[str]:
    """Paths to try, one after the other, until one is free: the name, the name with a number, the id.

    Conversations of a project lie in a folder of its name; those of the default project in the folder itself.
    """
    own = conversation.project_id != DEFAULT_PROJECT
    place = shorten(clean_name(project or conversation.project_id), LONGEST) if own else ""
    base = "".join(f"{piece}/" for piece in (folder.strip("/"), place) if piece)
    name = file_name(conversation, template=template, project=project, zone=zone)
    yield base + name
    stem = name.removesuffix(".md")
    for number in range(2, _MOST):
        ending = f" {number}.md"
        yield f"{base}{shorten(stem, LONGEST - len(ending))}{ending}"
    yield f"{base}{shorten(clean_name(conversation.id), LONGEST - len('.md'))}.md"
