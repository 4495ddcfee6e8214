"""``triptych convert IN OUT``: a chat file of one program as that of another, without a database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triptych.cli.options import Json
from triptych.cli.written import say_outcome

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("convert")(convert)


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", exists=True, help="A file, a folder or a ZIP.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A file, or a folder for many.")],
    *,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="The format; told by .md and .jsonl.")
    ] = None,
    read_as: Annotated[
        str | None, typer.Option("--from", metavar="FORMAT", help="Read it as this format, without looking.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    json: Json = False,
) -> None:
    """Read a chat file and write it as another program's; say what could not be carried over."""
    from triptych.cli.exporting import convert_file

    say_outcome(convert_file(source, target, to=to, read_as=read_as, force=force), json=json)
