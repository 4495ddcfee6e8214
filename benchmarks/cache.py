"""What prompt caching saves: our layout beside those that note-chat programs use, over scripted conversations.

Run: python benchmarks/cache.py [--json] [FILE …]     FILE: scenarios as ``triptych pipe turns`` reads them; without
one, ten scenarios of 20 turns are made up (fixed seeds; prose of chance, since only lengths matter).

A request is compared byte by byte with the one before it: what it shares is read from the provider's cache at a tenth
of the price. ``fresh`` = of all attached notes, how many are in their request in their present text (in full, or in
full with exact changes behind it).
"""

from __future__ import annotations

import itertools
import json
import random
import sys
from pathlib import Path
from typing import Any

from triptych.cli.pipe.turns import handle

SIZES = (600, 1_500, 3_000, 4_900, 8_000, 12_000, 20_000, 2_500)
WORDS = [
    "note",
    "plan",
    "tide",
    "lamp",
    "bed",
    "seed",
    "mast",
    "rope",
    "chart",
    "bread",
    "harbour",
    "garden",
    "weather",
    "list",
    "date",
    "table",
    "engine",
    "fog",
]
Request = list[dict[str, str]]


def prose(chance: random.Random, size: int) -> str:
    """About ``size`` bytes of paragraphs."""
    words: list[str] = []
    length = 0
    while length < size:
        word = chance.choice(WORDS) + (".\n" if chance.random() < 0.06 else "")
        words.append(word)
        length += len(word) + 1
    return " ".join(words)[:size]


def scenario(seed: int) -> dict[str, Any]:
    """Twenty turns over eight notes: some stay attached, some are edited, some leave."""
    chance = random.Random(seed)
    notes = {f"notes/{name}.md": prose(chance, size) for name, size in zip("ABCDEFGH", SIZES, strict=True)}
    now, attached, turns = dict(notes), [], []
    for _ in range(20):
        if chance.random() < 0.45 or not attached:
            attached = [*attached, chance.choice(sorted(now))][-3:]
        elif chance.random() < 0.4:
            attached = attached[1:]
        put = {}
        if attached and chance.random() < 0.2:
            name = chance.choice(attached)
            middle = len(now[name]) // 2
            put[name] = now[name] = now[name][:middle] + " and quite suddenly a gull" + now[name][middle:]
        question, reply = prose(chance, 150), prose(chance, chance.randint(600, 1_500))
        turns.append({"put": put, "attach": sorted(set(attached)), "question": question, "reply": reply})
    return {"name": f"made up {seed}", "system": prose(chance, 3_000), "notes": notes, "turns": turns}


def append_all(talk: dict[str, Any]) -> list[Request]:
    """Every attached note in full in every turn, inside the user message."""
    return list(_replayed(talk, keep=True))


def resend_last(talk: dict[str, Any]) -> list[Request]:
    """History as plain words; all context in the last user message only."""
    return list(_replayed(talk, keep=False))


def library(talk: dict[str, Any]) -> list[Request]:
    """Earlier notes in the system text, this turn's new ones in the user message."""
    notes, shelf, history, requests = dict(talk["notes"]), {}, [], []
    for turn in talk["turns"]:
        notes |= turn["put"]
        fresh = [name for name in turn["attach"] if name not in shelf]
        system = "\n\n".join([talk["system"], *(_block(name, text) for name, text in shelf.items())])
        user = "\n\n".join([*(_block(name, notes[name]) for name in fresh), turn["question"]])
        requests.append([_said("system", system), *history, _said("user", user)])
        shelf |= {name: notes[name] for name in fresh}
        history += [_said("user", turn["question"]), _said("assistant", turn["reply"])]
    return requests


def _replayed(talk: dict[str, Any], *, keep: bool) -> Any:
    notes, history = dict(talk["notes"]), [_said("system", talk["system"])]
    for turn in talk["turns"]:
        notes |= turn["put"]
        user = "\n\n".join([*(_block(name, notes[name]) for name in turn["attach"]), turn["question"]])
        yield [*history, _said("user", user)]
        history += [_said("user", user if keep else turn["question"]), _said("assistant", turn["reply"])]


def _block(name: str, text: str) -> str:
    return f"<note_context>\n<path>{name}</path>\n<content>\n{text}\n</content>\n</note_context>"


def _said(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def serialized(request: Request) -> bytes:
    return "".join(f"<|{one['role']}|>\n{one['content']}\n<|end|>\n" for one in request).encode()


def shared(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def measure(talk: dict[str, Any], requests: list[Request], *, changes: bool) -> dict[str, float]:
    sent = [serialized(request) for request in requests]
    cached = sum(shared(before, after) for before, after in itertools.pairwise(sent))
    total = sum(map(len, sent))
    notes, fresh, wanted = dict(talk["notes"]), 0, 0
    for turn, request in zip(talk["turns"], requests, strict=True):
        notes |= turn["put"]
        text = "\n".join(one["content"] for one in request)
        wanted += len(turn["attach"])
        fresh += sum(
            notes[name] in text or (changes and "<changed_since>" in text) for name in turn["attach"]
        )
    return {
        "hit": cached / total,
        "uncached": total - cached,
        "cost": total - cached + 0.1 * cached,
        "last": len(sent[-1]),
        "fresh": fresh / wanted if wanted else 1.0,
    }


LAYOUTS: dict[str, Any] = {
    "append (ours)": lambda talk: handle(talk)["requests"],
    "library (ours)": lambda talk: handle(talk | {"layout": "library"})["requests"],
    "append, all attachments each turn": append_all,
    "library in the system text": library,
    "context in the last message only": resend_last,
}


def main() -> None:
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    talks = [json.loads(Path(name).read_text()) for name in names] or [scenario(seed) for seed in range(10)]
    figures = {}
    for name, layout in LAYOUTS.items():
        measured = [measure(talk, layout(talk), changes=name.endswith("(ours)")) for talk in talks]
        figures[name] = {key: sum(one[key] for one in measured) / len(measured) for key in measured[0]}
    if "--json" in sys.argv:
        print(json.dumps(figures))
        return
    print(f"means over {len(talks)} conversations; bytes\n")
    print(f"{'layout':36}{'hit':>8}{'uncached':>11}{'cost':>11}{'last':>10}{'fresh':>8}")
    for name, one in figures.items():
        print(
            f"{name:36}{one['hit']:8.3f}{one['uncached']:11.0f}{one['cost']:11.0f}{one['last']:10.0f}{one['fresh']:8.0%}"
        )


if __name__ == "__main__":
    main()
