"""Projects as things: instructions, model, parameters, and context of their own.

A project stands in the store, or in the vault as a note named ``project.md``: its front matter holds ``id``, ``name``,
``model``, ``layout``, ``include``, ``exclude``, ``urls`` and ``parameters``, its body the instructions. The nearest one above a
file is the project of that file. The keys that Copilot for Obsidian writes (``copilot-project-id`` …) are read too.

What a project brings stands in L1, behind the general instructions and before anything that changes: it is listed,
counted in the budget like everything else, and edited only when the person edits the project or its notes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import msgspec

from triptych.chat.references import NoteFolder, Reach, resolve_references
from triptych.context.envelope import Layout, Source
from triptych.context.envelope.held import LAYOUTS
from triptych.model.conversations import Project
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import ProjectId
from triptych.model.references import NoteReference, UrlReference
from triptych.ports.vault import Note

__all__ = [
    "PROJECT_NOTE",
    "ProjectContext",
    "layout_of",
    "nearest_project",
    "project_context",
    "project_of_note",
]

PROJECT_NOTE = "project.md"


class ProjectContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a project adds to L1: its instructions, then its sources; and what the person should know."""

    text: str = ""
    sources: tuple[Source, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def project_of_note(note: Note) -> Project:
    """The project that a ``project.md`` describes; whatever has another shape is left out."""
    facts = _foreign(note.front_matter) | dict(note.front_matter)
    folder = str(PurePosixPath(note.info.path).parent)
    name = _text(facts.get("name")) or PurePosixPath(folder).name or "vault"
    include, layout = _texts(facts.get("include")), _text(facts.get("layout"))
    return Project(
        id=ProjectId(_text(facts.get("id")) or f"vault:{folder}"),
        name=name,
        instructions=note.body.strip(),
        model=_text(facts.get("model")),
        include=include,
        exclude=_texts(facts.get("exclude")),
        urls=_texts(facts.get("urls")),
        parameters=_mapping(facts.get("parameters")),
        extra={"note": note.info.path, **({"layout": layout} if layout is not None else {})},
    )


def layout_of(project: Project | None, otherwise: Layout) -> Layout:
    """The layout that a project asks for; without one, or with one that there is not, the other."""
    asked = (project.extra or {}).get("layout") if project is not None else None
    return asked if asked in LAYOUTS else otherwise


_FOREIGN = "copilot-project-"


def _foreign(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The documented keys of another program in our words; its patterns are one encoded text with commas."""
    theirs = {key.removeprefix(_FOREIGN): value for key, value in facts.items() if key.startswith(_FOREIGN)}
    urls = [*_lines(theirs.get("web-urls")), *_lines(theirs.get("youtube-urls"))]
    numbers = {"temperature": theirs.get("temperature"), "max_tokens": theirs.get("max-tokens")}
    return {
        "id": theirs.get("id"),
        "name": theirs.get("name"),
        "model": theirs.get("model-key"),
        "include": [unquote(one) for one in str(theirs.get("inclusions") or "").split(",")],
        "exclude": [unquote(one) for one in str(theirs.get("exclusions") or "").split(",")],
        "urls": urls,
        "parameters": {key: one for key, value in numbers.items() if (one := _number(value)) is not None},
    }


def _lines(value: Any) -> list[Any]:
    return value if isinstance(value, list) else value.splitlines() if isinstance(value, str) else []


def _number(value: Any) -> float | int | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() else number


def _text(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) and value.strip() else None


def _texts(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(one.strip() for one in values if isinstance(one, str) and one.strip())


def _mapping(value: Any) -> dict[str, Any] | None:
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) and value else None


async def nearest_project(vault: NoteFolder, path: str) -> Project | None:
    """The project whose ``project.md`` is in the folder of a file, or nearest above it; None when there is none."""
    for folder in PurePosixPath(path).parents:
        note, _ = await vault.read(str(folder / PROJECT_NOTE))
        if note is not None:
            return project_of_note(note)
    return None


async def project_context(project: Project | None, reach: Reach) -> ProjectContext:
    """The project's instructions and sources for L1. The default project adds nothing of its own."""
    if project is None:
        return ProjectContext()
    sources, found = await _sources(project, reach)
    found += _unknown_layout(project)
    return ProjectContext(text=project.instructions or "", sources=tuple(sources), diagnostics=tuple(found))


def _unknown_layout(project: Project) -> list[Diagnostic]:
    asked = (project.extra or {}).get("layout")
    if asked is None or asked in LAYOUTS:
        return []
    message = f"The project asks for the layout {asked!r}; there are {' and '.join(LAYOUTS)}."
    return [Diagnostic(code="layout_unknown", message=message, where=str(asked))]


async def _sources(project: Project, reach: Reach) -> tuple[list[Source], list[Diagnostic]]:
    paths, unmatched = await _selected(project, reach.vault)
    references = [
        *(NoteReference(path=path) for path in paths),
        *(UrlReference(url=url) for url in project.urls),
    ]
    sources, found = await resolve_references(references, reach)
    told = [
        Diagnostic(
            code="pattern_unmatched",
            message=f"The project includes {one!r}, but nothing matches it.",
            where=one,
        )
        for one in unmatched
    ]
    return sources, [*told, *found]


async def _selected(project: Project, vault: NoteFolder | None) -> tuple[Sequence[str], Sequence[str]]:
    if not project.include:
        return (), ()
    if vault is None:
        return (), project.include
    selection = await vault.select(project.include, project.exclude)
    return [info.path for info in selection.included if info.path.endswith(".md")], selection.unmatched
