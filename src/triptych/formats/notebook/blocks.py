"""The parts of a message as blocks of Markdown, from JSON values and back.

* text           prose; where two texts meet, or one has more than its words, ``<!--triptych text {…}-->`` opens it
* reasoning, tool calls, simple tool results and refusals: a fence ``triptych KIND {other fields}`` with the words
* all else       one line: something to read, then ``<!--triptych part JSON-->``

Works on JSON, not on typed parts, so what nobody knows comes back as it was. Not here: whole messages (``render``,
``scan``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from triptych.formats.notebook.escape import escape_text, escape_verbatim, unescape_verbatim

__all__ = ["FENCE", "PART", "TEXT", "comment", "fenced_part", "label_of", "load_json", "part_blocks"]

TEXT = re.compile(r"<!--triptych text (\{.*\})-->(.*)\Z", re.DOTALL)
PART = re.compile(r"(.*?)<!--triptych part (.*)-->(.*)\Z", re.DOTALL)
FENCE = re.compile(r"(`{3,})triptych ([A-Za-z]+) (\{.*\})[ \t]*\Z")
_RUN = re.compile(r"`+")
_WORDS = {"reasoning": "text", "refusal": "text", "toolCall": "arguments"}
"""The field of each kind that stands in the fence as it is."""

_FENCED = frozenset({*_WORDS, "toolResult"})
_JSON = msgspec.json.Encoder()


def comment(kind: str, value: Any) -> str:
    """One of our comments: a single line, whatever the value holds."""
    text = _JSON.encode(value).decode().replace(">", "\\u003e")
    return f"<!--triptych {kind} {text}-->"


def load_json(text: str) -> Any:
    """The JSON value of a comment; ``msgspec.DecodeError`` when a hand has broken it."""
    return msgspec.json.decode(text.encode("utf-8", "replace"))


def part_blocks(parts: Iterable[Any]) -> list[str]:
    """The blocks of a message's parts, to be joined by blank lines."""
    blocks: list[str] = []
    after_text = False
    for part in parts:
        words = _plain_words(part)
        if words is None:
            blocks.append(_block(part))
            after_text = False
            continue
        rest = {key: value for key, value in part.items() if key not in {"type", "text"}}
        opened = comment("text", rest) + "\n" if rest or after_text or not words else ""
        blocks.append(opened + (escape_text(words) if words else ""))
        after_text = True
    return blocks


def _plain_words(part: Any) -> str | None:
    """The words of a text part, or None for any other value."""
    is_text = isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    return part["text"] if is_text else None


def _block(part: Any) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    field = _WORDS.get(kind) if isinstance(kind, str) else None
    if kind == "toolResult" and (words := _sole_text(part.get("content"))) is not None:
        return _fence("toolResult", {k: v for k, v in part.items() if k not in {"type", "content"}}, words)
    if field is not None and isinstance(part.get(field), str):
        return _fence(str(kind), {k: v for k, v in part.items() if k not in {"type", field}}, part[field])
    return f"{label_of(part)} {comment('part', part)}"


def _sole_text(content: Any) -> str | None:
    if not isinstance(content, list) or len(content) != 1:
        return None
    only = content[0]
    plain = isinstance(only, dict) and set(only) == {"type", "text"} and only["type"] == "text"
    return only["text"] if plain and isinstance(only["text"], str) else None


def _fence(kind: str, rest: dict[str, Any], words: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in _RUN.findall(words)), default=0))
    head = _JSON.encode(rest).decode().replace("`", "\\u0060")
    return f"{fence}triptych {kind} {head}\n{escape_verbatim(words)}\n{fence}"


def fenced_part(kind: str, rest: Any, words: str) -> Any:
    """The part of a fence; the words are the lines between. None when the fence is not one of ours."""
    if kind not in _FENCED or not isinstance(rest, dict):
        return None
    text = unescape_verbatim(words)
    if kind == "toolResult":
        return {"type": kind, **rest, "content": [{"type": "text", "text": text}]}
    return {"type": kind, **rest, _WORDS[kind]: text}


def label_of(part: Any) -> str:
    """What a person reads of a part that is not prose: one line without our marks."""
    if not isinstance(part, dict):
        return "•"
    reference = part.get("reference")
    if part.get("type") == "reference" and isinstance(reference, dict):
        return f"📎 {_reference_label(reference)}".strip()
    name = part.get("name") or part.get("title") or part.get("url") or part.get("message") or part.get("type")
    return f"📄 {_one_line(name)}".strip()


def _reference_label(reference: dict[str, Any]) -> str:
    path = reference.get("path")
    if isinstance(path, str) and reference.get("kind") != "folder":
        return f"[[{_one_line(path)}]]"
    words = (reference.get(key) for key in ("path", "tag", "url", "query", "text", "conversationId"))
    return f"{_one_line(reference.get('kind'))}: {_one_line(next((word for word in words if word), ''))}"


def _one_line(value: Any) -> str:
    return re.sub(r"[\s<>`]+", " ", value if isinstance(value, str) else "")[:80].strip()
