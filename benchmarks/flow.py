"""How long a conversation takes to read, and how long one more message or token takes after that.

    python benchmarks/flow.py [--kind linear|regen|agentic|longturn|all] [--size N] [--json]

Needs only triptych. The conversations are made here, the same ones in every run. ``parse_ms`` reads rows into all
three views (list, tree, map); ``parse_with_decode_ms`` starts at JSON bytes; ``append_us`` and ``delta_us`` are one
step of a live conversation of that size; ``bytes_per_message`` is what a live one holds beyond the rows.
The garbage collector stays on.
"""

from __future__ import annotations

import gc
import json
import random
import statistics
import time

import msgspec

from triptych.flow import parse

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


def main():
    for kind in KINDS:
        for n in (1000, 10000):
            rows = conversation(kind, n)
            raw = json.dumps(rows).encode()
            print(
                kind,
                n,
                round(best_ms(views, rows), 2),
                "flat only",
                round(best_ms(parse, rows), 2),
                "decode",
                round(best_ms(lambda b: views(msgspec.json.decode(b)), raw), 2),
            )
    rows = conversation("linear", 100000)
    print("100k", best_ms(views, rows), best_ms(parse, rows))


if __name__ == "__main__":
    main()
