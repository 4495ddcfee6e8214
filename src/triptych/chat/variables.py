"""Prompt variables: words in braces that bring something along.

```
{[[note]]}          the note of that title or path, or the piece [[note#heading]], [[note#^block]]
{activeNote}        the note that the person is working in (any case)
{#tag} {#a, #b}     every note with the tag, or with one of them
{folder}            every note below that folder, when there is one
{}                  this message's own selection; without one, the note that the person is working in
```

A variable becomes a reference of the message: it is read when the message is sent, goes in once and fresh like
everything that is attached, and is kept with the message, so that nothing of it is lost when the message is edited
or loaded again. The words stay as they were typed. Braces that name nothing are only words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from triptych.chat.references import NoteFolder
from triptych.model.diagnostics import Diagnostic
from triptych.model.references import (
    FolderReference,
    NoteReference,
    Reference,
    SelectionReference,
    TagReference,
)

__all__ = ["variables_of"]

_VARIABLE = re.compile(r"\{([^{}\n]*)\}")
_LINK = re.compile(r"\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")

Found = tuple[list[Reference], list[Diagnostic]]


async def variables_of(
    text: str,
    vault: NoteFolder | None,
    *,
    active: str | None = None,
    attached: Sequence[Reference] = (),
) -> Found:
    """The references that the variables of a text stand for, each once, in order, and what could not be found."""
    references: list[Reference] = []
    found: list[Diagnostic] = []
    for match in _VARIABLE.finditer(text):
        named, noted = await _named(match[1].strip(), vault, active, attached)
        references.extend(one for one in named if one not in references)
        found.extend(noted)
    return references, found


async def _named(
    name: str, vault: NoteFolder | None, active: str | None, attached: Sequence[Reference]
) -> Found:
    link = _LINK.fullmatch(name)
    if link is not None:
        return await _note(link[1], vault)
    if name.lower() == "activenote":
        return _active(active)
    if not name:
        chosen = any(isinstance(one, SelectionReference) for one in attached)
        return ([], []) if chosen else _active(active)
    if name.startswith("#"):
        tags = (one.strip().lstrip("#") for one in name.split(","))
        return [TagReference(tag=tag) for tag in tags if tag], []
    return await _folder(name, vault)


def _active(active: str | None) -> Found:
    if active is None:
        problem = "No note is open, so there is nothing to take for it."
        return [], [Diagnostic(code="no_active_note", message=problem)]
    return [NoteReference(path=active, active=True)], []


async def _note(link: str, vault: NoteFolder | None) -> Found:
    target, _, piece = link.partition("#")
    path = None if vault is None else await vault.resolve(target.strip())
    if path is None:
        problem = f"There is no note {target.strip()!r}."
        return [], [Diagnostic(code="variable_unknown", message=problem, where=link)]
    block = piece.removeprefix("^") if piece.startswith("^") else None
    heading = piece if piece and block is None else None
    return [NoteReference(path=path, heading=heading, block=block)], []


async def _folder(name: str, vault: NoteFolder | None) -> Found:
    """Only a folder that is there: other words in braces are just words."""
    notes = [] if vault is None else (await vault.folder(name))[0]
    return ([FolderReference(path=name.strip("/"))], []) if notes and name != "/" else ([], [])
