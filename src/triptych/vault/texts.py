"""Text out of bytes: notes in any usual encoding, canvas files, PDFs. What cannot be read is a diagnostic."""

from __future__ import annotations

import codecs
import importlib
import io
import json
import re
import unicodedata
from typing import Any

from triptych.model.diagnostics import Diagnostic
from triptych.model.signatures import media_type_of
from triptych.vault.files import problem

__all__ = ["decode_text", "render_canvas", "render_pdf"]

Read = tuple[str | None, tuple[Diagnostic, ...]]

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_BINARY = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"})
_CONTROL = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_MOST_PAGES = 2_000
_FAR = 1e12


def decode_text(data: bytes, where: str) -> Read:
    """The text of a note. Without a byte order mark it is UTF-8, or else Windows-1252 with a diagnostic.

    A text with NUL bytes in it (a crash leaves them, and UTF-16 without a mark) is read without them.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), ()
    if media_type_of(data) in _BINARY:
        return None, (problem("note_binary", "The file is no text.", where),)
    if b"\0" in data:
        return _without_nul(data, where)
    try:
        return data.decode(), ()
    except UnicodeDecodeError:
        guessed = Diagnostic(
            code="encoding_guessed",
            message="The note is not UTF-8; it was read as Windows-1252.",
            where=where,
        )
        return data.decode("cp1252", "replace"), (guessed,)


def _without_nul(data: bytes, where: str) -> Read:
    """Text has no other control characters, and there is something left of it; anything else is binary."""
    try:
        text = data.replace(b"\0", b"").decode()
    except UnicodeDecodeError:
        text = ""
    if not text or _CONTROL.search(text):
        return None, (problem("note_binary", "The file is no text.", where),)
    message = "The note holds NUL bytes; it was read without them."
    return text, (Diagnostic(code="nul_left_out", message=message, where=where),)


def render_canvas(text: str, where: str) -> Read:
    """A JSON Canvas as text: each group with what lies in it, then the rest, then what is joined to what."""
    try:
        canvas = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return None, (problem("canvas_unreadable", "The canvas is no JSON.", where),)
    if not isinstance(canvas, dict):
        return None, (problem("canvas_unreadable", "The canvas is no JSON object.", where),)
    nodes = [node for node in _list(canvas, "nodes") if node.get("type") != "group"]
    groups = [node for node in _list(canvas, "nodes") if node.get("type") == "group"]
    lines: list[str] = []
    for group in groups:
        inside = [node for node in nodes if _holds(group, node)]
        nodes = [node for node in nodes if node not in inside]
        lines += [f"## {_text(group, 'label') or 'Group'}", *(_card(node) for node in inside)]
    if nodes and groups:
        lines.append("## Outside of groups")
    lines += [_card(node) for node in nodes]
    edges = _edges(canvas)
    return "\n\n".join([*lines, *(["## Connections\n\n" + "\n".join(edges)] if edges else [])]), ()


def _list(canvas: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = canvas.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(node: dict[str, Any], name: str) -> str:
    value = node.get(name)
    return value.strip() if isinstance(value, str) else ""


def _holds(group: dict[str, Any], node: dict[str, Any]) -> bool:
    """Whether the centre of a node lies in the rectangle of a group."""
    left, top, width, height = (_number(group, name) for name in ("x", "y", "width", "height"))
    across = _number(node, "x") + _number(node, "width") / 2
    down = _number(node, "y") + _number(node, "height") / 2
    return left <= across <= left + width and top <= down <= top + height


def _number(node: dict[str, Any], name: str) -> float:
    value = node.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    return max(-_FAR, min(value, _FAR)) if value == value else 0.0  # noqa: PLR0124 # NaN is nowhere


def _card(node: dict[str, Any]) -> str:
    match node.get("type"):
        case "file":
            return f"![[{_text(node, 'file')}{_text(node, 'subpath')}]]"
        case "link":
            return f"<{_text(node, 'url')}>"
        case _:
            return _text(node, "text")


def _edges(canvas: dict[str, Any]) -> list[str]:
    names = {_text(node, "id"): _name(node) for node in _list(canvas, "nodes")}
    found: list[str] = []
    for edge in _list(canvas, "edges"):
        start, end = names.get(_text(edge, "fromNode")), names.get(_text(edge, "toNode"))
        if start is not None and end is not None:
            label = _text(edge, "label")
            found.append(f"- {start} → {end}" + (f": {label}" if label else ""))
    return found


def _name(node: dict[str, Any]) -> str:
    whole = _text(node, "file") or _text(node, "label") or _text(node, "url") or _text(node, "text")
    first = whole.split("\n", 1)[0].strip()
    return first if len(first) <= 60 else first[:59] + "…"


def render_pdf(data: bytes, where: str) -> Read:
    """The text of a PDF, a mark before each page. Needs the package ``pypdf``."""
    try:
        pypdf = importlib.import_module("pypdf")
    except ImportError:
        hint = "Reading a PDF needs one more package: pip install 'triptych[pdf]'."
        return None, (problem("pdf_needs_package", hint, where),)
    try:
        pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages[:_MOST_PAGES]]
    except Exception as reason:  # noqa: BLE001 # a parser of foreign bytes may raise anything
        told = problem("pdf_unreadable", f"The PDF cannot be read: {type(reason).__name__}.", where)
        return None, (told,)
    texts = [_cleaned(text) for text in pages]
    if not any(texts):
        return None, (problem("pdf_without_text", "The PDF holds pictures of pages, but no text.", where),)
    return "\n\n".join(f"[page {number}]\n{text}" for number, text in enumerate(texts, 1) if text), ()


def _cleaned(text: str) -> str:
    """Ligatures as letters, missing glyphs left out."""
    return unicodedata.normalize("NFKC", text.replace("\0", "")).strip()
