"""``triptych import PATH…``: chats of other programs into the store."""

from __future__ import annotations

import json as standard_json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triptych.cli.options import Data, Project, run_async

if TYPE_CHECKING:
    from triptych.cli.importing import ImportReport, Progress

__all__ = ["register"]

_MOST_SKIPPED = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_chats)


def import_chats(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH…", help="Files, folders or ZIPs, each one source."),
    ],
    *,
    project: Project = "default",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what is in them; store nothing.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON for each path.")] = False,
    format_name: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="Read them as this format, without looking."),
    ] = None,
    data: Data = None,
) -> None:
    """Read chats of ChatGPT, Claude, Open WebUI, coding agents … and store what is new in them.

    Exit code 1 when a path could not be read as a chat; the others are read all the same.
    """
    from triptych.bootstrap.settings import find_settings

    settings = find_settings(data=data)

    async def work() -> list[ImportReport]:
        from triptych.cli.importing import import_paths

        progress = _progress(quiet=json)
        steps = import_paths(
            paths, settings, project=project, dry_run=dry_run, format_name=format_name, progress=progress
        )
        return [report async for report in steps]

    reports = run_async(work())
    for report in reports:
        typer.echo(standard_json.dumps(report.line) if json else _readable(report, dry_run=dry_run))
    if any(report.line["format"] is None for report in reports):
        raise typer.Exit(1)


def _progress(*, quiet: bool) -> Progress:
    """A line on stderr that counts up, when somebody is looking."""
    shown = not quiet and sys.stderr.isatty()

    def tell(path: str, conversations: int, messages: int) -> None:
        if shown:
            sys.stderr.write(f"\r{Path(path).name}: {conversations} conversations, {messages} messages")
            sys.stderr.flush()

    return tell


def _readable(report: ImportReport, *, dry_run: bool) -> str:
    line = report.line
    if line["format"] is None:
        first = f"{line['file']}: nothing in it could be read as a chat"
    else:
        first = (
            f"{line['file']}: {line['format']}, {_counted(line['conversations'], 'conversation')}, "
            f"{_counted(line['messages'], 'message')}, {_counted(line['branch_points'], 'branch point')}, "
            f"{line['hidden']} hidden"
        )
    actions = ", ".join(f"{count} {_DONE[action]}" for action, count in sorted(report.actions.items()))
    stored = [] if dry_run else [f"  stored: {actions or 'nothing'}; {_counted(report.added, 'new message')}"]
    counts = [f"  {code}: {count}" for code, count in report.counts.items()]
    skipped = [f"  skipped {where}: {reason}" for where, reason in report.skipped[:_MOST_SKIPPED]]
    more = len(report.skipped) - _MOST_SKIPPED
    rest = [f"  … and {more} more"] if more > 0 else []
    return "\n".join([first, *stored, *counts, *skipped, *rest])


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


_DONE = {"create": "new", "extend": "with something new", "nothing": "with nothing new"}
