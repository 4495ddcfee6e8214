"""From what a person attached to what was read: references resolved to sources.

A reference that cannot be read becomes an error source, which the model sees, and a diagnostic, which the person
sees; the turn goes on. A folder or a tag reports what was found in it and what was left out, and why.

Not here: images (``chat.media``), and how a source is written into the prompt (``context.envelope``).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol

import msgspec

from triptych.context.envelope import Source
from triptych.context.envelope.sources import SourceKind, distinct
from triptych.model.diagnostics import Diagnostic, Severity
from triptych.model.digest import digest_text
from triptych.model.ids import ConversationId, MessageId
from triptych.model.references import (
    CanvasReference,
    ConversationReference,
    FolderReference,
    ImageReference,
    NoteReference,
    PdfReference,
    Reference,
    SearchReference,
    SelectionReference,
    TagReference,
    UrlReference,
    WebTabReference,
)
from triptych.ports.pages import Pages
from triptych.ports.search import Search
from triptych.ports.vault import Note, NoteInfo, Vault, VaultQueries

__all__ = ["NoteFolder", "Reach", "resolve_references"]

Resolved = tuple[list[Source], list[Diagnostic]]

MOST_NOTES = 200
"""Notes of one folder or tag that come along at most."""

MOST_EMBEDDED = 20_000
"""Characters of an embedded note that come along at most; a drawing in text form is far longer."""

SEARCH_HITS = 6

_PACKED = re.compile(r"[A-Za-z0-9+/=]{60,}")


class NoteFolder(Vault, VaultQueries, Protocol):
    """A folder of notes with its queries."""


Transcript = Callable[[ConversationId, MessageId | None], Awaitable[tuple[str, str] | None]]
Listing = Callable[[NoteFolder], Awaitable[tuple[list[NoteInfo], tuple[Diagnostic, ...]]]]


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn can read: each is None where there is no such thing.

    ``transcript`` gives title and text of another conversation of the same project, or None. ``within`` and
    ``without`` are the project's patterns of the notes that are searched.
    """

    vault: NoteFolder | None = None
    pages: Pages | None = None
    search: Search | None = None
    transcript: Transcript | None = None
    within: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


async def resolve_references(references: Iterable[Reference], reach: Reach) -> Resolved:
    """The sources of a turn, each key once, and what the person should know."""
    sources: list[Source] = []
    found: list[Diagnostic] = []
    for reference in references:
        read, noted = await _resolved(reference, reach)
        sources.extend(read)
        found.extend(noted)
    return distinct(sources), found


async def _resolved(reference: Reference, reach: Reach) -> Resolved:
    match reference:
        case NoteReference():
            return await _note(reference, reach.vault)
        case FolderReference(path=path):
            return await _many(path or "/", reach.vault, lambda vault: vault.folder(path))
        case TagReference(tag=tag):
            return await _many(f"#{tag.lstrip('#')}", reach.vault, lambda vault: vault.tagged(tag))
        case PdfReference(path=path):
            return await _file(path, "pdf", reach.vault)
        case CanvasReference(path=path):
            return await _file(path, "canvas", reach.vault)
        case SelectionReference():
            return [_selection(reference)], []
        case WebTabReference():
            return _web_tab(reference)
        case UrlReference(url=url):
            return await _page(url, reach.pages)
        case SearchReference(query=query):
            return await _hits(query, reach)
        case ConversationReference():
            return await _conversation(reference, reach)
        case ImageReference():
            return [], []


async def _note(reference: NoteReference, vault: NoteFolder | None) -> Resolved:
    if vault is None:
        return _no_vault(reference.path)
    path = await vault.resolve(reference.path) or reference.path
    note, noted = await vault.read(path)
    if note is None:
        return _unread(path, noted, "The note could not be read.")
    body, missing = await _piece(reference, vault, path, note.body)
    if body is None:
        return _unread(f"{path}{_mark(reference)}", missing, "There is no such piece of the note.")
    whole = _note_source(note, body, _mark(reference), reference)
    embedded, told = await _embedded(note, vault)
    return [whole, *embedded], [*noted, *told]


def _mark(reference: NoteReference) -> str:
    if reference.block is not None:
        return f"#^{reference.block.removeprefix('^')}"
    return f"#{reference.heading}" if reference.heading is not None else ""


async def _piece(
    reference: NoteReference, vault: NoteFolder, path: str, body: str
) -> tuple[str | None, tuple[Diagnostic, ...]]:
    if reference.block is not None:
        return await vault.block(path, reference.block)
    if reference.heading is not None:
        return await vault.heading(path, reference.heading)
    return body, ()


def _note_source(note: Note, body: str, mark: str, reference: NoteReference) -> Source:
    facts = [("path", f"{note.info.path}{mark}")]
    facts += [("active", "true")] if reference.active else []
    facts += [("embedded_in", reference.embedded_in)] if reference.embedded_in is not None else []
    kind: SourceKind = "note"
    return Source(
        key=f"note:{note.info.path}{mark}", kind=kind, title=note.info.title, body=body, facts=tuple(facts)
    )


async def _embedded(note: Note, vault: NoteFolder) -> Resolved:
    """The notes that a note embeds, one level deep, each as a source of its own."""
    sources: list[Source] = []
    found: list[Diagnostic] = []
    for embed in note.embeds:
        target, heading, block = _target(embed.link)
        path = await vault.resolve(target, note.info.path)
        if path is None:
            found.append(_told("embed_missing", f"There is no file for ![[{embed.link}]].", note.info.path))
            continue
        if path == note.info.path or not path.endswith(".md"):
            continue
        inner, problems = await vault.read(path)
        if inner is None:
            found.extend(problems)
            continue
        reference = NoteReference(path=path, heading=heading, block=block, embedded_in=note.info.path)
        body, _ = await _piece(reference, vault, path, inner.body)
        if body is None:
            found.append(_told("embed_missing", f"{path} has no {_mark(reference)}.", note.info.path))
        elif len(body) > MOST_EMBEDDED:
            found.append(_told("embed_skipped", f"The embedded {path} is too long ({len(body)}).", path))
        elif _is_packed(body):
            found.append(_told("embed_skipped", f"The embedded {path} holds packed data, not text.", path))
        else:
            sources.append(_note_source(inner, body, _mark(reference), reference))
    return sources, found


def _is_packed(body: str) -> bool:
    """Whether most of a note is letters and digits without a space, as in a drawing that is kept as a note."""
    return 2 * sum(len(run) for run in _PACKED.findall(body)) > len(body)


def _target(link: str) -> tuple[str, str | None, str | None]:
    """``note#heading`` or ``note#^block``, taken apart."""
    target, _, piece = link.partition("#")
    if piece.startswith("^"):
        return target, None, piece[1:]
    return target, piece or None, None


async def _many(name: str, vault: NoteFolder | None, listed: Listing) -> Resolved:
    """Every note of a folder or with a tag, with a report of what came along."""
    if vault is None:
        return _no_vault(name)
    infos, noted = await listed(vault)
    sources: list[Source] = []
    skipped: list[dict[str, str]] = []
    for info in infos[:MOST_NOTES]:
        note, problems = await vault.read(info.path)
        if note is None:
            skipped.append({"path": info.path, "reason": problems[0].message if problems else "unreadable"})
        else:
            sources.append(_note_source(note, note.body, "", NoteReference(path=info.path)))
    skipped += [{"path": info.path, "reason": "over the limit"} for info in infos[MOST_NOTES:]]
    if not infos:
        return _unread(name, noted, f"There are no notes in {name}.")
    return sources, [*noted, _report(name, len(infos), len(sources), skipped)]


def _report(name: str, found: int, included: int, skipped: Sequence[dict[str, str]]) -> Diagnostic:
    """Found, included, and what was skipped and why; of very many skipped ones the first are named."""
    left = f", {len(skipped)} left out" if skipped else ""
    return Diagnostic(
        code="notes_included",
        message=f"{name}: {found} notes found, {included} included{left}.",
        severity="warning" if skipped else "info",
        where=name,
        detail={"found": found, "included": included, "skipped": list(skipped[:MOST_NOTES])},
    )


async def _file(path: str, kind: SourceKind, vault: NoteFolder | None) -> Resolved:
    if vault is None:
        return _no_vault(path)
    note, noted = await vault.read(path)
    if note is None:
        return _unread(path, noted, "The file could not be read.")
    source = Source(
        key=f"{kind}:{path}", kind=kind, title=note.info.title, body=note.body, facts=(("path", path),)
    )
    return [source], list(noted)


def _selection(reference: SelectionReference) -> Source:
    lines = (("start_line", reference.start_line), ("end_line", reference.end_line))
    facts = [("path", reference.path), ("url", reference.url), *lines]
    place = reference.path or reference.url or "selection"
    return Source(
        key=f"selection:{place}:{digest_text(reference.text).removeprefix('b2:')[:16]}",
        kind="selection",
        title=reference.title or place,
        body=reference.text,
        facts=tuple((name, str(value)) for name, value in facts if value is not None),
        recoverable=False,
    )


def _web_tab(reference: WebTabReference) -> Resolved:
    if reference.text is None:
        return _unread(reference.url, (), "The page gave no text.")
    facts = (("url", reference.url), *((("active", "true"),) if reference.active else ()))
    source = Source(
        key=f"webTab:{reference.url}",
        kind="webTab",
        title=reference.title or reference.url,
        body=reference.text,
        facts=facts,
        recoverable=False,
    )
    return [source], []


async def _page(url: str, pages: Pages | None) -> Resolved:
    if pages is None:
        return _unread(url, (), "Pages of the web are not read here.")
    page, noted = await pages.fetch(url)
    if page is None:
        return _unread(url, noted, "The page could not be read.")
    source = Source(
        key=f"url:{url}", kind="url", title=page.title or url, body=page.text, facts=(("url", url),)
    )
    return [source], list(noted)


async def _hits(query: str, reach: Reach) -> Resolved:
    if reach.search is None:
        return _unread(query, (), "The notes are not indexed; start with --vault DIR.")
    hits = await reach.search.query(query, limit=SEARCH_HITS, within=reach.within, without=reach.without)
    if not hits:
        return [], [
            _told("nothing_found", f"Nothing in the notes was found for {query!r}.", query, "warning")
        ]
    sources = [
        Source(
            key=f"search:{hit.path}:{hit.start_line}-{hit.end_line}",
            kind="search",
            title=hit.title,
            body=hit.text,
            facts=(("path", hit.path), ("start_line", str(hit.start_line)), ("end_line", str(hit.end_line))),
        )
        for hit in hits
    ]
    return sources, [_told("search_included", f"{len(sources)} passages were found for {query!r}.", query)]


async def _conversation(reference: ConversationReference, reach: Reach) -> Resolved:
    told = reach.transcript
    shown = None if told is None else await told(reference.conversation_id, reference.message_id)
    if shown is None:
        return _unread(reference.conversation_id, (), "There is no such conversation in this project.")
    title, text = shown
    source = Source(
        key=f"conversation:{reference.conversation_id}:{reference.message_id or ''}",
        kind="conversation",
        title=title,
        body=text,
    )
    return [source], []


def _no_vault(name: str) -> Resolved:
    return _unread(name, (), "There is no folder of notes; start with --vault DIR.")


def _unread(name: str, noted: Sequence[Diagnostic], otherwise: str) -> Resolved:
    reason = noted[0].message if noted else otherwise
    source = Source(key=f"error:{name}", kind="error", title=name, body=reason, facts=(("path", name),))
    return [source], list(noted) or [_told("reference_unread", reason, name, "error")]


def _told(code: str, message: str, where: str, severity: Severity = "info") -> Diagnostic:
    return Diagnostic(code=code, message=message, where=where, severity=severity)
