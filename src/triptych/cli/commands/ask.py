"""``triptych ask``: one question, one answer, friendly to pipes."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from triptych.cli.options import BaseUrl, Data, Json, Model, Project, VaultFolder
from triptych.errors import ProviderError, UsageError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ask")(ask)


def ask(
    question: Annotated[str, typer.Argument(help="What to ask; - reads it from stdin.")],
    *,
    note: Annotated[
        list[str] | None, typer.Option("--note", metavar="PATH", help="Attach a note; relative to the vault.")
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Look through the notes and give the best passages along.")
    ] = False,
    vault: VaultFolder = None,
    model: Model = None,
    base_url: BaseUrl = None,
    data: Data = None,
    project: Project = "default",
    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="ID", help="Go on in this conversation.")
    ] = None,
    save: Annotated[bool, typer.Option("--save/--no-save", help="Keep the conversation.")] = True,
    json: Json = False,
) -> None:
    """Ask once and print the answer, and only the answer, on stdout."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.ask import Question, ask_once
    from triptych.cli.options import run_async

    text = sys.stdin.read() if question == "-" else question
    if not text.strip():
        raise UsageError("The question is empty; write something to ask.")
    settings = find_settings(data=data, vault=vault, model=model, base_url=base_url)
    if (note or search) and settings.vault is None:
        raise UsageError("--note and --search need --vault DIR, the folder of notes.")
    asked = Question(
        text=text,
        notes=tuple(note or ()),
        search=search,
        project_id=project,
        conversation_id=conversation,
        save=save,
        stream=None if json else _printed,
    )
    answer = run_async(ask_once(settings, asked))
    _finish(answer, json=json)


def told(found: dict[str, Any]) -> str:
    """A finding with the place that it is about, unless its sentence has that already."""
    where, message = found["where"], found["message"]
    return message if not where or where in message else f"{where}: {message}"


def _printed(piece: str) -> None:
    sys.stdout.write(piece)
    sys.stdout.flush()


def _finish(answer: dict[str, Any], *, json: bool) -> None:
    failed = answer["failure"]
    if json:
        import json as standard

        sys.stdout.write(standard.dumps(answer, ensure_ascii=False) + "\n")
        if failed:
            raise typer.Exit(1)
        return
    if answer["answer"] or not failed:
        sys.stdout.write("\n")
    for one in answer["diagnostics"]:
        sys.stderr.write(f"{told(one)}\n")
    if failed:
        raise ProviderError(failed)
