"""File names of Copilot chats: made from a template, and read for whose project a file belongs to.

The limit is in UTF-8 bytes, since that is what file systems count. Not here: our own names (``formats.notebook``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import tzinfo
from typing import Any

import msgspec

from triptych.formats.copilot_md.pieces import SPACE
from triptych.formats.copilot_md.times import UNKNOWN_TIME, display_time

__all__ = [
    "DEFAULT_TEMPLATE",
    "UNTITLED",
    "ChatName",
    "belongs_to",
    "cut_bytes",
    "fallback_name",
    "file_name",
    "parse_name",
    "topic_from_reply",
    "topic_of",
]

DEFAULT_TEMPLATE = "{$topic}@{$date}_{$time}"
UNTITLED = "Untitled Chat"
_EMPTY_TEMPLATE = "{$date}_{$time}__{$topic}"
_LIMIT = 100
_LEAST_TOPIC = 20
_WORDS = 10
_LONGEST_TOPIC = 50
_QUOTES = ("'", '"')
_BLANKS = re.compile(f"[{SPACE}]+")
_ILLEGAL = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]')
_LEFT_OVER = re.compile(r'[{}\[\]\\/:*?"<>|\x00-\x1f\x7f]')
_LINK = re.compile(r"\[\[([^\]]*)\]\]")
_STAMP = r"\d{8}[_-]?\d{6}|\d{10,13}|\d{4}-\d{2}-\d{2}[T_ -]\d{2}[-_:.]?\d{2}[-_:.]?\d{2}(?:[.-]\d{3})?Z?"
_DOCUMENTED = re.compile(rf"(?:(?P<project>.+)-)?(?P<time>{_STAMP})-(?P<model>.+)-chat\Z", re.DOTALL)
_PREFIX = re.compile(r"(?P<prefix>.+?)__(?P<rest>.*)\Z", re.DOTALL)
_DATE = re.compile(r"\d{8}(?:_\d{6})?\Z")
_DATED = re.compile(r"(?P<topic>.+)@\d{8}_\d{6}\Z", re.DOTALL)


def topic_of(text: str) -> str:
    """The first words of the first thing that a person said, as the program makes a topic of them."""
    bare = re.sub(r"[{}\[\]]", "", _LINK.sub(lambda link: link[1], text))
    words = [word for word in _BLANKS.split(bare) if word]
    return _ILLEGAL.sub("", " ".join(words[:_WORDS])).strip(SPACE) or UNTITLED


def topic_from_reply(reply: str) -> str | None:
    """A topic that a model was asked for, as the program takes it; None when there is nothing left of it."""
    text = reply.strip(SPACE)
    text = text[1:] if text[:1] in _QUOTES else text
    text = text[:-1] if text[-1:] in _QUOTES else text
    return _ILLEGAL.sub("", text)[:_LONGEST_TOPIC] or None


def file_name(topic: str, milliseconds: int, zone: tzinfo | None, template: str = DEFAULT_TEMPLATE) -> str:
    """The name of a new file. Each variable is filled in once, wherever it stands first, character for character."""
    shown = display_time(milliseconds, zone)
    date, _, time = ("", "", "") if shown == UNKNOWN_TIME else shown.partition(" ")
    text = template or _EMPTY_TEMPLATE
    for name, value in (("{$date}", date.replace("/", "")), ("{$time}", time.replace(":", ""))):
        text = text.replace(name, value, 1)
    rest = len(text.replace("{$topic}", "", 1).encode("utf-8", "replace")) + len(".md")
    short = cut_bytes(_BLANKS.sub("_", topic), max(_LEAST_TOPIC, _LIMIT - rest))
    named = _LEFT_OVER.sub("_", text.replace("{$topic}", short, 1))
    return cut_bytes(named, _LIMIT - len(".md")) + ".md"


def fallback_name(milliseconds: int) -> str:
    """The name when a file system refuses the usual one."""
    return f"chat-{milliseconds}.md"


def cut_bytes(text: str, limit: int) -> str:
    """The longest beginning that fits in so many UTF-8 bytes, never half a character."""
    data = text.encode("utf-8", "replace")
    return data[:limit].decode("utf-8", "ignore") if len(data) > limit else text


class ChatName(msgspec.Struct, frozen=True, kw_only=True):
    """What a file's name says: whose it is, whether an agent wrote it, and a title."""

    project: str | None = None
    agent: bool = False
    title: str = ""


def parse_name(name: str, projects: Collection[str] | None = None) -> ChatName:
    """Read a name (without folders): ``project__…``, ``agent__…``, ``[project-]time-model-chat.md`` or any other.

    With ``projects`` given, only their ids count as a prefix; a date never does.
    """
    base = name.removesuffix(".md")
    documented = _DOCUMENTED.match(base)
    if documented:
        return ChatName(project=documented["project"], title=documented["model"])
    prefixed = _PREFIX.match(base)
    if prefixed and prefixed["prefix"] == "agent":
        return ChatName(agent=True, title=_title(prefixed["rest"]))
    if prefixed and _is_project(prefixed["prefix"], projects):
        return ChatName(project=prefixed["prefix"], title=_title(prefixed["rest"]))
    longer = next((one for one in projects or () if base.startswith(f"{one}__")), None)
    if longer is not None:
        return ChatName(project=longer, title=_title(base[len(longer) + 2 :]))
    dated = prefixed is not None and _DATE.match(prefixed["prefix"])
    return ChatName(title=_title(prefixed["rest"] if prefixed and dated else base))


def _is_project(prefix: str, projects: Collection[str] | None) -> bool:
    return prefix in projects if projects is not None else not _DATE.match(prefix)


def _title(base: str) -> str:
    dated = _DATED.match(base)
    return (dated["topic"] if dated else base).replace("_", " ").strip()


def belongs_to(
    name: str, keys: Mapping[str, Any], project: str | None, projects: Collection[str] | None = None
) -> bool:
    """Whether the history list of a project (None: of no project) shows this file.

    The front matter's ``projectId`` says whose it is; without one the file's name does.
    """
    owner = keys.get("projectId")
    named = str(owner) if owner not in (None, "") else parse_name(name, projects).project
    return named == project
