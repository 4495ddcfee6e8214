"""Marks that the program leaves inside the text of an answer: thinking, agent steps, tool banners.

They become parts, so that no model reads private reasoning as an answer. The raw piece keeps the bytes.
"""

from __future__ import annotations

import json
import re
from urllib.parse import unquote

import msgspec

from triptych.formats.copilot_md.pieces import SPACE
from triptych.model.ids import CallId
from triptych.model.parts import (
    AssistantPart,
    ErrorPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

__all__ = ["answer_parts", "without_reasoning_mark"]

_REASONING = re.compile(r"<!--AGENT_REASONING:(\w+):(\d{1,12}):")
_DECODER = json.JSONDecoder()
_THINK = "<think>"
_THOUGHT = "</think>"
_BANNER = re.compile(
    r"<!--TOOL_CALL_START:([^:\n]{1,200}):([^:\n]{1,200}):(?:[^:\n]{0,200}:){3}[^:\n]{0,200}?-->"
)
_ERROR = re.compile(r"\A<errorChunk>(.*)</errorChunk>\Z", re.DOTALL)


class _Mark(msgspec.Struct, frozen=True):
    start: int
    end: int
    seconds: int
    payload: str


def without_reasoning_mark(text: str) -> str:
    """The text as the program saves it: the first mark of agent steps goes, and then the blanks around."""
    mark = _reasoning(text)
    return (text[: mark.start] + text[mark.end :]).strip(SPACE) if mark else text


def _reasoning(text: str) -> _Mark | None:
    opened = _REASONING.search(text)
    closed = text.find("-->", _end_of_steps(text, opened.end())) if opened else -1
    if opened is None or closed < 0:
        return None
    return _Mark(opened.start(), closed + 3, int(opened[2]), text[opened.end() : closed])


def _end_of_steps(text: str, start: int) -> int:
    """Where the list of steps ends, which may hold the end of a mark in its texts; ``start`` when it is no list."""
    try:
        end = _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return start
    return end if text.startswith("-->", end) else start


def answer_parts(text: str) -> tuple[AssistantPart, ...]:
    """The parts of an answer: steps and thinking first, then text with the tool calls at their places."""
    parts: list[AssistantPart] = []
    mark = _reasoning(text)
    if mark:
        parts.append(ReasoningPart(text=_steps(mark.payload), duration=mark.seconds * 1000))
        text = without_reasoning_mark(text)
    thoughts, text = _thoughts(text)
    failed = _ERROR.match(text)
    shown = [ErrorPart(message=failed[1])] if failed else _text_and_calls(text)
    return (*parts, *thoughts, *shown)


def _thoughts(text: str) -> tuple[list[ReasoningPart], str]:
    """Closed blocks of thinking at the beginning, and the rest; an open one is text."""
    parts: list[ReasoningPart] = []
    place = 0
    while text.startswith(_THINK, place) and (end := text.find(_THOUGHT, place)) >= 0:
        parts.append(ReasoningPart(text=text[place + len(_THINK) : end].strip(SPACE)))
        place = end + len(_THOUGHT)
        while place < len(text) and text[place] in SPACE:
            place += 1
    return parts, text[place:]


def _text_and_calls(text: str) -> list[AssistantPart]:
    parts: list[AssistantPart] = []
    place = 0
    for banner in _BANNER.finditer(text):
        end = f"<!--TOOL_CALL_END:{banner[1]}:"
        last = text.find(end, banner.end()) if banner.start() >= place else -1
        closed = text.find("-->", last) if last >= 0 else -1
        if closed < 0:
            continue
        parts += [*_text(text[place : banner.start()]), *_call(banner, text[last + len(end) : closed])]
        place = closed + 3
    return [*parts, *_text(text[place:])]


def _text(text: str) -> list[TextPart]:
    return [TextPart(text=text)] if text else []


def _steps(payload: str) -> str:
    try:
        steps = json.loads(payload)
    except (ValueError, RecursionError):
        return payload
    return "\n".join(step for step in steps if isinstance(step, str)) if isinstance(steps, list) else payload


def _call(banner: re.Match[str], result: str) -> tuple[ToolCallPart, ToolResultPart]:
    call_id = CallId(banner[1])
    shown = unquote(result.removeprefix("ENC:")) if result.startswith("ENC:") else result
    call = ToolCallPart(call_id=call_id, name=banner[2], server_side=True)
    return call, ToolResultPart(
        call_id=call_id, name=banner[2], content=(TextPart(text=shown),) if shown else ()
    )
