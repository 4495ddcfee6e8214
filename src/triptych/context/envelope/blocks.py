"""Segments as text. Every body and every fact is escaped, so that no content can open or close a block.

A text without ``&``, ``<`` and ``>`` stays as it is. Blocks are written and never read back: what the model has
is known from the envelopes. The tag names are the documented ones of note-chat programs.
"""

from __future__ import annotations

from collections.abc import Iterable

from triptych.context.envelope.changes import Span
from triptych.context.envelope.sources import Source, SourceKind

__all__ = [
    "changes_block",
    "directive_block",
    "dropped_block",
    "escape",
    "full_block",
    "kept_block",
    "place_of",
]

_TAGS: dict[SourceKind, str] = {
    "note": "note_context",
    "url": "url_content",
    "webTab": "web_tab_content",
    "selection": "selected_text",
    "pdf": "pdf_content",
    "canvas": "canvas_content",
    "search": "search_result",
    "conversation": "conversation_content",
    "error": "note_context_error",
}


def place_of(facts: Iterable[tuple[str, str]]) -> str | None:
    """The path or address among the facts of a source, which tells it apart from every other."""
    return next((value for name, value in facts if name in {"path", "url"}), None)


def escape(text: str) -> str:
    """The text with ``&``, ``<`` and ``>`` written so that they are no markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def full_block(source: Source) -> str:
    """The source with its whole body."""
    tag = _TAGS[source.kind]
    body = f"<error>{escape(source.body)}</error>" if source.kind == "error" else _content(source.body)
    return f"<{tag}>\n{_facts(source)}{body}\n</{tag}>"


def kept_block(source: Source) -> str:
    """A reference to a body that stands earlier in the conversation and still holds."""
    return f"<unchanged>{escape(_name(source))}</unchanged>"


def dropped_block(name: str) -> str:
    """A source that stands earlier in the conversation and no longer belongs to the question."""
    return f"<no_longer_attached>{escape(name)}</no_longer_attached>"


def directive_block(text: str) -> str:
    """What a person asks of the answer beside the words, such as its language."""
    return f"<directive>{escape(text)}</directive>"


def changes_block(source: Source, spans: list[Span]) -> str:
    """The exact changes that turn the earlier body, which has the title, into the present one."""
    edits = "\n".join(_edit(span) for span in spans)
    facts = _written(source.facts) if place_of(source.facts) is not None else _facts(source)
    return f"<changed_since>\n{facts}{edits}\n</changed_since>"


def _edit(span: Span) -> str:
    """What stands before and after tells the place: together with the old text it occurs once."""
    pieces = (("before", span.before), ("old", span.old), ("new", span.new), ("after", span.after))
    return f"<edit>{''.join(f'<{name}>{escape(text)}</{name}>' for name, text in pieces)}</edit>"


def _content(body: str) -> str:
    return f"<content>\n{escape(body)}\n</content>"


def _facts(source: Source) -> str:
    return _written((("title", source.title), *source.facts))


def _written(facts: Iterable[tuple[str, str]]) -> str:
    return "".join(f"<{name}>{escape(value)}</{name}>\n" for name, value in facts)


def _name(source: Source) -> str:
    return place_of(source.facts) or source.title
