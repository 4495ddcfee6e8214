"""The usual item at a glance, for the wires with content blocks: texts and calls, just their results, or words.

What is not that goes through the careful checks, which say where a body breaks which rule.

Not here: the shape of a block (one module a wire).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from triptych.wires.rules.checks import fits_call_id, fits_call_name
from triptych.wires.rules.finding import Findings, Scan

__all__ = ["Step", "is_usual_step", "is_usual_text"]


class Step(NamedTuple):
    """How one wire writes a step.

    Attributes:
        place: where the items stand. field: the name of an item's blocks. reply: the word for the assistant's role.
        size: how many keys a block of text has.
        read_call: id and name of a block that is a call and nothing else; None for any other block.
        read_result: id and tool name (where the wire has it) of a block that is a result in texts; None likewise.
    """

    place: str
    field: str
    reply: str
    size: int
    read_call: Callable[[dict[str, Any]], tuple[Any, Any] | None]
    read_result: Callable[[dict[str, Any]], tuple[Any, Any] | None]


def is_usual_step(item: Any, step: Step, scan: Scan, findings: Findings) -> bool:
    """Pass the usual item at a glance; False when the careful checks have to look at it.

    That is a reply of texts and calls, the results that just those calls wait for, or a person's texts.
    """
    content = item.get(step.field) if type(item) is dict else None
    if type(content) is not list or not content or scan.last is None:
        return False
    role = item.get("role")
    if role == step.reply:
        passed = scan.last != "assistant" and not scan.open and _pass_reply(content, step, scan, findings)
    elif role != "user" or scan.last != "assistant":
        passed = False
    elif scan.open:
        passed = _pass_results(content, step, scan, findings)
    else:
        passed = _pass_words(content, step, scan)
    scan.index += passed
    return passed


def is_usual_text(block: dict[str, Any], size: int) -> bool:
    """Whether the block is a visible text of just ``size`` keys."""
    text = block.get("text")
    if len(block) != size or type(text) is not str or not text or text.isspace():
        return False
    return size == 1 or block.get("type") == "text"


def _pass_reply(content: list[Any], step: Step, scan: Scan, findings: Findings) -> bool:
    calls: dict[str, str] = {}
    for number, block in enumerate(content):
        if type(block) is not dict:
            return False
        if is_usual_text(block, step.size):
            continue
        call = step.read_call(block)
        if call is None or not fits_call_id(call[0], findings) or not fits_call_name(call[1], findings):
            return False
        if call[0] in scan.ids or call[0] in calls:
            return False
        calls[call[0]] = f"{step.place}[{scan.index}].{step.field}[{number}]"
    if calls:
        scan.ids.update(calls)
        scan.open = calls
        scan.calls = True
    scan.last = "assistant"
    return True


def _pass_words(content: list[Any], step: Step, scan: Scan) -> bool:
    for block in content:
        if type(block) is not dict or not is_usual_text(block, step.size):
            return False
    scan.words = True
    scan.last = "user"
    return True


def _pass_results(content: list[Any], step: Step, scan: Scan, findings: Findings) -> bool:
    """The results have to be all that is waited for, and nothing else may stand beside them."""
    waiting, answered = scan.open, set[str]()
    if len(content) != len(waiting):
        return False
    for block in content:
        result = step.read_result(block) if type(block) is dict else None
        if result is None or type(result[0]) is not str or result[0] not in waiting:
            return False
        if result[1] is not None and not fits_call_name(result[1], findings):
            return False
        answered.add(result[0])
    if len(answered) != len(waiting):
        return False
    scan.open = {}
    scan.calls = scan.words = True
    scan.last = "user"
    return True
