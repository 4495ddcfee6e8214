"""``triptych lint FILE --to WIRE``: what a provider would refuse in a payload file, of any program."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from triptych.model.profile import WireName

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("lint")(lint)


def lint(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A request body as JSON; - reads standard input.")
    ] = None,
    *,
    to: Annotated[
        str, typer.Option("--to", metavar="WIRE", help=f"The wire: {', '.join(get_args(WireName))}.")
    ] = "",
    profile: Annotated[
        str,
        typer.Option(
            "--profile", metavar="NAME", help="A profile or a model's name; the wire's default if left out."
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the violations as JSON.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="Print the table of rules instead.")] = False,
) -> None:
    """Check a request body against the rules of a provider; exit 1 when it breaks any."""
    from triptych import wires
    from triptych.errors import UsageError
    from triptych.wires.rules.document import rules_document

    if rules:
        sys.stdout.write(rules_document())
        return
    if file is None or not to:
        raise UsageError("Say which file and for which wire: triptych lint FILE --to anthropic.")
    wire = wires.wire_named(to)
    facts = wires.find_profile(profile, wire) if profile else None
    found = wires.lint(_read(file), wire=wire, profile=facts)
    if as_json:
        import msgspec

        sys.stdout.write(json.dumps([msgspec.to_builtins(one) for one in found]) + "\n")
    else:
        for one in found:
            sys.stdout.write(f"{one.where}: {one.rule}: {one.sentence}\n")
            if one.rejected_by:
                sys.stdout.write(f"    refused with: {one.rejected_by}\n")
        sys.stdout.write(f"{len(found)} violations.\n" if found else "No rule is broken.\n")
    if found:
        raise typer.Exit(1)


def _read(file: Path) -> Any:
    from triptych.errors import DataError

    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        return json.loads(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as problem:
        raise DataError(f"{file} is no JSON: {problem}.") from problem
