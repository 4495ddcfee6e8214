"""The command ``triptych``: gathers the commands, and turns every failure into one line and an exit code."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

import typer

from triptych.cli import commands
from triptych.errors import TriptychError, UsageError

__all__ = ["build_app", "main"]


def build_app() -> typer.Typer:
    """The whole command line: every module of ``cli.commands`` registers its own."""
    app = typer.Typer(
        name="triptych",
        help="Chat with a folder of notes; read, show, repair and convert conversations.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_top)
    for module in sorted(found.name for found in pkgutil.iter_modules(commands.__path__)):
        importlib.import_module(f"{commands.__name__}.{module}").register(app)
    return app


def _top() -> None:
    """Chat with a folder of notes; read, show, repair and convert conversations."""


def main() -> None:
    """Run the command line: exit 2 for usage, 1 for a failure, one line on stderr, never a traceback."""
    try:
        build_app()()
    except UsageError as problem:
        _fail(str(problem), 2)
    except (TriptychError, OSError) as problem:
        _fail(str(problem), 1)
    except KeyboardInterrupt:
        _fail("Stopped.", 130)


def _fail(sentence: str, code: int) -> None:
    try:
        sys.stderr.write(f"triptych: {' '.join(sentence.split())}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    sys.exit(code)
