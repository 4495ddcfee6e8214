"""``triptych search``: the notes by what stands in them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from triptych.cli.options import Data, Json, VaultFolder, run_async
from triptych.errors import UsageError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("search")(search)


def search(
    words: Annotated[str, typer.Argument(help="What to look for.")],
    *,
    vault: VaultFolder = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Passages at most.")] = 10,
    data: Data = None,
    json: Json = False,
) -> None:
    """Find passages in the notes; what is new or changed since the last time is indexed first."""
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.searching import found_passages

    settings = find_settings(data=data, vault=vault)
    if not words.strip():
        raise UsageError("There is nothing to look for; write a word.")
    if settings.vault is None:
        raise UsageError("Searching needs --vault DIR, the folder of notes.")
    hits = run_async(found_passages(settings, words, limit, _progress(quiet=json)))
    if json:
        import msgspec

        typer.echo(msgspec.json.encode(hits).decode())
        return
    if not hits:
        typer.echo(f"Nothing in the notes was found for {words!r}.", err=True)
    for hit in hits:
        typer.echo(f"{hit.path}:{hit.start_line}-{hit.end_line}  {' '.join(hit.text.split())[:200]}")


def _progress(*, quiet: bool) -> object:
    """A line on stderr that counts up, when somebody is looking."""
    if quiet or not sys.stderr.isatty():
        return None

    def tell(done: int, whole: int) -> None:
        sys.stderr.write(f"\rindexing {done}/{whole}" + ("\n" if done == whole else ""))
        sys.stderr.flush()

    return tell
