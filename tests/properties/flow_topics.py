"""Random topics for the laws of ``flow``: every role, group, signal, thread and fault, or none of the faults."""

from hypothesis import strategies as st

ROLES = [
    "user",
    "assistant",
    "assistant",
    "tool",
    "user",
    "assistant",
    "task",
    "system",
    "taskCallback",
    "compressedGroup",
    "note",
]
JUNK = st.sampled_from([None, 0, 7, 1.5, "", "x", [], {}, True, [None], {"id": 1}, float("nan")])
GROUPS = [
    {"id": "g1", "mode": "compare"},
    {"id": "g2", "mode": "manual"},
    {"id": "g3", "mode": "compare", "parentMessageId": "m1"},
]


NOTHING = {}
STEERING = [
    {"compare": True},
    {"activeColumn": True},
    {"agentCouncil": True},
    {"agentCouncil": True, "activeBranchIndex": 1},
    {"isSupervisor": True},
    {"isSupervisor": True, "finishType": "stop", "kept": 1},
    {"orchestrationRole": "member"},
    {"agentDispatch": {"visibility": "internal"}},
    {"usage": {"totalTokens": 3, "cost": 0.5}, "tps": 5, "kept": 2},
    {"scope": "sub_agent", "subAgentId": "b"},
    {"scope": "sub_agent", "subAgentId": ""},
    {"signal": {"type": "tool-stdout", "sequence": 2, "sourceToolCallId": "c0"}},
    {"signal": {"type": "tool-callback", "sequence": 1}},
    {"signal": {"type": "task-completion", "sourceToolName": "Watch"}},
    {"signal": {"type": "other"}},
    {"signal": {"type": "tool-stdout"}, "signalPromoted": True},
]
INDEXES = [{"activeBranchIndex": index} for index in (0, 0, 1, 1, 2, 3, -1, "1", 1.5, True)]


def metadata():
    """What steers the walk, each piece rarely."""
    return st.sampled_from([NOTHING] * 18 + STEERING + INDEXES)


@st.composite
def message(draw, number, size):
    """One row; its parent is usually an earlier one, often the one before."""
    role = draw(st.sampled_from(ROLES))
    row = {"id": f"m{number}", "role": role, "content": f"words {number}"}
    row["createdAt"] = row["updatedAt"] = draw(
        st.sampled_from([number * 10, number * 10, 5, "2026-01-01T00:00:01Z"])
    )
    if number and draw(st.integers(0, 9)):
        near = draw(st.booleans())
        row["parentId"] = f"m{number - 1 if near else draw(st.integers(0, number - 1))}"
    about = draw(metadata())
    if about:
        row["metadata"] = about
    if role == "assistant":
        row["agentId"] = draw(st.sampled_from(["a", "a", "a", "b"]))
        if draw(st.booleans()):
            row["tools"] = [{"id": f"c{call}", "apiName": "run"} for call in range(draw(st.integers(1, 2)))]
            if draw(st.integers(0, 4)) == 0:
                row["tools"][0]["result_msg_id"] = f"m{draw(st.integers(0, size))}"
    if role == "tool":
        row["tool_call_id"] = draw(st.sampled_from(["c0", "c0", "c1", "zz"]))
    if role == "compressedGroup":
        row["lastMessageId"] = f"m{draw(st.integers(0, size))}"
    if draw(st.integers(0, 9)) == 0:
        row["groupId"] = draw(st.sampled_from(["g1", "g2", "g3", "zz"]))
    if draw(st.integers(0, 12)) == 0:
        row["threadId"] = draw(st.sampled_from(["T", "U", ""]))
    return row


@st.composite
def topics(draw, largest=14):
    """A topic whose rows are readable: any roles, forks, groups, threads."""
    size = draw(st.integers(0, largest))
    return [draw(message(number, size)) for number in range(size)]


@st.composite
def tool_turns(draw, largest=16):
    """Mostly tool chains in both stored forms, with replies and retries in odd places."""
    rows = []
    for number in range(draw(st.integers(1, largest))):
        role = draw(st.sampled_from(["assistant", "assistant", "tool", "tool", "user"])) if rows else "user"
        row = {"id": f"m{number}", "role": role, "content": "w", "createdAt": number, "updatedAt": number}
        if rows:
            row["parentId"] = f"m{max(0, number - draw(st.integers(1, 4)))}"
        if role == "assistant":
            row["agentId"] = draw(st.sampled_from(["a", "a", "a", "a", "b"]))
            row["tools"] = [{"id": f"c{call}"} for call in range(draw(st.integers(0, 2)))]
        if role == "tool":
            row["tool_call_id"] = draw(st.sampled_from(["c0", "c1"]))
        if draw(st.integers(0, 5)) == 0:
            row["metadata"] = {"activeBranchIndex": draw(st.integers(0, 2))}
        rows.append(row)
    return rows


@st.composite
def damaged(draw):
    """A topic with faults: null entries, repeated ids, loops, missing parents, wrong types, any order."""
    rows = draw(topics(largest=10))
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["null", "repeat", "loop", "missing", "type", "drop", "shuffle"]))
        if kind == "null":
            rows.insert(draw(st.integers(0, len(rows))), draw(JUNK))
        places = [place for place, row in enumerate(rows) if isinstance(row, dict) and "role" in row]
        if not places:
            continue
        place = draw(st.sampled_from(places))
        row = rows[place]
        if kind == "repeat":
            rows.append({**row, "content": "again"})
        elif kind == "loop":
            rows[place] = {**row, "parentId": f"m{draw(st.integers(0, len(rows)))}"}
        elif kind == "missing":
            rows[place] = {**row, "parentId": draw(st.sampled_from(["gone", "", None, 3]))}
        elif kind == "type":
            rows[place] = {**row, draw(st.sampled_from(sorted(row))): draw(JUNK)}
        elif kind == "drop":
            rows[place] = {key: row[key] for key in row if key != draw(st.sampled_from(sorted(row)))}
        else:
            rows = draw(st.permutations(rows))
    return rows


def any_topic():
    """Readable and damaged topics alike."""
    return st.one_of(topics(), tool_turns(), damaged())


def groups():
    """Message groups, readable or not."""
    return st.sampled_from([(), GROUPS, [None, {"mode": "compare"}, {"id": "g1"}]])
