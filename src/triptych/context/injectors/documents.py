"""Documents of an agent, each with a place and a rule of when it is loaded.

Rules: always, on matching words or a pattern in the user's message, in a span of time. ``manual`` and
``on-demand`` documents are never injected. A document is told whole (``policyLoad: always``) or as a line of an
index, by which the model can ask for it.

Not here: reading documents; tools that read them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft
from triptych.context.injectors.blocks import preface_block, system_block, tail_block
from triptych.context.injectors.wrapper import attributes, block, leaf
from triptych.context.rowwork import listed, mapping, trim

__all__ = ["PLACES", "agent_documents", "combine_documents", "documents_for", "replace_system"]

PLACES = (
    "before-system",
    "system-append",
    "system-replace",
    "before-first-user",
    "after-first-user",
    "context-end",
)
"""Where a document may stand; one without a place stands before the first user message."""

_USUAL_PLACE = "before-first-user"
_USUAL_PRIORITY = 999


def documents_for(
    documents: Sequence[Any], places: Sequence[str], *, message: str | None = None, now: Any = None
) -> list[Any]:
    """The documents for these places whose rule holds, by priority; disabled ones never."""
    chosen = [
        document
        for document in documents
        if (mapping(document).get("loadPosition") or _USUAL_PLACE) in places
        and mapping(document).get("policyLoad") != "disabled"
        and _loads(mapping(mapping(document).get("loadRules")), message, now)
    ]
    return sorted(chosen, key=_priority)


def combine_documents(documents: Sequence[Any], *, truncate: Callable[[str, int], str] | None = None) -> str:
    """The text of the documents: whole ones joined by a blank line, then an index of the others."""
    whole = [_whole(mapping(one), truncate or _first_words) for one in documents if _is_whole(one)]
    others = [mapping(one) for one in documents if not _is_whole(one)]
    return "\n\n".join(text for text in (*whole, _index(others) if others else "") if text)


def agent_documents(documents: Sequence[Any], *, message: str | None = None) -> tuple[Step, ...]:
    """A step for each place that a document stands in. Text of changing places goes to the tail."""

    def text(*places: str) -> Callable[[Draft], str | None]:
        return lambda draft: combine_documents(
            documents_for(documents, places, message=message, now=draft.clock)
        )

    return (
        system_block(
            text("before-system", "system-append"),
            name="documents_in_system",
            about="adds documents to the system text",
        ),
        preface_block(
            text("before-first-user"),
            name="documents_before",
            about="adds documents before the first user message",
        ),
        tail_block(
            text("after-first-user", "context-end"),
            name="documents_behind",
            about="adds documents to the tail",
        ),
    )


def replace_system(documents: Sequence[Any], *, message: str | None = None) -> Step:
    """Let documents stand in place of all system text."""

    def run(draft: Draft) -> Draft:
        text = combine_documents(
            documents_for(documents, ["system-replace"], message=message, now=draft.clock)
        )
        place = next((place for place, row in enumerate(draft.rows) if row.get("role") == "system"), None)
        if not text:
            return draft
        if place is None:
            return draft.splice(0, 0, {"content": text, "role": "system"})
        row = {key: value for key, value in draft.rows[place].items() if key != "parts"}
        return draft.splice(place, place + 1, {**row, "content": text})

    return Step(
        Contract(
            name="replace_system",
            reads=frozenset({"history"}),
            writes=frozenset({"system"}),
            may_drop=True,
            moves_prefix=True,
            about="lets documents stand in place of all system text",
        ),
        run,
    )


def _priority(document: Any) -> float:
    value = mapping(mapping(document).get("loadRules")).get("priority")
    return value if isinstance(value, int | float) else _USUAL_PRIORITY


def _loads(rules: Mapping[str, Any], message: str | None, now: Any) -> bool:
    rule = rules.get("rule")
    if rule == "by-keywords":
        return _has_keywords(rules, message)
    if rule == "by-regexp":
        return _matches(rules.get("regexp"), message)
    return _in_time(mapping(rules.get("timeRange")), now) if rule == "by-time-range" else True


def _has_keywords(rules: Mapping[str, Any], message: str | None) -> bool:
    words = [
        trim(word).lower() for word in listed(rules.get("keywords")) if isinstance(word, str) and trim(word)
    ]
    if not words or not message:
        return False
    found = (word in message.lower() for word in words)
    return all(found) if rules.get("keywordMatchMode") == "all" else any(found)


def _matches(pattern: Any, message: str | None) -> bool:
    if not isinstance(pattern, str) or not pattern or not message:
        return False
    try:
        return re.search(pattern, message, re.IGNORECASE) is not None
    except re.error:
        return False


def _in_time(span: Mapping[str, Any], now: Any) -> bool:
    moment = _moment(now)
    if moment is None:
        return False
    edges = {name: _moment(span.get(name)) for name in ("from", "to") if span.get(name)}
    if any(edge is None for edge in edges.values()):
        return False
    begins, ends = edges.get("from"), edges.get("to")
    return (begins is None or begins <= moment) and (ends is None or moment <= ends)


def _moment(value: Any) -> datetime | None:
    try:
        if isinstance(value, datetime):
            read = value
        elif isinstance(value, int | float):
            read = datetime.fromtimestamp(value / 1000, UTC)
        else:
            read = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _is_whole(document: Any) -> bool:
    return mapping(document).get("policyLoad") == "always"


def _whole(document: Mapping[str, Any], truncate: Callable[[str, int], str]) -> str:
    content = document.get("content")
    text = content if isinstance(content, str) else ""
    most = mapping(document.get("loadRules")).get("maxTokens")
    if isinstance(most, int) and most > 0:
        text = truncate(text, most)
    if document.get("policyLoadFormat") != "file":
        return text
    named = attributes(**{name: document.get(name) or None for name in ("id", "filename", "title")})
    return f"<agent_document{named}>\n{text}\n</agent_document>"


def _first_words(text: str, most: int) -> str:
    words = text.split()
    return text if len(words) <= most else f"{' '.join(words[:most])}\n[The rest is left out.]"


def _index(documents: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        leaf(
            "document",
            id=one.get("id"),
            title=one.get("title") or one.get("filename"),
            folder=one.get("folderTitle"),
            characters=one.get("contentCharCount") or len(str(one.get("content") or "")),
        )
        for one in documents
    ]
    return block("documents_that_can_be_read", "\n".join(lines), count=len(lines))
