"""``triptych pipe VERB``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from triptych.cli.pipe import verbs

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("pipe")(pipe)


def pipe(
    verb: Annotated[
        str, typer.Argument(metavar="VERB", help=f"What to compute for each line: {', '.join(verbs())}.")
    ],
    *,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say on stderr what went wrong.")] = False,
) -> None:
    """Read JSON lines on stdin and write one JSON line for each on stdout."""
    from triptych.cli.pipe import run

    run(verb, sys.stdin.buffer, sys.stdout.buffer, verbose=verbose)
