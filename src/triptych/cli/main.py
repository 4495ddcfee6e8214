"""The command ``triptych``: gathers the commands, and turns every failure into one line and an exit code."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from typing import Annotated

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


def _version(asked: bool) -> None:
    if asked:
        from triptych.cli.options import own_version

        typer.echo(f"triptych {own_version()}")
        raise typer.Exit


def _top(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Chat with a folder of notes; read, show, repair and convert conversations."""


def main() -> None:
    """Run the command line: exit 2 for usage, 1 for a failure, one line on stderr, never a traceback."""
    try:
        code = build_app()(standalone_mode=False)
    except _WrongWords as problem:
        _fail_usage(problem)
    except UsageError as problem:
        _fail(str(problem), 2)
    except TriptychError as problem:
        _fail(str(problem), 1)
    except OSError as problem:
        _fail(_told(problem), 1)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped.", 130)
    else:
        sys.exit(code if isinstance(code, int) else 0)


_WrongWords: type[Exception] = typer.BadParameter.__bases__[0]
"""What typer raises for options and arguments that it cannot take."""


def _fail_usage(problem: Exception) -> None:
    """The sentence of a wrong word in one line; help, where no word was given at all."""
    message = str(getattr(problem, "message", problem))
    if type(problem).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{message}\n")
        sys.exit(2)
    shown = getattr(problem, "format_message", lambda: message)()
    context = getattr(problem, "ctx", None)
    hint = f" See {context.command_path} --help." if context is not None else ""
    _fail(f"{shown}{hint}" if shown.endswith((".", "?")) else f"{shown}.{hint}", 2)


def _told(problem: OSError) -> str:
    if problem.filename is None or not problem.strerror:
        return str(problem)
    return f"{problem.filename}: {problem.strerror}."


def _fail(sentence: str, code: int) -> None:
    try:
        sys.stderr.write(f"triptych: {' '.join(sentence.split())}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    sys.exit(code)
