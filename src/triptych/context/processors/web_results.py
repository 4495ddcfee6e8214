"""Results of web searches in earlier turns keep their titles and addresses; the texts were for that turn.

Not here: shortening by size (``stale_results``).
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.rowwork import listed, mapping, without
from triptych.context.turns import last_user
from triptych.model.rows import Row

__all__ = ["trim_web_results"]

_KEPT = ("title", "url")


def trim_web_results(identifiers: Collection[str]) -> Step:
    """Leave titles and addresses of the results that these tools gave before the last user message."""
    searching = frozenset(identifiers)

    def run(draft: Draft) -> Draft:
        edge = last_user(draft.rows) or 0
        rows = [_trimmed(row, searching) if place < edge else row for place, row in enumerate(draft.rows)]
        changed = sum(one is not other for one, other in zip(rows, draft.rows, strict=True))
        return note(draft.with_rows(rows), "trim_web_results", rows=changed) if changed else draft

    return Step(
        Contract(
            name="trim_web_results",
            reads=frozenset({"flat", "group.roles"}),
            writes=frozenset({"results.short"}),
            moves_prefix=True,
            about="keeps titles and addresses of earlier web searches",
        ),
        run,
    )


def _trimmed(row: Row, searching: frozenset[str]) -> Row:
    identifier = mapping(row.get("plugin")).get("identifier")
    content = row.get("content")
    if row.get("role") != "tool" or identifier not in searching or not isinstance(content, str):
        return row
    results = _results(content)
    if not results:
        return row
    kept = [{name: mapping(one)[name] for name in _KEPT if name in mapping(one)} for one in results]
    short = json.dumps(kept, ensure_ascii=False)
    return {**without(row, "parts"), "content": short} if len(short) < len(content) else row


def _results(content: str) -> list[Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return []
    found = listed(value) or listed(mapping(value).get("results"))
    return [one for one in found if mapping(one).get("url")]
