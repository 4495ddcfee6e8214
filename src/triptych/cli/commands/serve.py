"""``triptych serve``: the page and its API on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from triptych.cli.options import BaseUrl, Chats, Data, Layout, Model, VaultFolder, run_async

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(serve)


def serve(
    *,
    vault: VaultFolder = None,
    model: Model = None,
    base_url: BaseUrl = None,
    data: Data = None,
    chats: Chats = None,
    layout: Layout = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8440,
    demo: Annotated[
        bool, typer.Option("--demo", help="Have a first conversation ready, and move on from a taken port.")
    ] = False,
) -> None:
    """Serve the page, and print its address."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.serving import serve_chat

    settings = find_settings(
        data=data, vault=vault, model=model, base_url=base_url, chats=chats, layout=layout
    )
    run_async(serve_chat(settings, host, port, demo=demo))
