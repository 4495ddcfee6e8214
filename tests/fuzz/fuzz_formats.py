"""Broken chat files: whatever the bytes, a reader gives values, names what it left out, and ends soon.

Run: python tests/fuzz/fuzz_formats.py [--count 100000] [--seed 1] [--files FOLDER] [FORMAT …]
With ``--files`` it is the chat files of a folder that are broken, instead of our small samples.
"""

import argparse
import copy
import json
import random
import re
import runpy
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz.conservation import unaccounted

from triptych.formats.read import read
from triptych.formats.summary import summarize_conversation
from triptych.model.codec import decode_message, encode_message

SAMPLES = runpy.run_path(str(Path(__file__).parents[1] / "formats" / "samples.py"))["SAMPLES"]
SECONDS = 5.0
VALUES = [
    None, True, False, 0, -1, 3.5, 10**20, "", "x", "a1", "u1", "\ud800", "a\x00b", [], {}, [None], {"a": 1},
    [[]], "2026-02-03T10:00:00Z", 1e300, {"type": "text", "text": "t"}, {"type": "novel"}, "[1]", "{",
]  # fmt: skip
PIECES = [
    b"null",
    b"[]",
    b"{}",
    b'"x"',
    b"-1",
    b"1e999",
    b"\\ud800",
    b"\\u0000",
    b"true",
    b"\xff",
    b"\n",
    b'"',
    b"{",
    b"]",
]
TOKEN = re.compile(rb'"[^"\n]{0,30}"|-?\d+(?:\.\d+)?|null|true|false')


def mutate_bytes(data, chance):
    """A few bytes changed, moved, doubled or cut away."""
    broken = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 6))):
        start = chance.randrange(len(broken) + 1)
        end = min(len(broken), start + chance.randrange(1, 60))
        match chance.randrange(7):
            case 0:
                broken[start:end] = b""
            case 1:
                broken[start:start] = broken[start:end]
            case 2:
                del broken[start:]
            case 3:
                broken[start:end] = chance.choice(PIECES)
            case 4:
                broken[start:start] = chance.randbytes(3)
            case _:
                tokens = list(TOKEN.finditer(bytes(broken)))
                if len(tokens) > 1:
                    one, other = chance.sample(tokens, 2)
                    broken[one.start() : one.end()] = other.group()
    return bytes(broken)


def mutate_value(value, chance):
    """A few places of a JSON value replaced, removed, doubled or swapped."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        places = []
        pending = [value]
        while pending:
            holder = pending.pop()
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            for key in keys:
                places.append((holder, key))
                if isinstance(holder[key], dict | list):
                    pending.append(holder[key])
        if not places:
            break
        holder, key = chance.choice(places)
        other, other_key = chance.choice(places)
        match chance.randrange(5):
            case 0:
                holder[key] = copy.deepcopy(chance.choice(VALUES))
            case 1 if isinstance(holder, dict):
                del holder[key]
            case 1:
                holder.pop(key)
            case 2 if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
            case 3:
                holder[key] = copy.deepcopy(other[other_key])
            case _:
                holder[key] = copy.deepcopy(chance.choice(VALUES))
    return value


def mutated(data, chance):
    """Broken as text or as values, as one file or as lines."""
    if chance.random() < 0.5:
        return mutate_bytes(data, chance)
    try:
        return json.dumps(mutate_value(json.loads(data), chance)).encode()
    except ValueError:
        pass
    try:
        lines = [json.loads(line) for line in data.splitlines()]
    except ValueError:
        return mutate_bytes(data, chance)
    return b"\n".join(json.dumps(line).encode() for line in mutate_value(lines, chance))


def check(data, name, *, forced):
    """Read it and hold the result to the laws."""
    began = time.process_time()
    conversations, diagnostics = read(data, name=f"{name}.x", format_name=name if forced else None)
    took = time.process_time() - began
    assert took < SECONDS, f"took {took:.1f} s"
    assert conversations or any(one.severity != "info" for one in diagnostics), "dropped without a word"
    lost = list(unaccounted(conversations, diagnostics))
    assert not lost, f"records out of sight: {lost}"
    for one in conversations:
        ids = [message.id for message in one.messages]
        assert len(set(ids)) == len(ids), "an id is used twice"
        assert one.messages, "a conversation without messages"
        assert one.conversation.head_id in ids, "the head is no message"
        known = set(ids)
        assert all(message.parent_id in known for message in one.messages if message.parent_id), (
            "a lost parent"
        )
        for message in one.messages:
            back, found = decode_message(encode_message(message))
            assert back == message, f"{message!r} comes back as {back!r}: {found}"
        summarize_conversation(one)


def seeds(folder):
    """What is broken, by name: our samples, or the files of a folder with the format that each is read as."""
    if folder is None:
        return {name: (name.partition(" ")[0], data) for name, data in SAMPLES.items()}
    found = {}
    for path in sorted(folder.rglob("*.json*")):
        conversations, _ = read(path)
        if conversations and not path.name.endswith(".expect.json"):
            found[f"{path.parent.name}/{path.name}"] = (conversations[0].source.format, path.read_bytes())
    return found


def run(name, plain, data, count, seed):
    """``count`` broken files of one format; the number that failed, with the first few shown."""
    chance = random.Random(f"{seed} {name}")
    failed = 0
    for number in range(count):
        broken = mutated(data, chance)
        try:
            check(broken, plain, forced=number % 2 == 0)
        except Exception as problem:  # noqa: BLE001 # any exception is what this looks for
            failed += 1
            if failed <= 3:
                place = traceback.extract_tb(problem.__traceback__)[-1]
                print(f"{name} #{number}: {type(problem).__name__}: {problem}")
                print(f"  {place.filename}:{place.lineno}\n  {broken[:2000]!r}")
    return failed


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--files", type=Path)
    options.add_argument("formats", nargs="*")
    given = options.parse_args()
    failed = 0
    for name, (plain, data) in seeds(given.files).items():
        if given.formats and name not in given.formats and plain not in given.formats:
            continue
        began = time.perf_counter()
        wrong = run(name, plain, data, given.count, given.seed)
        failed += wrong
        print(
            f"{name:40} {given.count:8} files {wrong:4} failed {time.perf_counter() - began:7.1f} s",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
