"""``triptych export``: stored conversations as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triptych.cli.options import Data, Json, Project, run_async
from triptych.cli.written import say_outcome
from triptych.errors import UsageError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(export)


def export(
    conversations: Annotated[
        list[str] | None, typer.Argument(metavar="CONVERSATION", help="Ids, as list shows them.")
    ] = None,
    *,
    all_of_them: Annotated[bool, typer.Option("--all", help="Every conversation of the project.")] = False,
    project: Project = "default",
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help="What to write; told by .md and .jsonl, else notebook."
        ),
    ] = None,
    target: Annotated[
        Path, typer.Option("--out", metavar="PATH", help="A file, or a folder for many.")
    ] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    data: Data = None,
    json: Json = False,
) -> None:
    """Write stored conversations as files; say what could not be carried over."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.exporting import export_stored

    if bool(conversations) == all_of_them:
        raise UsageError("Name conversations to export, or use --all for every one of the project.")
    work = export_stored(
        find_settings(data=data),
        conversations or [],
        project=project if all_of_them else None,
        format_name=format_name,
        target=target,
        force=force,
    )
    say_outcome(run_async(work), json=json)
