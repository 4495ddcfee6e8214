"""The window law: rows from a user message on, with the forks they belong to, give the same rows as the whole topic."""

from collections import Counter

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from tests.properties.flow_topics import groups, tool_turns, topics

from triptych.flow import Fork, parse
from triptych.flow.entries import messages_of
from triptych.flow.times import created_at


@st.composite
def chats(draw, largest=18):
    """Talk with regenerated answers, edited questions and tool chains in both forms; explicit choices here and there."""
    rows = []
    tips = [None]
    for number in range(draw(st.integers(2, largest))):
        parent = draw(st.sampled_from([tips[-1]] * 4 + tips[-4:]))
        above = next((row for row in rows if row["id"] == parent), None)
        role = "user" if above is None else draw(st.sampled_from(NEXT[above["role"]]))
        row = {"id": f"m{number}", "role": role, "content": "w", "createdAt": number, "updatedAt": number}
        if parent is not None:
            row["parentId"] = parent
        if role == "assistant":
            row |= {"agentId": "a", "tools": [{"id": "c0"}] if draw(st.booleans()) else []}
        if role == "tool":
            row["tool_call_id"] = "c0"
        if draw(st.integers(0, 4)) == 0:
            row["metadata"] = {"activeBranchIndex": draw(st.integers(0, 2))}
        rows.append(row)
        tips.append(row["id"])
    return rows


NEXT = {
    "user": ["assistant"],
    "assistant": ["user", "tool", "assistant"],
    "tool": ["assistant", "assistant", "user"],
}


def cuts(flow):
    """Places where a user message begins all that follows: the rest hangs below it and is not older."""
    rows, entries = flow.rows, flow.walk.entries
    for place, entry in enumerate(entries):
        if entry.kind != "message" or rows[entry.id].get("role") != "user":
            continue
        below = {entry.id}
        for key in rows:
            if rows[key].get("parentId") in below:
                below.add(key)
        rest = {key for later in entries[place:] for key in messages_of(later)}
        internal = {key for key, away in flow.elsewhere.items() if away.reason == "internal"}
        older = any(created_at(rows[key]) < entry.time for key in rest)
        if rest <= below and not older:
            yield place, rest | (internal & below)


def window_of(flow, rest, *, with_siblings):
    """What a store would load: the rows, and each fork; counts are enough where one sibling is loaded."""
    kept = [row for key, row in flow.rows.items() if key in rest]
    loaded = Counter(row.get("parentId") for row in kept if row["role"] != "tool")
    forks = {}
    for key, fork in flow.walk.forks.items():
        parent = flow.rows[key].get("parentId")
        if key in rest:
            siblings = fork.siblings if with_siblings or loaded[parent] > 1 else ()
            forks[parent] = Fork(index=fork.index, count=fork.count, siblings=siblings)
    return kept, forks


@settings(max_examples=250, deadline=None)
@given(
    st.one_of(
        st.tuples(chats(), st.booleans()),
        st.tuples(st.one_of(chats(), tool_turns(), topics()), st.just(True)),
    )
)
def test_a_window_shows_the_same_rows_as_the_end_of_the_whole_topic(drawn):
    rows, with_siblings = drawn
    assume(not any(row.get("role") == "compressedGroup" or row.get("threadId") for row in rows))
    flow = parse(rows)
    for place, rest in cuts(flow):
        kept, forks = window_of(flow, rest, with_siblings=with_siblings)
        event(f"forks in the window: {min(len(forks), 3)}")
        window = parse(kept, forks=forks)
        assert window.flat_list == flow.flat_list[place:]
        assert {away.reason for away in window.elsewhere.values()} <= {"internal"}


@settings(max_examples=200, deadline=None)
@given(topics(), groups(), st.data())
def test_any_window_is_read_and_loses_nothing(rows, given_groups, data):
    """Forks that a store names wrongly, below messages of any kind, are data like any other."""
    places = st.sampled_from([row["id"] for row in rows] or ["gone"])
    forks = {}
    for parent in data.draw(st.lists(places, max_size=4)):
        count = data.draw(st.integers(1, 3))
        forks[parent] = Fork(index=data.draw(st.integers(0, count - 1)), count=count)
    flow = parse(rows, given_groups, forks=forks)
    shown = Counter(key for entry in flow.walk.entries for key in messages_of(entry))
    assert max(shown.values(), default=1) == 1
    assert set(shown) | set(flow.elsewhere) == {row["id"] for row in rows}
    assert not set(shown) & set(flow.elsewhere)
    assert flow.context_tree is not None
