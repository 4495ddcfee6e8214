"""Logs of the ``llm`` command: ``llm logs --json``, rows of its old tables, its message store of 2026, and logs.db.

* ``llm_rows``    one row a turn: prompt, response, calls, results on the *next* row
* ``llm_store``   messages named by content, shared between threads
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from triptych.formats.conversation import ImportedConversation
from triptych.formats.llm_rows import is_row, read_rows, rows_from_tables
from triptych.formats.llm_store import is_store, read_store
from triptych.formats.making import as_list
from triptych.formats.problems import problem
from triptych.formats.sniff import Sample, take_sample
from triptych.formats.source import SourceFile, read_lines
from triptych.formats.sqlite import read_tables
from triptych.formats.streaming import read_document, stream_lines
from triptych.model.diagnostics import Diagnostic

__all__ = ["matches", "read"]

_STORE = ("messages", "parts", "threads", "turns", "fragments")
_OLD = (
    "conversations",
    "responses",
    "attachments",
    "prompt_attachments",
    "tool_calls",
    "tool_results",
)


def matches(sample: Sample) -> bool:
    """Rows of turns, the tables of the message store, or a database with either."""
    if sample.kind == "sqlite":
        return "responses" in sample.tables or {"messages", "threads", "parts"} <= sample.tables
    return is_store(sample.object) or any(is_row(row) for row in sample.objects)


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """Every conversation of the file."""
    sample = take_sample(file)
    if sample.kind == "sqlite":
        yield from _database(file)
        return
    if sample.kind == "lines":
        found: list[Diagnostic] = []
        rows = [line.value for line in stream_lines(read_lines(file), found)]
        yield from found
        yield from read_rows(rows, json.dumps(rows).encode(), file.name)
        return
    value, data, problems = read_document(file)
    yield from problems
    if isinstance(value, dict) and is_store(value):
        yield from read_store(value, data, file.name)
    else:
        yield from read_rows(as_list(value) or [value], data, file.name)


def _database(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """A database as the JSON of its tables; that JSON is the document."""
    data = file.read()
    store = read_tables(data, _STORE)
    old = read_tables(data, _OLD)
    if not store.get("threads") and not old.get("responses"):
        yield problem("W_CONVERSATION_SKIPPED", file.name)
    if store.get("threads"):
        yield from read_store(store, json.dumps(store).encode(), file.name)
    if old.get("responses"):
        rows = rows_from_tables(old)
        yield from read_rows(rows, json.dumps(rows).encode(), file.name)
