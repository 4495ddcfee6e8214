"""``triptych list``, ``show``, ``rename``, ``delete``: the stored conversations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from triptych.cli.options import Data, Json, Project, run_async

__all__ = ["register"]

ConversationArgument = Annotated[
    str, typer.Argument(metavar="CONVERSATION", help="Its id, as list shows it.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("list")(list_conversations)
    app.command("show")(show)
    app.command("rename")(rename)
    app.command("delete")(delete)


def list_conversations(
    words: Annotated[
        str, typer.Argument(help="Only conversations in whose title or messages these words stand.")
    ] = "",
    *,
    project: Project = "default",
    data: Data = None,
    json: Json = False,
) -> None:
    """List the conversations of a project, newest first."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.stored import stored_conversations

    found = run_async(stored_conversations(find_settings(data=data), project, words.strip()))
    if json:
        _print_json(found)
        return
    if not found and words.strip():
        typer.echo(f"Nothing in the project {project!r} says {words.strip()!r}.", err=True)
    elif not found:
        typer.echo(f"There is no conversation in the project {project!r} yet.", err=True)
    for one in found:
        day = datetime.fromtimestamp(one["updatedAt"] / 1000, UTC).strftime("%Y-%m-%d %H:%M")
        typer.echo(f"{one['id']}  {day}  {one['title'] or '(untitled)'}")


def show(
    conversation: ConversationArgument,
    *,
    data: Data = None,
    json: Json = False,
) -> None:
    """Print a conversation: its active path as Markdown, or all its rows as JSON."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.stored import stored_rows
    from triptych.cli.transcript import transcript

    shown = run_async(stored_rows(find_settings(data=data), conversation))
    if json:
        _print_json(shown)
    else:
        typer.echo(transcript(shown["conversation"]["title"], shown["path"]))


def rename(
    conversation: ConversationArgument,
    title: Annotated[str, typer.Argument(help="The new title.")],
    *,
    data: Data = None,
) -> None:
    """Give a conversation another title."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.stored import rename_stored

    run_async(rename_stored(find_settings(data=data), conversation, title))


def delete(
    conversation: ConversationArgument,
    *,
    data: Data = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a conversation for good."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.stored import delete_stored

    if not yes:
        typer.confirm(f"Delete {conversation} for good?", abort=True)
    run_async(delete_stored(find_settings(data=data), conversation))


def _print_json(value: Any) -> None:
    import json

    typer.echo(json.dumps(value, ensure_ascii=False))
