"""``triptych chat``: talk in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from triptych.cli.options import BaseUrl, Chats, Data, Layout, Model, Project, VaultFolder, run_async

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("chat")(chat)


def chat(
    conversation: Annotated[
        str | None,
        typer.Argument(metavar="[CONVERSATION]", help="Go on with this one; without it, a new one."),
    ] = None,
    *,
    vault: VaultFolder = None,
    model: Model = None,
    base_url: BaseUrl = None,
    data: Data = None,
    chats: Chats = None,
    layout: Layout = None,
    project: Project = "default",
) -> None:
    """Chat with a model about your notes. @note attaches a note, Ctrl-C stops a reply, Ctrl-D leaves."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.terminal import talk

    settings = find_settings(
        data=data, vault=vault, model=model, base_url=base_url, chats=chats, layout=layout
    )
    run_async(talk(settings, project, conversation))
