"""The YAML block at the top of a Markdown file: found, read, and changed key by key.

A change touches the lines of its own key only: other people's keys, comments, order, quoting and line ends stay
as they are. Line ends may be LF or CRLF and a byte order mark may stand before the block; a block that is never
closed is text. Not here: what any key means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec
import yaml

from triptych.model.diagnostics import Diagnostic
from triptych.model.foreign import clean_text

__all__ = ["FrontMatter", "quoted", "read_keys", "render_front_matter", "set_keys", "split_front_matter"]

_FENCE = re.compile(r"---[ \t]*(\r\n|\n)")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\Z)", re.MULTILINE)
_KEY = re.compile(
    r"""^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s#'"&*!|>%@`{\[\-?:,][^:\r\n]*?|-[^\s][^:\r\n]*?))\s*:(?=\s|$)"""
)
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_LONGEST = 1 << 18
"""Characters of front matter that are read as YAML; a longer block is somebody's text."""


class _Loader(yaml.SafeLoader):
    """YAML without aliases: a few lines of them can stand for gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


class FrontMatter(msgspec.Struct, frozen=True):
    """The block as it stands: ``opening`` (with a BOM, if any), its lines with their ends, and ``closing``."""

    opening: str
    lines: tuple[str, ...]
    closing: str


def split_front_matter(text: str) -> tuple[FrontMatter | None, str]:
    """The front matter and the rest; together they are the text, character for character."""
    start = 1 if text.startswith("\ufeff") else 0
    opened = _FENCE.match(text, start)
    closed = _CLOSE.search(text, opened.end()) if opened else None
    if opened is None or closed is None or closed.start() - opened.end() > _LONGEST:
        return None, text
    inner = text[opened.end() : closed.start()]
    lines = tuple(re.findall(r"[^\n]*\n|[^\n]+", inner))
    return FrontMatter(text[: opened.end()], lines, text[closed.start() : closed.end()]), text[closed.end() :]


def render_front_matter(front: FrontMatter) -> str:
    """The block as text."""
    return front.opening + "".join(front.lines) + front.closing


def read_keys(front: FrontMatter) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """The keys as plain JSON values. What YAML cannot read is read line by line, and said."""
    text = "".join(front.lines)
    try:
        value = yaml.load(text, _Loader)  # noqa: S506 - a safe loader that also refuses aliases
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError, KeyError):
        problem = Diagnostic(
            code="bad_front_matter", message="The front matter is no YAML; its plain lines were read."
        )
        return _plain_lines(front), (problem,)
    if value is None:
        return {}, ()
    if not isinstance(value, dict):
        return {}, (Diagnostic(code="bad_front_matter", message="The front matter is no list of keys."),)
    return {clean_text(str(key)): _plain(item) for key, item in value.items()}, ()


def set_keys(front: FrontMatter, values: Mapping[str, str | None]) -> FrontMatter:
    """The block with these keys set to ready YAML texts (None removes one); new ones go to the end."""
    end = "\r\n" if front.opening.endswith("\r\n") else "\n"
    left = dict(values)
    lines: list[str] = []
    dropping = False
    for line in front.lines:
        key = _key_of(line)
        if key is None:
            if not dropping or not _continues(line):
                dropping = False
                lines.append(line)
            continue
        dropping = key in values
        if not dropping:
            lines.append(line)
        elif (value := left.pop(key, None)) is not None:
            lines.append(f"{key}: {value}{end}")
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += end
    lines += [f"{key}: {value}{end}" for key, value in left.items() if value is not None]
    return FrontMatter(front.opening, tuple(lines), front.closing)


def quoted(text: str) -> str:
    """A YAML double-quoted scalar: what JSON writes, with the characters escaped that YAML refuses."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _key_of(line: str) -> str | None:
    found = _KEY.match(line)
    return next((group for group in found.groups() if group is not None), None) if found else None


def _continues(line: str) -> bool:
    """Whether a line belongs to the value of the key above it: indented, or an item of its list."""
    return line[:1] in " \t" or line.startswith("- ") or line.rstrip("\r\n") == "-"


def _plain_lines(front: FrontMatter) -> dict[str, Any]:
    """The values that stand on the line of their key."""
    keys: dict[str, Any] = {}
    for line in front.lines:
        key = _key_of(line)
        if key is not None:
            keys[clean_text(key)] = _scalar(clean_text(line).partition(":")[2].strip())
    return keys


def _scalar(text: str) -> str:
    if text.startswith('"') and text.endswith('"'):
        try:
            return clean_text(str(json.loads(text)))
        except (ValueError, RecursionError):
            return text.strip('"')
    return text.strip("'")


def _plain(value: Any) -> Any:
    """Dates and other YAML scalars as text; YAML's own nesting limit bounds the depth."""
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    try:
        return json.loads(json.dumps(value, default=str))
    except (ValueError, RecursionError, TypeError):
        return clean_text(str(value)[:1000])
