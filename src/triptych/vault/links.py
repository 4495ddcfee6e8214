"""Which file a link means.

In this order: the exact path from the root of the vault; the path from the folder of the note that holds the
link; the only or nearest file whose path ends so (in the same folder first, then the least deep, then by name).
The extension ``.md`` may be left out; letter case and Unicode composition do not matter in the last step.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from posixpath import dirname, join, normpath

__all__ = ["LinkIndex", "link_target", "link_title"]


def link_target(link: str) -> str:
    """A link without brackets, alias, heading and block mark."""
    bare = link.strip().removeprefix("!").removeprefix("[[").removesuffix("]]")
    return bare.replace("\\|", "|").partition("|")[0].partition("#")[0].strip()


def link_title(path: str) -> str:
    """The name of a note: the last part of its path without ``.md``."""
    name = path.rpartition("/")[2]
    return name[:-3] if name.lower().endswith(".md") else name


class LinkIndex:
    """The files of a vault, ready to be linked to."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = set(paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            self._by_name[_folded(link_title(path))].append(path)
            if path.lower().endswith(".md"):
                self._by_name[_folded(path.rpartition("/")[2])].append(path)

    def resolve(self, link: str, source: str | None = None) -> str | None:
        """The path of the file that a link means, or None. A link to a heading alone means its own note."""
        target = link_target(link)
        if not target:
            return source if "#" in link else None
        here = dirname(source) if source else ""
        if target.startswith(("./", "../")):
            return self._exact(normpath(join(here, target)))
        target = target.lstrip("/")
        return self._exact(target) or self._exact(normpath(join(here, target))) or self._nearest(target, here)

    def _exact(self, path: str) -> str | None:
        return path if path in self._paths else (f"{path}.md" if f"{path}.md" in self._paths else None)

    def _nearest(self, target: str, here: str) -> str | None:
        ends = {f"/{_folded(target)}", f"/{_folded(target)}.md"}
        found = [
            path
            for path in self._by_name.get(_folded(target.rpartition("/")[2]), ())
            if any(f"/{_folded(path)}".endswith(end) for end in ends)
        ]
        return min(found, key=lambda path: (dirname(path) != here, path.count("/"), path), default=None)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
