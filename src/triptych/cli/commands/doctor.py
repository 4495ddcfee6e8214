"""``triptych doctor FILE``: what a topic hides, why, and what the repair would change.

Reads a JSON or JSON Lines file of message rows. Where the rows come from is one function (``read_topic``), so that
other sources can be put in front of it; the judgement is ``flow.doctor`` and knows no files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from triptych.errors import DataError, UsageError

__all__ = ["Topic", "read_topic", "register"]


class Topic(NamedTuple):
    """One topic as the doctor takes it: rows in stored order, message groups, and the document they came in."""

    rows: list[Any]
    groups: list[Any]
    document: dict[str, Any] | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(
    file: Annotated[Path, typer.Argument(help="A JSON or JSON Lines file of message rows.")],
    *,
    repair: Annotated[bool, typer.Option("--repair", help="Write a repaired copy to --out.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Where the repaired copy goes.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON value.")] = False,
) -> None:
    """Say which messages of a topic nobody sees, why, and what would bring them back."""
    from triptych.flow.doctor import apply, diagnose
    from triptych.flow.parse import parse

    if repair and (out is None or (out.exists() and out.samefile(file))):
        raise UsageError("--repair writes a copy: name another file with --out.")
    topic = read_topic(file)
    flow = parse(topic.rows, topic.groups)
    found = diagnose(topic.rows, topic.groups, flow=flow)
    sys.stdout.write(_as_json(flow, found) if as_json else _as_text(flow, found))
    if repair and out is not None:
        out.write_text(_written(topic, apply(topic.rows, found.patch)), encoding="utf-8")
        sys.stdout.write(
            "" if as_json else f"Wrote {len(topic.rows)} rows to {out} with {len(found.patch)} changes.\n"
        )


def read_topic(file: Path) -> Topic:
    """Rows from ``{"messages": [...], "messageGroups"?: [...]}``, from a list, or from one row a line."""
    try:
        text = file.read_text(encoding="utf-8-sig", errors="surrogatepass")
    except UnicodeDecodeError as problem:
        raise DataError(f"{file} is not UTF-8 text.") from problem
    try:
        document = json.loads(text)
    except ValueError:
        return Topic(_lines(file, text), [], None)
    if isinstance(document, list):
        return Topic(document, [], None)
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        return Topic(document["messages"], document.get("messageGroups") or [], document)
    return Topic([document], [], None)


def _lines(file: Path, text: str) -> list[Any]:
    rows: list[Any] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except ValueError as problem:
                raise DataError(f"{file}: line {number} is not JSON.", path=f"$[{number - 1}]") from problem
    return rows


def _written(topic: Topic, rows: list[Any]) -> str:
    if topic.document is None:
        return "".join(f"{json.dumps(row)}\n" for row in rows)
    return json.dumps({**topic.document, "messages": rows}, indent=2) + "\n"


def _as_json(flow: Any, found: Any) -> str:
    import msgspec

    from triptych.flow.edge import places_json

    written: dict[str, Any] = msgspec.to_builtins(found)
    written["elsewhere"] = places_json(flow.elsewhere)
    written["diagnostics"] = msgspec.to_builtins(flow.diagnostics)
    return json.dumps(written) + "\n"


def _as_text(flow: Any, found: Any) -> str:
    lines = [
        f"{len(flow.rows)} messages, {len(flow.flat_list)} rows, {len(flow.elsewhere)} messages elsewhere."
    ]
    lines += _reasons(flow.elsewhere)
    lines += [f"! {note.where or 'topic'}: {note.message} ({note.code})" for note in flow.diagnostics]
    for issue in found.issues:
        hidden = ", ".join(
            issue.hidden_message_ids or issue.lost_message_ids or issue.reattached_message_ids or []
        )
        lines.append(
            f"{issue.kind} at {issue.message_id}: {hidden}{'' if issue.repairable else ' (cannot be repaired)'}"
        )
    lines += ["The repair would:"] if found.patch else ["Nothing to repair."]
    lines += [_operation(operation) for operation in found.patch]
    return "".join(f"{line}\n" for line in lines)


def _reasons(elsewhere: Mapping[str, Any]) -> Iterable[str]:
    by_place: dict[Any, list[str]] = {}
    for key, place in elsewhere.items():
        by_place.setdefault(place, []).append(key)
    for place, keys in by_place.items():
        yield f"- {place.reason.replace('_', ' ')} of {place.owner}: {', '.join(keys)}"


def _operation(operation: Any) -> str:
    from triptych.flow.doctor import Reparent

    if isinstance(operation, Reparent):
        return f"- hang {operation.message_id} below {operation.parent_id}"
    return f"- choose branch {operation.index} below {operation.message_id}"
