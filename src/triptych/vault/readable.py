"""The readable text of a page: by ``trafilatura`` where it is installed, else by a plain walk over the HTML.

Scripts, styles, navigation and forms are left out; headings and list items keep their marks.
"""

from __future__ import annotations

import importlib
import re
from html.parser import HTMLParser
from typing import Any

__all__ = ["readable_text", "title_of"]

_LEFT_OUT = frozenset(
    {"script", "style", "noscript", "template", "svg", "nav", "footer", "aside", "form", "head", "iframe"}
)
_BLOCKS = frozenset(
    {
        "p",
        "div",
        "section",
        "article",
        "main",
        "ul",
        "ol",
        "table",
        "tr",
        "blockquote",
        "pre",
        "header",
        "br",
        "figure",
        "dl",
        "dt",
        "dd",
    }
)
_HEADINGS = {f"h{rank}": "#" * rank + " " for rank in range(1, 7)}
_ARTICLE = 200
"""Characters below which an article finder has found no article; the plain walk keeps its headings."""

_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)


def readable_text(html: str) -> str:
    """What a person would read, as Markdown; empty when there is nothing."""
    try:
        trafilatura: Any = importlib.import_module("trafilatura")
    except ImportError:
        return _plain_text(html)
    try:
        found = trafilatura.extract(html, output_format="markdown", include_links=False, include_tables=True)
    except Exception:  # noqa: BLE001 # a parser of foreign text may raise anything; the plain walk does not
        found = None
    return found if found and len(found) >= _ARTICLE else _plain_text(html)


def title_of(html: str) -> str:
    """The title that the page gives itself."""
    found = _TITLE.search(html[:100_000])
    return " ".join(_unescaped(found[1]).split()) if found else ""


def _unescaped(text: str) -> str:
    return importlib.import_module("html").unescape(text)


def _plain_text(html: str) -> str:
    walker = _Walker()
    walker.feed(html)
    walker.close()
    lines = (" ".join(line.split()) for line in "".join(walker.pieces).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _Walker(HTMLParser):
    """Collects text; counts how deep it is inside of elements that are left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _LEFT_OUT:
            self.hidden.append(tag)
        elif tag in _HEADINGS:
            self.pieces.append("\n\n" + _HEADINGS[tag])
        elif tag == "li":
            self.pieces.append("\n- ")
        elif tag in _BLOCKS:
            self.pieces.append("\n" if tag in {"br", "tr"} else "\n\n")
        elif tag in {"td", "th"}:
            self.pieces.append(" ")
        del attrs

    def handle_endtag(self, tag: str) -> None:
        if tag in self.hidden:
            del self.hidden[self.hidden.index(tag) :]
        elif tag in _HEADINGS or tag in _BLOCKS:
            self.pieces.append("\n\n" if tag != "tr" else "\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.pieces.append(re.sub(r"\s+", " ", data))
