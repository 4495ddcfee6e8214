"""Other conversations that the user referred to: their summary, or their last words.

``resolve_topic_references`` is pure: what it needs of other conversations comes from functions handed in.

Not here: finding conversations (``ports.search``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from triptych.context.contract import Step
from triptych.context.injectors.blocks import tail_block
from triptych.context.injectors.wrapper import block, leaf
from triptych.context.rowwork import listed, mapping, present, trim, utf16_start
from triptych.model.rows import Row

__all__ = ["parse_topic_tags", "resolve_topic_references", "topic_references", "topic_references_text"]

_TAG = re.compile(r"<refer_topic\b([^>]*)>")
_ATTRIBUTE = re.compile(r'\b(id|name)="([^"]*)"')
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!~|<>&\"'$%,/:;=?@^])")
_LAST = 5
_LENGTH = 300


def topic_references(references: Sequence[Mapping[str, Any]]) -> Step:
    """Tell the model, at the tail, what the conversations said that the user refers to."""
    return tail_block(
        topic_references_text(references),
        name="topic_references",
        about="tells the model of other conversations that the user referred to",
    )


def topic_references_text(references: Sequence[Mapping[str, Any]]) -> str | None:
    """The block, or None when there are none."""
    told = [_reference(one) for one in references if one.get("topicId")]
    return block("referred_conversations", "\n".join(told), count=len(told)) if told else None


def parse_topic_tags(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The conversations that texts refer to by a ``<refer_topic id="…" name="…">`` tag, each once, last name wins."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        content = mapping(row).get("content")
        if not isinstance(content, str) or "refer" not in content:
            continue
        for tag in _TAG.finditer(_ESCAPE.sub(r"\1", content)):
            named = dict(_ATTRIBUTE.findall(tag[1]))
            if named.get("id"):
                entry = found.setdefault(named["id"], {"topicId": named["id"]})
                entry.update({"topicTitle": named["name"]} if named.get("name") else {})
    return list(found.values())


def resolve_topic_references(
    rows: Iterable[Row],
    lookup: Callable[[str], Any],
    lookup_rows: Callable[[str], Any] | None = None,
) -> list[dict[str, Any]] | None:
    """What the conversations that rows refer to say: a summary, else their last words; None without any tag.

    ``lookup`` gives ``{title, historySummary}`` of an id, ``lookup_rows`` its rows. Where they fail, the bare
    reference is left.
    """
    tags = parse_topic_tags(rows)
    return [_resolved(tag, lookup, lookup_rows) for tag in tags] if tags else None


def _resolved(
    tag: Mapping[str, Any], lookup: Callable[[str], Any], lookup_rows: Callable[[str], Any] | None
) -> dict[str, Any]:
    bare = dict(tag)
    try:
        topic = mapping(lookup(tag["topicId"]))
        named = {**bare, "topicTitle": topic.get("title") or bare.get("topicTitle")}
        known = {key: value for key, value in named.items() if value is not None}
        if present(topic.get("historySummary")):
            return {"summary": topic["historySummary"], **known}
        recent = _last_words(listed(lookup_rows(tag["topicId"]))) if lookup_rows is not None else []
        return {"recentMessages": recent, **known} if recent else known
    except Exception:  # noqa: BLE001 # foreign look-ups fail in their own ways
        return bare


def _last_words(rows: Sequence[Any]) -> list[dict[str, Any]]:
    spoken = [
        row
        for row in map(mapping, rows)
        if row.get("role") in ("user", "assistant")
        and isinstance(row.get("content"), str)
        and trim(row["content"])
    ]
    return [{"content": _cut(trim(row["content"])), "role": row["role"]} for row in spoken[-_LAST:]]


def _cut(text: str) -> str:
    short = utf16_start(text, _LENGTH)
    return text if short == text else f"{short}..."


def _reference(reference: Mapping[str, Any]) -> str:
    identifier, title = reference["topicId"], reference.get("topicTitle")
    if reference.get("summary"):
        return block("conversation", str(reference["summary"]), id=identifier, title=title, form="summary")
    recent = [mapping(one) for one in listed(reference.get("recentMessages"))]
    if not recent:
        return leaf("conversation", id=identifier, title=title)
    words = "\n".join(leaf("said", str(one.get("content")), by=one.get("role")) for one in recent)
    return block("conversation", words, id=identifier, title=title, form="last_words")
