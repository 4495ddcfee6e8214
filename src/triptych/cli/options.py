"""Options that several commands share, and how a command enters the async world."""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from triptych.errors import UsageError

__all__ = [
    "BaseUrl",
    "Chats",
    "Data",
    "Json",
    "Layout",
    "Model",
    "Project",
    "VaultFolder",
    "existing_project",
    "known_project",
    "own_version",
    "run_async",
]

T = TypeVar("T")

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Where the database lies; default: the user's data folder, or TRIPTYCH_DATA.",
    ),
]
Chats = Annotated[
    Path | None,
    typer.Option("--chats", metavar="DIR", help="Keep each conversation as Markdown in this folder too."),
]
Layout = Annotated[
    str | None,
    typer.Option(
        "--layout", metavar="NAME", help="Where notes stand in the prompt: append (default) or library."
    ),
]
VaultFolder = Annotated[Path | None, typer.Option("--vault", metavar="DIR", help="The folder of notes.")]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="PROVIDER:NAME", help="The model that answers; default: local."),
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible server to talk to.")
]
Project = Annotated[str, typer.Option("--project", metavar="ID", help="The project to work in.")]
Json = Annotated[bool, typer.Option("--json", help="One line of JSON on stdout, nothing on stderr.")]


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; the terminal is the only synchronous edge. Of tasks that failed together the first is told."""
    try:
        return asyncio.run(work)
    except BaseExceptionGroup as group:
        raise _first_of(group) from group


def _first_of(problem: BaseException) -> BaseException:
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return problem


def own_version() -> str:
    """The version that is installed; 0 for a tree that is not."""
    try:
        return importlib.metadata.version("triptych")
    except importlib.metadata.PackageNotFoundError:
        return "0"


async def existing_project(chat: Any, project_id: str) -> None:
    """A project that does not exist is refused, with those that do."""
    known_project(project_id, [project.id for project in await chat.projects()])


def known_project(project_id: str, known: Sequence[str]) -> None:
    """A project that is none of these is refused, with those that are."""
    if project_id not in known:
        raise UsageError(f"There is no project {project_id!r}; there are: {', '.join(known)}.")
