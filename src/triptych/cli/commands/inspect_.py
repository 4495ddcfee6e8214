"""``triptych inspect``: what a model was given, where it came from, and what a cache reuses of it."""

from __future__ import annotations

from typing import Annotated

import typer

from triptych.cli.options import BaseUrl, Data, Json, Model, VaultFolder, run_async

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("inspect")(inspect)


def inspect(
    conversation: Annotated[str, typer.Argument(metavar="CONVERSATION", help="Its id, as list shows it.")],
    message: Annotated[
        str | None,
        typer.Argument(metavar="[MESSAGE]", help="A message of the turn; without it, the newest turn."),
    ] = None,
    *,
    text: Annotated[bool, typer.Option("--text", help="Print each layer's text as well.")] = False,
    vault: VaultFolder = None,
    model: Model = None,
    base_url: BaseUrl = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Show the layers of a turn with their sources, tokens and share of the window, and the cache forecast."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.inspecting import inspected, printed

    settings = find_settings(data=data, vault=vault, model=model, base_url=base_url)
    found = run_async(inspected(settings, conversation, message))
    if json:
        import msgspec

        typer.echo(msgspec.json.encode(found).decode())
    else:
        printed(found, with_text=text)
