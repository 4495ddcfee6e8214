"""Old tool results are shortened, by what they are and where it is worth more than it costs.

A file that was read and later written, or read again in full, is one line; a page that was seen is one line; a
search or a command's output keeps its beginning (and end). Only rows before a boundary that stays put for the whole
turn are looked at, only when they are long together, and not while the provider's cache of them is still warm and
cheaper than the cut.

Not here: dropping payloads because of the budget (``compaction.drop_tool_payloads``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.rowwork import mapping, without
from triptych.context.turns import last_user
from triptych.model.rows import Row

__all__ = ["Cache", "Kind", "StaleRules", "trim_stale_results"]

Kind = Literal["read", "write", "page", "search", "command"]
"""What a tool does, as far as its results grow old by it."""


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """A provider's prompt cache: how long it lives, and what reading and writing cost of the plain price."""

    minutes: float = 5
    read: float = 0.1
    write: float = 1.25


class StaleRules(msgspec.Struct, frozen=True, kw_only=True):
    """When results are shortened, and how.

    Attributes:
        kinds: what a tool does, by ``identifier.api``.
        keep_recent: rows before the last user message that are left alone.
        at_least: characters that the old results must have together.
        head: characters that stay of a search.
        both: characters that stay at each end of a command's output.
        cache: the provider's cache; None when there is none to spare.
    """

    kinds: Mapping[str, Kind]
    keep_recent: int = 20
    at_least: int = 100_000
    head: int = 1000
    both: int = 500
    cache: Cache | None = None


def trim_stale_results(rules: StaleRules) -> Step:
    """Shorten old tool results by these rules."""

    def run(draft: Draft) -> Draft:
        edge = _edge(draft.rows, rules.keep_recent)
        old = [place for place in range(edge) if _is_old(draft.rows[place])]
        size = sum(len(draft.rows[place]["content"]) for place in old)
        if not old or size < rules.at_least:
            return draft
        short = _shortened(draft.rows, old, rules)
        saved = sum(len(draft.rows[place]["content"]) - len(text) for place, text in short.items())
        if not short or _cache_is_worth_more(draft.rows, saved, rules.cache):
            return note(draft, "trim_stale_results", skipped="warm_cache") if short else draft
        rows = [
            {**without(row, "parts"), "content": short[place]} if place in short else row
            for place, row in enumerate(draft.rows)
        ]
        return note(draft.with_rows(rows), "trim_stale_results", rows=len(short), saved=saved)

    return Step(
        Contract(
            name="trim_stale_results",
            reads=frozenset({"flat", "group.roles"}),
            writes=frozenset({"results.short"}),
            moves_prefix=True,
            about="shortens old tool results",
        ),
        run,
    )


def _edge(rows: Sequence[Row], keep: int) -> int:
    last = last_user(rows)
    return max(0, (len(rows) if last is None else last + 1) - keep)


def _is_old(row: Row) -> bool:
    return row.get("role") == "tool" and isinstance(row.get("content"), str) and not row.get("pluginError")


def _shortened(rows: Sequence[Row], old: list[int], rules: StaleRules) -> dict[int, str]:
    later: dict[str, list[tuple[int, Kind, bool]]] = {}
    for place in old:
        kind, path, whole = _facts(rows[place], rules)
        if kind in ("read", "write") and path:
            later.setdefault(path, []).append((place, kind, whole))
    found: dict[int, str] = {}
    for place in old:
        text = _short(rows[place], place, later, rules)
        if text is not None and len(text) < len(rows[place]["content"]):
            found[place] = text
    return found


def _short(
    row: Row, place: int, later: Mapping[str, list[tuple[int, Kind, bool]]], rules: StaleRules
) -> str | None:
    kind, path, _ = _facts(row, rules)
    text: str = row["content"]
    if kind == "read":
        stale = any(when > place and (what == "write" or whole) for when, what, whole in later.get(path, ()))
        return f"[An older state of {path}; it was read or written again later.]" if stale else None
    if kind == "page":
        return "[A page as it was then.]"
    if kind == "search" and len(text) > rules.head:
        return f"{text[: rules.head]}\n[The rest of this result is left out.]"
    if kind == "command" and len(text) > 2 * rules.both:
        return f"{text[: rules.both]}\n[The middle of this output is left out.]\n{text[-rules.both :]}"
    return None


def _facts(row: Row, rules: StaleRules) -> tuple[Kind | None, str, bool]:
    """What a result is of: its kind, its path, and whether all of the file is in it."""
    plugin = mapping(row.get("plugin"))
    kind = rules.kinds.get(f"{plugin.get('identifier')}.{plugin.get('apiName')}")
    given = _arguments(plugin.get("arguments"))
    path = given.get("path") or given.get("filePath") or given.get("file") or ""
    whole = bool(given.get("fullContent")) or not any(
        name in given for name in ("loc", "offset", "limit", "lines")
    )
    return kind, str(path), whole


def _arguments(written: Any) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(written)) if isinstance(written, str) else mapping(written)
    except (ValueError, RecursionError):
        return {}


def _cache_is_worth_more(rows: Sequence[Row], saved: int, cache: Cache | None) -> bool:
    """Whether the provider still has the prefix, and twenty more reads of what is cut would cost less than new writing."""
    last = last_user(rows)
    if cache is None or last is None or last == 0:
        return False
    before: Any = rows[last - 1].get("createdAt")
    now: Any = rows[last].get("createdAt")
    timed = isinstance(before, int | float) and isinstance(now, int | float)
    if not timed or now - before > cache.minutes * 60_000:
        return False
    prefix = sum(len(str(row.get("content") or "")) for row in rows[: last + 1])
    return 20 * saved * cache.read <= ((prefix - saved) * cache.write - prefix * cache.read) * 1.5
