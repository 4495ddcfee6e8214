"""How long a conversation takes to read, and how long one more message or token takes after that.

    python benchmarks/flow.py [--kind linear|regen|agentic|longturn|all] [--size N] [--json]

Needs only triptych. The conversations are made here, the same ones in every run. ``parse_ms`` reads rows into all
three views (list, tree, map); ``parse_with_decode_ms`` starts at JSON bytes; ``append_us`` and ``delta_us`` are one
step of a live conversation of that size; ``bytes_per_message`` is what a live one holds beyond the rows.
The garbage collector stays on.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import time
import tracemalloc

import msgspec

from triptych.flow import LiveFlow, parse

KINDS = ("linear", "regen", "agentic", "longturn")
START = 1_700_000_000_000
WORDS = ["ash", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ivy", "juniper"]
ORIGINAL = {("linear", 100): 0.65, ("linear", 1000): 19.0, ("agentic", 100): 1.7, ("agentic", 1000): 43.0}
"""Milliseconds of the TypeScript original; at 10,000 it overflows its stack."""


class Writer:
    """Makes rows one after another: ids, times and words from one seed."""

    def __init__(self, kind, size):
        self.random = random.Random(f"{kind} {size}")
        self.size = size
        self.rows = []
        self.now = START

    @property
    def full(self):
        return len(self.rows) >= self.size

    def put(self, role, parent, **more):
        number = len(self.rows)
        self.now += self.random.randint(1, 5000)
        words = " ".join(self.random.choices(WORDS, k=self.random.randint(4, 40)))
        row = {"id": f"m{number}", "role": role, "content": f"{role} {number}: {words}"}
        row |= {"createdAt": self.now, "updatedAt": self.now}
        if parent is not None:
            row["parentId"] = parent
        if role == "assistant":
            row |= {"agentId": "agent", "model": "model", "provider": "provider"}
        self.rows.append(row | more)
        return row["id"]

    def tokens(self):
        pick = self.random.randint
        counts = {
            "totalInputTokens": pick(10, 9999),
            "totalOutputTokens": pick(1, 999),
            "totalTokens": pick(11, 10998),
        }
        return {"usage": counts}

    def turn(self, parent, steps, most_calls):
        """Tool-using steps and a closing answer; returns the answer's id."""
        for _ in range(steps):
            if self.full:
                return parent
            ids = [f"call_{len(self.rows)}_{place}" for place in range(self.random.randint(1, most_calls))]
            calls = [
                {"id": one, "identifier": "demo", "apiName": "run", "arguments": '{"q":1}', "type": "builtin"}
                for one in ids
            ]
            assistant = parent = self.put("assistant", parent, tools=calls, metadata=self.tokens())
            for one in ids:
                parent = self.put("tool", assistant, tool_call_id=one)
        return self.put("assistant", parent, metadata=self.tokens())


def conversation(kind, size):
    """Rows of one kind: plain talk, talk with regenerated answers, tool chains, or one endless tool chain."""
    writer = Writer(kind, size)
    parent = None
    if kind == "longturn":
        writer.turn(writer.put("user", None), size, 1)
    while not writer.full:
        if kind == "regen" and writer.random.random() < 0.1:
            parent = regenerated(writer, parent)
        elif kind == "agentic":
            parent = writer.turn(writer.put("user", parent), writer.random.randint(1, 5), 4)
        else:
            parent = writer.put("assistant", writer.put("user", parent), metadata=writer.tokens())
    return writer.rows[:size]


def regenerated(writer, parent):
    count = writer.random.randint(2, 3)
    active = writer.random.randrange(count)
    question = writer.put("user", parent, metadata={"activeBranchIndex": active})
    answers = [writer.put("assistant", question, metadata=writer.tokens()) for _ in range(count)]
    return answers[active]


def views(rows):
    flow = parse(rows)
    return flow, flow.context_tree, flow.message_map


def best_ms(work, argument, budget=3.0):
    """The median of as many runs as the budget of seconds allows, at least three."""
    taken = []
    spent = 0.0
    while len(taken) < 3 or (spent < budget and len(taken) < 25):
        gc.collect()
        start = time.perf_counter()
        work(argument)
        taken.append(time.perf_counter() - start)
        spent += taken[-1]
    return statistics.median(taken) * 1000


def append_us(rows):
    """One more question and its answer at the end of a live conversation of this size, per message."""
    live = LiveFlow(rows)
    tip = live.walk.path[-1].id
    taken = []
    for number in range(400):
        row = {
            "id": f"new{number}",
            "role": "assistant" if number % 2 else "user",
            "content": "more",
            "parentId": tip,
        }
        row |= {"createdAt": START * 2 + number, "updatedAt": START * 2 + number, "agentId": "agent"}
        taken.append(timed(live.append, row))
        tip = row["id"]
    return statistics.median(taken) * 1e6


def step_us(rows):
    """One more call and its result in the open chain at the end, per message."""
    live = LiveFlow(rows)
    tip = live.walk.path[-1].id
    taken = []
    for number in range(400):
        now = START * 2 + number
        if number % 2:
            row = {"id": f"new{number}", "role": "tool", "content": "done", "tool_call_id": f"c{number - 1}"}
        else:
            row = {"id": f"new{number}", "role": "assistant", "content": "", "agentId": "agent"}
            row |= {"tools": [{"id": f"c{number}", "apiName": "run", "arguments": "{}"}]}
        row |= {"parentId": tip, "createdAt": now, "updatedAt": now}
        taken.append(timed(live.append, row))
        tip = tip if number % 2 else row["id"]
    return statistics.median(taken) * 1e6


def delta_us(rows):
    """One streamed token of the newest message."""
    live = LiveFlow(rows)
    tip = live.walk.path[-1].id
    live.append_text(tip, " ")
    return statistics.median(timed(live.append_text, tip, "token ") for _ in range(2000)) * 1e6


def timed(work, *arguments):
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def bytes_per_message(rows):
    """What a live conversation holds beyond the rows, list included."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    live = LiveFlow(rows)
    live.append_text(live.walk.path[-1].id, ".")
    gc.collect()
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return held / len(rows)


def measure(kind, size):
    rows = conversation(kind, size)
    raw = json.dumps(rows).encode()
    grow = step_us if kind == "longturn" else append_us
    return {
        "kind": kind,
        "size": size,
        "parse_ms": round(best_ms(views, rows), 2),
        "list_ms": round(best_ms(parse, rows), 2),
        "parse_with_decode_ms": round(best_ms(lambda text: views(msgspec.json.decode(text)), raw), 2),
        "append_us": round(grow(rows), 1),
        "delta_us": round(delta_us(rows), 1),
        "bytes_per_message": round(bytes_per_message(rows)),
    }


def table(results):
    head = f"{'kind':9} {'size':>7} {'parse ms':>9} {'list ms':>8} {'decode ms':>10} {'append µs':>10} {'delta µs':>9} {'B/msg':>6}"
    print(f"{head}  original ms (ratio)")
    for one in results:
        known = ORIGINAL.get((one["kind"], one["size"]))
        peer = "-" if known is None else f"{known} ({known / one['parse_ms']:.1f}x)"
        numbers = f"{one['parse_ms']:9} {one['list_ms']:8} {one['parse_with_decode_ms']:10}"
        rest = f"{one['append_us']:10} {one['delta_us']:9} {one['bytes_per_message']:6}"
        print(f"{one['kind']:9} {one['size']:7} {numbers} {rest}  {peer}")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--kind", choices=[*KINDS, "all"], default="all")
    words.add_argument("--size", type=int, action="append", help="messages; may be given several times")
    words.add_argument("--json", action="store_true", help="one JSON value instead of a table")
    asked = words.parse_args()
    kinds = KINDS if asked.kind == "all" else (asked.kind,)
    results = [measure(kind, size) for kind in kinds for size in asked.size or (100, 1000, 10_000)]
    if asked.json:
        print(json.dumps(results[0] if len(results) == 1 else results))
    else:
        table(results)


if __name__ == "__main__":
    main()
