"""What the context pipeline costs: cold, warm after one new turn, and counting tokens.

    python benchmarks/context.py [--json]

Times are the best of several runs, of process CPU time. The figures of the original are those of its own
benchmark on such rows (5, 18, 180 ms for the pipeline, 16, 148, 1,356 ms for counting).
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time

from triptych.context import pipelines
from triptych.context.budget import Budget, plan
from triptych.context.draft import draft_of
from triptych.context.tokens.counter import TokenCounter, best_counter
from triptych.context.tokens.estimate import estimate_tokens

SIZES = (100, 1_000, 10_000)
ORIGINAL = {100: (5.0, 16.0), 1_000: (18.0, 148.0), 10_000: (180.0, 1356.0)}
GOALS = {100: 1.5, 1_000: 8.0, 10_000: 60.0}
WORDS = [
    "note",
    "vault",
    "river",
    "sample",
    "model",
    "answer",
    "table",
    "window",
    "summer",
    "folder",
    "draft",
    "change",
]
MANIFESTS = [
    {"identifier": "notes", "api": [{"name": "read"}, {"name": "search"}], "systemRole": "Search first."}
]


def sentence(rng, words):
    return " ".join(rng.choice(WORDS) for _ in range(words)) + "."


def turn(rng, number):
    """A user message, three tool steps and an answer: eight rows."""
    made = [{"id": f"u{number}", "role": "user", "content": sentence(rng, 20), "createdAt": number}]
    for step in range(3):
        call = f"call-{number}-{step}"
        tool = {
            "id": call,
            "identifier": "notes",
            "apiName": "read",
            "arguments": '{"path":"a.md"}',
            "type": "builtin",
        }
        made.append(
            {"id": f"a{number}-{step}", "role": "assistant", "content": sentence(rng, 8), "tools": [tool]}
        )
        made.append(
            {
                "id": f"t{number}-{step}",
                "role": "tool",
                "tool_call_id": call,
                "content": sentence(rng, 60),
                "plugin": {
                    "identifier": "notes",
                    "apiName": "read",
                    "arguments": '{"path":"a.md"}',
                    "type": "builtin",
                },
            }
        )
    made.append({"id": f"a{number}", "role": "assistant", "content": sentence(rng, 60)})
    return made


def history(size):
    rng = random.Random(size)
    made, number = [], 0
    while len(made) < size:
        made.extend(turn(rng, number))
        number += 1
    return tuple(made[:size]), tuple(turn(rng, number))


def best(run, times):
    found = []
    for _ in range(times):
        gc.collect()
        began = time.process_time()
        run()
        found.append(time.process_time() - began)
    return 1000 * min(found)


def measure(size, times):
    rows, new = history(size)
    engine = pipelines.chat(
        instructions="You help with notes.", tools=MANIFESTS, variables={"who": lambda: "Ann"}
    )
    cold = best(lambda: engine.run(draft_of(rows)), times)
    before = engine.run(draft_of(rows))
    longer = rows + new
    warm = best(lambda: engine.run(draft_of(longer), after=before), times * 3)
    assert engine.run(draft_of(longer), after=before).rows == engine.run(draft_of(longer)).rows
    size_mb = sum(len(row["content"]) for row in rows) / 1e6
    first = best(lambda: TokenCounter(best_counter()).tally(rows), times)
    seen = {}
    counter = TokenCounter(best_counter(), cache=seen)
    tally = counter.tally(rows)
    again = min(recount(seen, longer, tally) for _ in range(times * 3))
    counted = counter.tally(longer, after=tally)
    planned = best(lambda: plan(longer, Budget(window=100_000), counter, tally=counted), times)
    return {
        "rows": size,
        "coldMs": cold,
        "goalMs": GOALS[size],
        "originalMs": ORIGINAL[size][0],
        "warmMs": warm,
        "firstCountMs": first,
        "firstCountMsPerMB": first / size_mb,
        "originalCountMs": ORIGINAL[size][1],
        "newTurnCountMs": again,
        "newTurnGoalMs": 0.2 + 0.05 * sum(len(row["content"]) for row in new) / 1000,
        "planMs": planned,
    }


def recount(seen, rows, tally):
    """Counting the new turn when its texts have never been seen."""
    fresh = TokenCounter(best_counter(), cache=seen.copy())
    began = time.process_time()
    fresh.tally(rows, after=tally)
    return 1000 * (time.process_time() - began)


def text_speed():
    text = "\n".join(sentence(random.Random(n), 40) for n in range(8000))
    size = len(text) / 1e6
    return {
        "vocabularyMsPerMB": best(lambda: best_counter()(text), 5) / size,
        "estimateMsPerMB": best(lambda: estimate_tokens(text), 5) / size,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--times", type=int, default=7)
    options = parser.parse_args()
    results = [measure(size, options.times) for size in SIZES]
    speed = text_speed()
    if options.json:
        print(json.dumps({"pipeline": results, "text": speed}))
        return
    print(
        f"{'rows':>7} {'cold':>8} {'goal':>6} {'orig.':>6} {'ratio':>6} {'warm':>7} {'count':>8} {'ms/MB':>6} {'turn':>6} {'plan':>7}"
    )
    for one in results:
        print(
            f"{one['rows']:>7} {one['coldMs']:>8.2f} {one['goalMs']:>6.1f} {one['originalMs']:>6.0f} "
            f"{one['originalMs'] / one['coldMs']:>5.1f}x {one['warmMs']:>7.3f} {one['firstCountMs']:>8.1f} "
            f"{one['firstCountMsPerMB']:>6.1f} {one['newTurnCountMs']:>6.3f} {one['planMs']:>7.2f}"
        )
    print(
        f"text: vocabulary {speed['vocabularyMsPerMB']:.1f} ms/MB, estimate {speed['estimateMsPerMB']:.1f} ms/MB"
    )


if __name__ == "__main__":
    main()
