"""What of an assistant group is the answer, and what is the work that led to it.

Blocks are the children of a group row. Before the first tool call and after the last one an agent answers; between
them it works, and what it says there is status, unless several calls were made and it says more than a status.

Not here: which messages are blocks (``groups``), and how the two parts are drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from triptych.flow.reading import truthy

__all__ = ["final_content", "is_status", "partition", "split_final"]

Block = Mapping[str, Any]
Segment = dict[str, Any]

_LOADING: Final = "..."
_SPACE: Final = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_BLANK: Final = "".join(chr(code) for code in range(0x10000) if re.match(f"[{_SPACE}]", chr(code)))
_MARKED: Final = re.compile(rf"#{{1,6}}[{_SPACE}]|[-*][{_SPACE}]+[^{_SPACE}]")
_SENTENCE_END: Final = re.compile(rf"[。！？]|[.!?](?=[{_SPACE}]|\Z)")
_LONGEST_STATUS: Final = 100


def is_status(content: Any) -> bool:
    """Whether a text only says what is going on: nothing, or one short plain sentence."""
    text = _trimmed(content)
    if text in {"", _LOADING}:
        return True
    if (
        "\n" in text
        or _MARKED.match(text)
        or len(text.encode("utf-16-le", "surrogatepass")) // 2 > _LONGEST_STATUS
    ):
        return False
    return len(_SENTENCE_END.findall(text)) <= 1


def partition(
    blocks: Sequence[Block], *, generating: bool = False, tools_phase_complete: bool = False
) -> tuple[list[Segment], bool]:
    """The blocks as segments of work and answer.

    Returns:
        segments ``{"kind": "answer", "block"}`` or ``{"kind": "workflow", "blocks"}``, and whether the answer after
        the last call was promoted while the agent is still generating.
    """
    parts = _Segments()
    with_tools = [place for place, block in enumerate(blocks) if _calls(block)]
    if not with_tools:
        for block in blocks:
            parts.answer(block)
        return parts.segments, False
    first, last = with_tools[0], with_tools[-1]
    several = sum(len(_calls(block)) for block in blocks) > 1
    for block in blocks[:first]:
        parts.answer(block)
    tail = _promoted_tail(blocks, last) if generating and tools_phase_complete else None
    end = last + 1 if not generating else len(blocks) if tail is None else tail
    for block in blocks[first:end]:
        _work(parts, block, several=several)
    _finish(parts, blocks[end:], settled=not generating)
    return parts.segments, tail is not None


def split_final(segments: Sequence[Segment]) -> tuple[list[Segment], list[Segment]]:
    """The last run of answers, and all the rest in order."""
    end = next(
        (place for place in range(len(segments), 0, -1) if segments[place - 1].get("kind") == "answer"), 0
    )
    start = end
    while start > 0 and segments[start - 1].get("kind") == "answer":
        start -= 1
    return list(segments[start:end]), [*segments[:start], *segments[end:]]


def final_content(message: Mapping[str, Any]) -> Any:
    """What to copy or quote of a group: the final answer, else the best of what was said; None if nothing was."""
    completions, children = _blocks(message, "taskCompletions"), _blocks(message, "children")
    ended, said = _answers(completions), _answers(children)
    choices = (
        ended[0], said[0], _authored(message.get("content")), ended[1], said[1],
        _latest(completions), _latest(children),
    )  # fmt: skip
    return next((choice for choice in choices if choice is not None), None)


class _Segments:
    """Segments in the making: neighbouring blocks of work share one."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []

    def answer(self, block: Block) -> None:
        self.segments.append({"kind": "answer", "block": block})

    def work(self, block: Block) -> None:
        if self.segments and self.segments[-1]["kind"] == "workflow":
            self.segments[-1]["blocks"].append(block)
        else:
            self.segments.append({"kind": "workflow", "blocks": [block]})


def _promoted_tail(blocks: Sequence[Block], last: int) -> int | None:
    places = range(last + 1, len(blocks))
    return next((place for place in places if not is_status(blocks[place].get("content"))), None)


def _work(parts: _Segments, block: Block, *, several: bool) -> None:
    """A block between the first and the last call; an error or more than a status is an answer too."""
    tools, content = _calls(block), block.get("content")
    if truthy(block.get("error")):
        if tools:
            parts.work(_projected(block, "workflow", "error", "imageList", "reasoning", content=""))
            parts.answer(_projected(block, "answer", "reasoning", "tools"))
        else:
            parts.answer(block)
    elif several and tools and _authored(content) is not None and not is_status(content):
        parts.answer(_projected(block, "answer", "error", "tools"))
        parts.work(_projected(block, "workflow", "imageList", "reasoning", content=""))
    else:
        parts.work(block)


def _finish(parts: _Segments, blocks: Sequence[Block], *, settled: bool) -> None:
    """The blocks after the last call: thoughts are work, what was said is the answer."""
    thinking = settled
    for block in blocks:
        thinking = thinking and _only_thinks(block)
        if not thinking:
            parts.answer(block)
            continue
        parts.work(_projected(block, "workflow", content=""))
        if _authored(block.get("content")) is not None or _has_items(block.get("imageList")):
            parts.answer(_projected(block, "answer", "reasoning"))


def _only_thinks(block: Block) -> bool:
    reasoning = block.get("reasoning")
    thought = _trimmed(reasoning.get("content")) if isinstance(reasoning, Mapping) else ""
    return bool(thought) and not _calls(block) and not truthy(block.get("error"))


def _projected(block: Block, projection: str, *removed: str, **changed: Any) -> Block:
    kept = {key: value for key, value in block.items() if key not in removed}
    return {**kept, **changed, "projection": projection}


def _answers(blocks: Sequence[Block]) -> tuple[Any, Any]:
    """The latest authored answer of the final run, and of all."""
    segments, _ = partition(blocks)
    final, _ = split_final(segments)
    every = [segment["block"] for segment in segments if segment["kind"] == "answer"]
    return _latest([segment["block"] for segment in final]), _latest(every)


def _latest(blocks: Sequence[Block]) -> Any:
    said = (_authored(block.get("content")) for block in reversed(blocks))
    return next((content for content in said if content is not None), None)


def _authored(content: Any) -> Any:
    """The content, unless nobody wrote it."""
    return None if _trimmed(content) == "" or content == _LOADING else content


def _trimmed(content: Any) -> str:
    return content.strip(_BLANK) if isinstance(content, str) else ""


def _calls(block: Block) -> Sequence[Any]:
    found = block.get("tools")
    return found if isinstance(found, list | tuple) else ()


def _has_items(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value)


def _blocks(message: Mapping[str, Any], key: str) -> list[Block]:
    found = message.get(key)
    return [block for block in found if isinstance(block, Mapping)] if isinstance(found, list | tuple) else []
