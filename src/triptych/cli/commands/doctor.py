"""``triptych doctor``: what a conversation hides, why, and what the repair would change.

Reads a JSON or JSON Lines file of message rows here; chats of other programs and stored conversations come through
``cli.doctoring``. The judgement is ``flow.doctor`` and knows no files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from triptych.cli.options import Data
from triptych.errors import DataError, UsageError

__all__ = ["Topic", "read_topic", "register"]


class Topic(NamedTuple):
    """One topic as the doctor takes it: rows in stored order, message groups, and the document they came in.

    The document is None where the file holds one row a line.
    """

    rows: list[Any]
    groups: list[Any]
    document: dict[str, Any] | list[Any] | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="A file of rows, any chat file, or a stored conversation's id."
        ),
    ],
    *,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Mend it: a copy of a file goes to --out, a stored one is changed."),
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Where the repaired copy goes.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    data: Data = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one line of JSON for each conversation.")
    ] = False,
) -> None:
    """Say which messages nobody sees, why, and what would bring them back."""
    file = Path(target)
    if not file.exists():
        _stored(target, data, repair=repair, as_json=as_json)
        return
    if repair and (out is None or (out.exists() and out.samefile(file))):
        raise UsageError("--repair writes a copy: name another file with --out.")
    topic = _rows_of(file)
    if topic is None:
        _chats(file, out if repair else None, force=force, as_json=as_json)
    else:
        _rows(topic, out if repair else None, force=force, as_json=as_json)


def _rows_of(file: Path) -> Topic | None:
    """The rows of a file; None when it is something else, a chat of another program."""
    from triptych.cli.doctoring import is_row_file

    try:
        topic = read_topic(file) if file.is_file() else None
    except DataError:
        return None
    return topic if topic is not None and is_row_file(topic.document or topic.rows) else None


def _chats(file: Path, out: Path | None, *, force: bool, as_json: bool) -> None:
    from triptych.cli.doctoring import examine_chats

    for seen in examine_chats(file, out=out, force=force):
        _say(seen, as_json=as_json)
    if out is not None and not as_json:
        sys.stdout.write(f"Wrote the repaired copy to {out}.\n")


def _stored(target: str, data: Path | None, *, repair: bool, as_json: bool) -> None:
    from triptych.bootstrap.settings import find_settings
    from triptych.cli.doctoring import examine_stored
    from triptych.cli.options import run_async

    seen = run_async(examine_stored(find_settings(data=data), target, repair=repair))
    _say(seen, as_json=as_json)
    if repair and not as_json:
        sys.stdout.write(f"Made {len(seen.diagnosis.patch)} changes.\n")


def _say(seen: Any, *, as_json: bool) -> None:
    if not as_json:
        sys.stdout.write(f"{seen.name}\n")
    written = _as_json if as_json else _as_text
    sys.stdout.write(written(seen.flow, seen.diagnosis, seen.notes))


def _rows(topic: Topic, out: Path | None, *, force: bool, as_json: bool) -> None:
    from triptych.cli.exporting import put_file
    from triptych.flow.doctor import apply, diagnose
    from triptych.flow.parse import parse

    flow = parse(topic.rows, topic.groups)
    found = diagnose(topic.rows, topic.groups, flow=flow)
    sys.stdout.write(_as_json(flow, found) if as_json else _as_text(flow, found))
    if out is not None:
        put_file(out, _written(topic, apply(topic.rows, found.patch)).encode(), force=force)
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
        return Topic(document, [], document)
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
    document = rows if isinstance(topic.document, list) else {**topic.document, "messages": rows}
    return json.dumps(document, indent=2) + "\n"


def _as_json(flow: Any, found: Any, notes: Iterable[Any] = ()) -> str:
    import msgspec

    from triptych.flow.edge import places_json

    written: dict[str, Any] = msgspec.to_builtins(found)
    written["elsewhere"] = places_json(flow.elsewhere)
    written["diagnostics"] = msgspec.to_builtins([*notes, *flow.diagnostics])
    return json.dumps(written) + "\n"


def _as_text(flow: Any, found: Any, notes: Iterable[Any] = ()) -> str:
    lines = [
        f"{len(flow.rows)} messages, {len(flow.flat_list)} rows, {len(flow.elsewhere)} messages elsewhere."
    ]
    lines += _reasons(flow.elsewhere)
    lines += [
        f"! {note.where or 'topic'}: {note.message} ({note.code})" for note in (*notes, *flow.diagnostics)
    ]
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
