"""Google Takeout's activity of Gemini (once Bard): prompts, newest first, with or without the answer's HTML.

There are no conversations and no ids: records are put in order of time and grouped by 30 minutes of silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import msgspec

from triptych.formats.assemble import Origin, assemble
from triptych.formats.conversation import ImportedConversation
from triptych.formats.lists import record_id
from triptych.formats.making import as_dict, as_list, as_text, make_message, source_note, text_parts, time_of
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.spoken import TAKEOUT
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message

__all__ = ["html_text", "is_activity", "read_activity"]

_SILENCE = 30 * 60 * 1000
_APPS = re.compile(r"gemini|bard", re.IGNORECASE)
_VERBS = ("Prompted ", "Asked ", "Said ")
_ATTACHED = re.compile(r"\s*Attached \d+ files?\.\s*$")
_BLOCKS = frozenset(
    {
        "p",
        "div",
        "br",
        "li",
        "ul",
        "ol",
        "tr",
        "table",
        "pre",
        "blockquote",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    }
)
_TITLE = 60


def is_activity(row: dict[str, Any]) -> bool:
    """Whether a record is of Gemini's or Bard's activity."""
    named = [as_text(row.get("header")), *(as_text(product) for product in as_list(row.get("products")))]
    return "time" in row and "title" in row and any(_APPS.search(name) for name in named)


def read_activity(
    records: list[Any], data: bytes, name: str, found: list[Diagnostic]
) -> Iterator[ImportedConversation | Diagnostic]:
    """The conversations, the oldest first."""
    yield from found
    prompts: list[_Prompt] = []
    problems: list[Diagnostic] = []
    for index, record in enumerate(records):
        prompt = _prompt(record, index, problems) if isinstance(record, dict) else None
        if prompt is None:
            yield problem("W_RECORD_SKIPPED", f"{name}[{index}]", title=as_dict(record).get("title"))
        else:
            prompts.append(prompt)
    yield from problems
    if not prompts:
        yield problem("W_CONVERSATION_SKIPPED", name)
        return
    for group in _groups(prompts):
        yield _conversation(group, data, name)


class _Prompt(msgspec.Struct, frozen=True):
    index: int
    time: int
    text: str
    answer: str | None
    record: dict[str, Any]


def _prompt(record: dict[str, Any], index: int, found: list[Diagnostic]) -> _Prompt | None:
    """The record as a prompt; None for feedback, settings and other products."""
    if not is_activity(record):
        return None
    found.extend(odd_fields(record, TAKEOUT, index))
    title = as_text(record.get("title"))
    verb = next((verb for verb in _VERBS if title.startswith(verb)), None)
    items = as_list(record.get("safeHtmlItem"))
    if verb is None and not items:
        return None
    answer = "\n".join(html_text(as_text(as_dict(item).get("html"))) for item in items) if items else None
    time = time_of(record.get("time"), "iso", f"[{index}]", found)
    return _Prompt(index, time, _ATTACHED.sub("", title.removeprefix(verb or "")), answer, record)


def _groups(prompts: list[_Prompt]) -> list[list[_Prompt]]:
    groups: list[list[_Prompt]] = []
    for prompt in sorted(prompts, key=lambda one: (one.time, -one.index)):
        if groups and prompt.time - groups[-1][-1].time <= _SILENCE:
            groups[-1].append(prompt)
        else:
            groups.append([prompt])
    return groups


def _conversation(group: list[_Prompt], data: bytes, name: str) -> ImportedConversation:
    found = [problem("W_GROUPED_BY_TIME", name), problem("W_LOSSY_SOURCE", name)]
    messages: list[Message] = []
    for prompt in group:
        parent = messages[-1].id if messages else None
        said = record_id(parent, prompt.record)
        note = source_note((prompt.index,))
        messages.append(
            make_message(
                "user", said, text_parts(prompt.text), parent_id=parent, created_at=prompt.time, metadata=note
            )
        )
        if prompt.answer is not None:
            messages.append(
                make_message(
                    "assistant",
                    f"{said}:answer",
                    text_parts(prompt.answer),
                    parent_id=said,
                    created_at=prompt.time,
                    metadata=note,
                    provider="google",
                )
            )
    origin = Origin(
        format="gemini",
        id=f"gemini-{messages[0].id}",
        version="takeout",
        name=name,
        document=data,
        title=" ".join(group[0].text.split())[:_TITLE],
    )
    return assemble(origin, messages, found, fallback="last")


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.pieces.append("\n")


def html_text(markup: str) -> str:
    """The readable text of an HTML fragment; blocks begin on lines of their own."""
    parser = _Text()
    parser.feed(markup)
    parser.close()
    return re.sub(r"\n\s*\n+", "\n", "".join(parser.pieces)).strip()
