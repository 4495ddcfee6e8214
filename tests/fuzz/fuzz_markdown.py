"""Broken Markdown: no exception, no hang, no byte lost.

For notes of Copilot and for our own files: seeds are mangled, read, and checked. Run as a script:
``python tests/fuzz/fuzz_markdown.py [--rounds N] [--seed N]``.
"""

import argparse
import random
import sys
import time
from datetime import UTC

from triptych.formats.conversation import native_conversation
from triptych.formats.copilot_md import pieces
from triptych.formats.copilot_md.reading import read_note
from triptych.formats.copilot_md.writing import write_note
from triptych.formats.notebook.applying import apply_edits
from triptych.formats.notebook.edits import read_edits
from triptych.formats.notebook.reading import parse_page
from triptych.formats.notebook.render import render_page
from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from triptych.repository import Repository

SLOWEST = 2.0
BITS = [
    "**user**: ",
    "\n**ai**: ",
    "[Timestamp: 2026/01/02 03:04:05]",
    "[Context: Notes: a.md, b, c].md | URLs: x, y]",
    "---\n",
    "\n---\n",
    "epoch: 1",
    "&a [*a, *a]",
    "```",
    "```triptych reasoning {}",
    "## You",
    "\n## Assistant · m\n",
    "<!--triptych message {",
    "<!--triptych part null-->",
    "-->",
    "<!--TOOL_CALL_START:1:a:b:c:d:e-->",
    "<!--AGENT_REASONING:x:1:",
    "<think>",
    "\r",
    "\ufeff",
    "\u2028",
    "\x00",
    "\\",
    "\n\n\n",
]


def talk():
    return native_conversation(
        Conversation(id="c", title="T", head_id="d"),
        [
            UserMessage(id="a", parts=(TextPart(text="one\n\ntwo"),)),
            AssistantMessage(
                id="b",
                parent_id="a",
                parts=(ReasoningPart(text="hm"), TextPart(text="x"), ToolCallPart(call_id="1", name="f")),
            ),
            ToolMessage(
                id="t", parent_id="b", parts=(ToolResultPart(call_id="1", content=(TextPart(text="r"),)),)
            ),
            AssistantMessage(id="d", parent_id="b", parts=(TextPart(text="done"),)),
            AssistantMessage(id="e", parent_id="a", parts=(TextPart(text="other"),)),
        ],
    )


COPILOT = (
    '---\nepoch: 1700000000123\nmodelKey: "m|p"\n\n\ntags:\n  - copilot-conversation\n---\n\n'
    "**user**: q\n[Context: Notes: a.md | Tags: #t]\n[Timestamp: 2023/11/14 22:13:20]\n\n"
    "**ai**: a\n```\n**user**: no\n```\n[Timestamp: 2023/11/14 22:13:22]"
)


def mangled(text, chance):
    for _ in range(chance.randint(1, 6)):
        place = chance.randint(0, len(text))
        match chance.randint(0, 4):
            case 0:
                text = text[:place] + chance.choice(BITS) + text[place:]
            case 1:
                text = text[:place] + text[place + chance.randint(1, 40) :]
            case 2:
                start = chance.randint(0, len(text))
                text = text[:place] + text[start : start + 80] + text[place:]
            case 3:
                text = (
                    text[:place]
                    + chr(chance.choice([0, 9, 13, 127, 0x2028, 0xFEFF, 0x1F600]))
                    + text[place + 1 :]
                )
            case _:
                text = text[:place] + chance.choice(BITS) * chance.randint(1, 300) + text[place:]
    return text


def check_copilot(text):
    data = text.encode("utf-8", "surrogatepass")
    imported = read_note(data, zone=UTC)
    note = pieces.cut(data.decode("utf-8", "surrogateescape"))
    assert len(imported.messages) == len(note.pieces)
    assert write_note(imported, zone=UTC).data == data


def check_notebook(text):
    page = parse_page(text)
    assert len(page.messages) == len(page.sheet.sections)
    stored = talk()
    repository = Repository.load(stored.conversation, stored.messages, ())[0]
    edits = read_edits(text, native_conversation(repository.conversation, repository.messages))
    apply_edits(repository, edits, 1)
    spoken = {one.id for one in stored.messages if not isinstance(one, ToolMessage)}
    assert spoken - set(edits.removed) <= {one.id for one in repository.messages}
    again = native_conversation(repository.conversation, repository.messages)
    assert parse_page(render_page(again, previous=text)).messages == again.messages


CASES = [("copilot_md", COPILOT, check_copilot), ("notebook", render_page(talk()), check_notebook)]


def run(rounds, seed):
    for name, text, check in CASES:
        chance = random.Random(seed)
        slowest = 0.0
        for number in range(rounds):
            broken = mangled(text, chance)
            began = time.process_time()
            try:
                check(broken)
            except Exception:
                sys.stderr.write(f"{name}, seed {seed}, round {number}:\n{broken!r}\n")
                raise
            slowest = max(slowest, time.process_time() - began)
            assert slowest < SLOWEST, (name, number, slowest)
        print(f"{name}: {rounds} mangled files, slowest {slowest * 1000:.0f} ms")


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    run(given.rounds, given.seed)
