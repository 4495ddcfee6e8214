"""The context line: five lists without escapes. Written as the program writes them, read with care.

A list item may hold the very separators, so reading uses what an item has to look like: a note's path has an
extension (an old file has bare names), an address has a scheme. What stays open is kept whole and reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from triptych.model import references as r
from triptych.model.diagnostics import Diagnostic

__all__ = ["context_of", "parse_context"]

_LABEL = re.compile(r"([A-Z][A-Za-z]*(?: [A-Z][a-z]+)?):(?: |\Z)")
_PATH = re.compile(r"\.(?:md|canvas|pdf|base|excalidraw)\Z", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def context_of(references: Iterable[r.Reference]) -> str | None:
    """The value of the line; None when there is nothing that it can hold."""
    lists: dict[str, list[str]] = {"Notes": [], "URLs": [], "Web Tabs": [], "Tags": [], "Folders": []}
    for reference in references:
        match reference:
            case r.NoteReference(path=path) | r.PdfReference(path=path) | r.CanvasReference(path=path):
                lists["Notes"].append(path)
            case r.UrlReference(url=url):
                lists["URLs"].append(url)
            case r.WebTabReference(url=url):
                lists["Web Tabs"].append(url)
            case r.TagReference(tag=tag):
                lists["Tags"].append(tag if "/" in tag or tag.startswith("#") else f"#{tag}")
            case r.FolderReference(path=path):
                lists["Folders"].append(path)
            case _:
                pass
    shown = [f"{label}: {', '.join(items)}" for label, items in lists.items() if items]
    return " | ".join(shown) if shown else None


def parse_context(value: str, notes: Collection[str] = ()) -> tuple[list[r.Reference], list[Diagnostic]]:
    """The references that a line names. ``notes`` are the vault's paths, to tell names that look alike."""
    found: list[Diagnostic] = []
    references: list[r.Reference] = []
    if "]" in value:
        found.append(_ambiguous("A bracket stands inside the context line."))
    for label, text in _parts(value):
        items = text.split(", ") if text.strip() else []
        if label == "Notes":
            references += _notes(items, notes, found)
        elif label == "URLs":
            references += [r.UrlReference(url=url) for url in _joined(items, _ADDRESS.match, found)]
        elif label in {"Web Tabs", "WebTabs"}:
            references += [r.WebTabReference(url=url) for url in _joined(items, _ADDRESS.match, found)]
        elif label == "Tags":
            references += [r.TagReference(tag=item) for item in items]
        elif label == "Folders":
            references += [r.FolderReference(path=item) for item in items]
        else:
            found.append(
                _problem("W_UNKNOWN_PART", "A list of an unknown kind was left in the raw text.", label)
            )
    return references, found


def _parts(value: str) -> list[tuple[str, str]]:
    """Label and text of each list; a separator that no label follows belongs to the text before it."""
    parts: list[tuple[str, str]] = []
    for piece in value.split(" | "):
        label = _LABEL.match(piece)
        if label:
            parts.append((label[1], piece[label.end() :]))
        elif parts:
            parts[-1] = (parts[-1][0], f"{parts[-1][1]} | {piece}")
        elif piece.strip():
            parts.append(("", piece))
    return parts


def _notes(items: list[str], notes: Collection[str], found: list[Diagnostic]) -> list[r.Reference]:
    old = not any(_PATH.search(item) for item in items)
    paths = items if old else _known_or_joined(items, notes, found)
    return [_note(path, notes, found) for path in paths if path.strip()]


def _known_or_joined(items: list[str], notes: Collection[str], found: list[Diagnostic]) -> list[str]:
    """Paths from pieces: the shortest run that the vault knows, else the shortest that ends like a file."""
    paths: list[str] = []
    place = 0
    while place < len(items):
        end = _run(items, place, notes)
        if end - place > 1 and ", ".join(items[place:end]) not in notes:
            found.append(_ambiguous("A comma stands inside a note's name, or a name lacks its extension."))
        paths.append(", ".join(items[place:end]))
        place = end
    return paths


def _run(items: list[str], place: int, notes: Collection[str]) -> int:
    ends = range(place + 1, min(place + 20, len(items)) + 1)
    known = (end for end in ends if ", ".join(items[place:end]) in notes)
    alike = (end for end in ends if _PATH.search(items[end - 1]))
    return next(known, 0) or next(alike, place + 1)


def _note(path: str, notes: Collection[str], found: list[Diagnostic]) -> r.Reference:
    if path.lower().endswith(".pdf"):
        return r.PdfReference(path=path)
    if path.lower().endswith(".canvas"):
        return r.CanvasReference(path=path)
    if not notes or path in notes:
        return r.NoteReference(path=path)
    named = [note for note in notes if note.rpartition("/")[2].removesuffix(".md") == path]
    if len(named) == 1:
        return r.NoteReference(path=named[0])
    why = "Several notes have this name." if named else "No note has this name any more."
    found.append(_problem("W_UNRESOLVED_REFERENCE", why, path))
    return r.NoteReference(path=path)


def _joined(items: list[str], starts: Callable[[str], object], found: list[Diagnostic]) -> list[str]:
    """Items of which each has to start in a certain way; others continue the one before."""
    joined: list[str] = []
    for item in items:
        if joined and not starts(item):
            joined[-1] += f", {item}"
            found.append(_ambiguous("A comma stands inside an address."))
        else:
            joined.append(item)
    return joined


def _ambiguous(message: str) -> Diagnostic:
    return _problem("W_CONTEXT_AMBIGUOUS", message)


def _problem(code: str, message: str, where: str | None = None) -> Diagnostic:
    return Diagnostic(code=code, message=message, where=where)
