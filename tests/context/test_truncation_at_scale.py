"""Ten thousand random valid histories under random budgets: nothing that must stay is lost."""

import random

from triptych.context.budget import Budget, apply_plan, plan
from triptych.context.pairing import pair_rows
from triptych.context.tokens.counter import TokenCounter

HISTORIES = 10_000


def random_history(rng):
    rows = (
        [{"id": "s", "role": "system", "content": "rules " * rng.randrange(1, 9)}]
        if rng.random() < 0.7
        else []
    )
    for number in range(rng.randrange(1, 7)):
        rows.append({"id": f"u{number}", "role": "user", "content": "ask " * rng.randrange(1, 12)})
        for step in range(rng.randrange(0, 4)):
            calls = [
                f"{rng.choice(['c', f'c{number}{step}'])}-{index}" for index in range(rng.randrange(1, 3))
            ]
            tools = [{"id": call, "identifier": "fs", "apiName": "read", "arguments": "{}"} for call in calls]
            rows.append({"role": "assistant", "content": "", "tools": tools})
            results = [
                {"role": "tool", "tool_call_id": call, "content": "got " * rng.randrange(1, 30)}
                for call in calls
            ]
            rows.extend(rng.sample(results, len(results)))
        if rng.random() < 0.8:
            rows.append({"role": "assistant", "content": "say " * rng.randrange(1, 20)})
    return rows


def test_ten_thousand_cuts_leave_no_orphan_and_lose_no_system_text_and_no_last_user_turn():
    rng = random.Random(20261130)
    counter = TokenCounter()
    orphans = systems = users = cut = 0
    for _ in range(HISTORIES):
        rows = random_history(rng)
        decided = plan(rows, Budget(window=rng.randrange(1, 400)), counter)
        kept = apply_plan(rows, decided)
        pairing = pair_rows(kept)
        orphans += len(pairing.orphans) + len(pairing.unanswered)
        systems += any(row["role"] == "system" and row not in kept for row in rows)
        last = max(place for place, row in enumerate(rows) if row["role"] == "user")
        users += list(kept[-(len(rows) - last) :]) != rows[last:]
        cut += bool(decided.cut_rows)
    print(
        f"{HISTORIES} histories, {cut} of them cut: {orphans} orphans, {systems} lost system texts, {users} lost user turns"
    )
    assert cut > HISTORIES / 3
    assert (orphans, systems, users) == (0, 0, 0)
