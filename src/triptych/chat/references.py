"""From what a person attached to what was read: references resolved to sources.

A reference that cannot be read becomes an error source, which the model sees, and a diagnostic, which the person
sees; the turn goes on.
"""

from __future__ import annotations

from collections.abc import Iterable

from triptych.context.envelope import Source
from triptych.context.envelope.sources import distinct
from triptych.model.diagnostics import Diagnostic
from triptych.model.references import NoteReference, Reference, SelectionReference, WebTabReference
from triptych.ports.vault import Vault

__all__ = ["resolve_references"]

Resolved = tuple[list[Source], list[Diagnostic]]


async def resolve_references(references: Iterable[Reference], vault: Vault | None) -> Resolved:
    """The sources of a turn, each key once, and what the person should know."""
    sources: list[Source] = []
    found: list[Diagnostic] = []
    for reference in references:
        read, noted = await _resolved(reference, vault)
        sources.extend(read)
        found.extend(noted)
    return distinct(sources), found


async def _resolved(reference: Reference, vault: Vault | None) -> Resolved:
    match reference:
        case NoteReference():
            return await _note(reference, vault)
        case SelectionReference():
            return [_selection(reference)], []
        case WebTabReference():
            return _web_tab(reference)
        case _:
            kind = reference.__struct_config__.tag
            return _unread(
                f"{kind}", f"A reference of the kind {kind!r} cannot be read here.", "reference_unread"
            )


async def _note(reference: NoteReference, vault: Vault | None) -> Resolved:
    if vault is None:
        return _unread(reference.path, "There is no folder of notes; start with --vault DIR.", "no_vault")
    note, noted = await vault.read(reference.path)
    if note is None:
        reason = noted[0].message if noted else "The note could not be read."
        sources, own = _unread(reference.path, reason, "note_unread")
        return sources, list(noted) or own
    source = Source(
        key=f"note:{note.info.path}",
        kind="note",
        title=note.info.title,
        body=note.body,
        facts=(("path", note.info.path),),
    )
    return [source], list(noted)


def _selection(reference: SelectionReference) -> Source:
    lines = (("start_line", reference.start_line), ("end_line", reference.end_line))
    facts = [("path", reference.path), ("url", reference.url), *lines]
    place = reference.path or reference.url or "selection"
    return Source(
        key=f"selection:{place}:{reference.start_line or 0}-{reference.end_line or 0}:{len(reference.text)}",
        kind="selection",
        title=reference.title or place,
        body=reference.text,
        facts=tuple((name, str(value)) for name, value in facts if value is not None),
        recoverable=False,
    )


def _web_tab(reference: WebTabReference) -> Resolved:
    if reference.text is None:
        return _unread(reference.url, "The page gave no text.", "web_tab_unread")
    source = Source(
        key=f"webTab:{reference.url}",
        kind="webTab",
        title=reference.title or reference.url,
        body=reference.text,
        facts=(("url", reference.url),),
        recoverable=False,
    )
    return [source], []


def _unread(name: str, reason: str, code: str) -> Resolved:
    source = Source(key=f"error:{name}", kind="error", title=name, body=reason, facts=(("path", name),))
    return [source], [Diagnostic(code=code, message=reason, where=name, severity="error")]
