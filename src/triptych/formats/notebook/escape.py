r"""Prose inside our Markdown: any text in, the same text out, and as little as possible to see of it.

Three things would be taken for structure or lost by an editor, and get a mark that is taken off again:

* a line that begins like one of ours gets one more backslash before it (``\## You``);
* ``<!--triptych`` anywhere gets one more backslash inside (``<!--\\triptych``);
* a carriage return is written ``&#13;``, and that very text with one more ``amp;``.

Blank lines around a block belong to the layout; a text that itself begins or ends with one has a backslash on it.
"""

from __future__ import annotations

import re

__all__ = ["HEADING", "ROLES", "escape_text", "escape_verbatim", "unescape_text", "unescape_verbatim"]

ROLES = {"You": "user", "Assistant": "assistant", "System": "system", "Tool": "tool"}
HEADING = re.compile(r"## (You|Assistant|System|Tool)(?: · [^\n]*)?[ \t]*\Z")
_RESERVED = re.compile(
    r"^(\\*)(?=## (?:You|Assistant|System|Tool)(?: · [^\n]*)?[ \t]*$|`{3,}triptych )", re.MULTILINE
)
_COMMENT = re.compile(r"<!--(\\*)triptych")
_RETURN = re.compile(r"\r|&((?:amp;)*)#13;")
_RETURNED = re.compile(r"&((?:amp;)*)#13;")
_BLANK = re.compile(r"\\*[ \t]*\Z")
_GUARDED = re.compile(r"\\+[ \t]*\Z")


def escape_verbatim(text: str) -> str:
    """Carriage returns only: for text inside a fence of its own."""
    return _RETURN.sub(lambda found: "&#13;" if found[1] is None else f"&amp;{found[1]}#13;", text)


def unescape_verbatim(text: str) -> str:
    """The inverse of ``escape_verbatim``."""
    return _RETURNED.sub(lambda found: f"&{found[1][4:]}#13;" if found[1] else "\r", text)


def escape_text(text: str) -> str:
    """A text as prose of the file; it has no blank line at either end, unless it is empty."""
    text = _COMMENT.sub(lambda found: f"<!--\\{found[1]}triptych", escape_verbatim(text))
    text = _RESERVED.sub(lambda found: f"\\{found[1]}", text)
    lines = text.split("\n")
    lines[0] = _guarded(lines[0])
    if len(lines) > 1:
        lines[-1] = _guarded(lines[-1])
    return "\n".join(lines)


def unescape_text(text: str) -> str:
    """The inverse of ``escape_text``; text that a person wrote without our escapes is taken as it is."""
    lines = text.split("\n")
    lines[0] = _bare(lines[0])
    if len(lines) > 1:
        lines[-1] = _bare(lines[-1])
    text = "\n".join(lines)
    text = _RESERVED.sub(lambda found: found[1][1:], text)
    text = _COMMENT.sub(lambda found: f"<!--{found[1][1:]}triptych", text)
    return unescape_verbatim(text)


def _guarded(line: str) -> str:
    return f"\\{line}" if _BLANK.match(line) else line


def _bare(line: str) -> str:
    return line[1:] if _GUARDED.match(line) else line
