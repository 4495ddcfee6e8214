"""``triptych projects``: list, set, delete."""

from __future__ import annotations

from typing import Annotated

import typer

from triptych.cli.options import Data, Json, run_async

__all__ = ["register"]

ProjectArgument = Annotated[str, typer.Argument(metavar="PROJECT", help="Its id.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        name="projects",
        help="The projects: isolated conversations with context of their own.",
        no_args_is_help=True,
    )
    group.command("list")(list_projects)
    group.command("set")(set_project)
    group.command("delete")(delete_project)
    app.add_typer(group)


def list_projects(*, data: Data = None, json: Json = False) -> None:
    """List the projects."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.stored import stored_projects

    found = run_async(stored_projects(find_settings(data=data)))
    if json:
        import msgspec

        typer.echo(msgspec.json.encode(found).decode())
        return
    for project in found:
        typer.echo(f"{project.id}  {project.name or ''}".rstrip())


def set_project(
    project: ProjectArgument,
    *,
    name: Annotated[str | None, typer.Option("--name", help="What it is called.")] = None,
    instructions: Annotated[
        str | None, typer.Option("--instructions", help="A system text of its own.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="PROVIDER:NAME", help="Its model.")] = None,
    include: Annotated[
        list[str] | None,
        typer.Option("--include", metavar="PATTERN", help="Notes, folders and #tags that belong to it."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", metavar="PATTERN", help="What does not.")
    ] = None,
    url: Annotated[list[str] | None, typer.Option("--url", help="A page that belongs to it.")] = None,
    data: Data = None,
) -> None:
    """Make a project, or change one; what is not named stays as it is."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.stored import change_project

    named = {
        "name": name,
        "instructions": instructions,
        "model": model,
        "include": tuple(include) if include is not None else None,
        "exclude": tuple(exclude) if exclude is not None else None,
        "urls": tuple(url) if url is not None else None,
    }
    facts = {key: value for key, value in named.items() if value is not None}
    run_async(change_project(find_settings(data=data), project, facts))


def delete_project(
    project: ProjectArgument,
    *,
    data: Data = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a project with its conversations."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.stored import delete_stored_project

    if not yes:
        typer.confirm(f"Delete the project {project} and all its conversations?", abort=True)
    run_async(delete_stored_project(find_settings(data=data), project))
