"""Wrappers around injected text: stable, and escaped by construction.

A block is a tag with attributes and a body. Attribute values are escaped; in a body every ``</tag`` that would
close the block is broken, so that injected text cannot end its own wrapper. Nothing else of the text changes.

Not here: where a block goes (the places of this folder).
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["attributes", "block", "escape", "leaf"]

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def escape(value: Any) -> str:
    """A value for an attribute: quotes, angle brackets and ampersands escaped, line breaks as spaces."""
    return " ".join(str(value).split("\n")).translate(_ESCAPES)


def attributes(**named: Any) -> str:
    """The attributes that are not None, each behind a space; a trailing underscore in a name is left out."""
    return "".join(
        f' {name.rstrip("_")}="{escape(value)}"' for name, value in named.items() if value is not None
    )


def block(tag: str, body: str, **named: Any) -> str:
    """``<tag name="value">``, the body on lines of its own, ``</tag>``."""
    return f"<{tag}{attributes(**named)}>\n{_harmless(body, tag)}\n</{tag}>"


def leaf(tag: str, body: str = "", **named: Any) -> str:
    """A block on one line: ``<tag name="value">body</tag>``, or ``<tag … />`` without a body."""
    opened = f"<{tag}{attributes(**named)}"
    return f"{opened}>{_harmless(body, tag)}</{tag}>" if body else f"{opened} />"


def _harmless(body: str, tag: str) -> str:
    return re.sub(rf"</(?={re.escape(tag)}\b)", "<\\/", body) if "</" in body else body
