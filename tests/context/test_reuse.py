"""Taking over settled turns in long histories: whatever is edited, the rows are those of a cold run."""

import random

import pytest

from triptych.context import pipelines
from triptych.context.draft import draft_of
from triptych.context.reuse import common_length


def turn(rng, number):
    rows = [{"id": f"u{number}", "role": "user", "content": rng.choice(["a", "b"])}]
    for step in range(rng.randrange(3)):
        call = {"id": "k", "identifier": rng.choice(["fs", "web"]), "apiName": "read"}
        rows.append({"id": f"c{number}{step}", "role": "assistant", "content": "", "tools": [call]})
        rows.append({"id": f"r{number}{step}", "role": "tool", "tool_call_id": "k", "content": "R"})
    reacted = {"metadata": {"reactions": [{"emoji": "👍"}]}} if rng.random() < 0.2 else {}
    rows.append(
        {
            "id": f"a{number}",
            "role": "assistant",
            "content": rng.choice(["", "yes"]),
            "agentId": "you",
            **reacted,
        }
    )
    return rows


def edited(rng, rows, number):
    kind = rng.choice(["turn", "turn", "turn", "rows", "edit", "cut", "insert"])
    if kind == "turn" or len(rows) < 3:
        return [*rows, *turn(rng, number)]
    if kind == "rows":
        return [*rows, *turn(rng, number)[1:]]
    place = rng.randrange(len(rows) // 2, len(rows)) if rng.random() < 0.7 else rng.randrange(len(rows))
    if kind == "edit":
        return [*rows[:place], {**rows[place], "content": "edited"}, *rows[place + 1 :]]
    return rows[:place] if kind == "cut" else [*rows[:place], *turn(rng, number), *rows[place:]]


@pytest.mark.parametrize(
    "engine",
    [
        pipelines.chat(instructions="Be brief.", disabled_tools=["web"], todos=[{"text": "x"}]),
        pipelines.agents(members={"me": {"name": "Me"}, "you": {"name": "You"}}, current="me"),
    ],
    ids=["chat", "agents"],
)
def test_a_long_history_under_many_edits_is_always_that_of_a_cold_run(engine):
    rng = random.Random(7)
    rows = [row for number in range(120) for row in turn(rng, number)]
    run = None
    for number in range(120, 240):
        run = engine.run(draft_of(rows), after=run)
        assert run.rows == engine.run(draft_of(rows)).rows
        rows = edited(rng, rows, number)


def test_the_common_start_is_found_wherever_it_ends():
    rows = tuple({"n": number} for number in range(50))
    for place in range(50):
        other = (*rows[:place], {"n": -1}, *rows[place + 1 :])
        assert common_length(rows, other) == place
    assert common_length(rows, rows[:20]) == 20
    assert common_length((), rows) == 0
