"""The usual item at a glance, for the wires with content blocks: texts and calls, just their results, or words.

What is not that goes through the careful checks, which say where a body breaks which rule.

Not here: the shape of a block (one module a wire).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from triptych.wires.rules.checks import fits_call_id, fits_call_name
from triptych.wires.rules.finding import Findings, Place, Scan

__all__ = ["Step", "is_usual_text", "pass_usual"]


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


def pass_usual(items: list[Any], place: int, step: Step, scan: Scan, findings: Findings) -> int:
    """Where the run of usual items that begins at this place ends; the scan has seen them then.

    Usual are a reply of texts and calls, the results that just those calls wait for, and a person's texts, each
    where it belongs. What stands at the returned place is for the careful checks.
    """
    field, reply, size = step.field, step.reply, step.size
    last, start = scan.last, scan.index - place
    while last is not None and place < len(items):
        item = items[place]
        content = item.get(field) if type(item) is dict else None
        if type(content) is not list or not content:
            break
        role = item.get("role")
        if last == "assistant":
            passed = role == "user" and (
                _pass_results(content, step, scan, findings) if scan.open else _are_texts(content, size)
            )
            scan.words = scan.words or passed
        else:
            passed = (role == reply and not scan.open) and (
                _are_texts(content, size) or _pass_reply(content, start + place, step, scan, findings)
            )
        if not passed:
            break
        last = "user" if last == "assistant" else "assistant"
        place += 1
    scan.last, scan.index = last, start + place
    return place


def is_usual_text(block: dict[str, Any], size: int) -> bool:
    """Whether the block is a visible text of just ``size`` keys."""
    text = block.get("text")
    if len(block) != size or type(text) is not str or not text or text.isspace():
        return False
    return size == 1 or block.get("type") == "text"


def _are_texts(content: list[Any], size: int) -> bool:
    """Whether every block is a usual text; written out, as most blocks of most requests come this way."""
    for block in content:
        text = block.get("text") if type(block) is dict else None
        if type(text) is not str or len(block) != size or not text or text.isspace():
            return False
        if size > 1 and block.get("type") != "text":
            return False
    return True


def _pass_reply(content: list[Any], index: int, step: Step, scan: Scan, findings: Findings) -> bool:
    """Texts and calls, each with a name of its own in the whole request."""
    calls: dict[str, Place] = {}
    for number, block in enumerate(content):
        if type(block) is not dict:
            return False
        if "text" in block and is_usual_text(block, step.size):
            continue
        call = step.read_call(block)
        if call is None or not fits_call_name(call[1], findings) or not fits_call_id(call[0], findings):
            return False
        if call[0] in scan.ids or call[0] in calls:
            return False
        calls[call[0]] = (step.place, index, step.field, number)
    scan.ids.update(calls)
    scan.open = calls
    scan.calls = True
    return True


def _pass_results(content: list[Any], step: Step, scan: Scan, findings: Findings) -> bool:
    """The results have to be all that is waited for, and nothing else may stand beside them."""
    waiting = scan.open
    answered: list[str] = []
    for block in content:
        result = step.read_result(block) if type(block) is dict else None
        if result is None or type(result[0]) is not str or result[0] not in waiting:
            return False
        if result[1] is not None and not fits_call_name(result[1], findings):
            return False
        answered.append(result[0])
    if len(answered) != len(waiting) or (len(answered) > 1 and len(set(answered)) != len(waiting)):
        return False
    scan.open = {}
    scan.calls = True
    return True
