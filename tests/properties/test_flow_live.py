"""The law of a live conversation: after any operation it equals a fresh parse, and its patches say how it got there."""

import copy

from hypothesis import event, given, settings
from hypothesis import strategies as st
from tests.properties.flow_topics import GROUPS, STEERING, any_topic, tool_turns

from triptych.flow import LiveFlow, parse
from triptych.flow.patches import InsertBlock, InsertRow, RemoveRow, ReplaceBlock, apply_patches

COSMETIC = [
    {"content": "new words"},
    {"usage": {"totalTokens": 9}},
    {"usage": None},
    {"performance": {"tps": 2}},
    {"model": "m2"},
    {"model": None},
    {"error": {"type": "x"}},
    {"reasoning": {"content": "hm"}},
    {"updatedAt": 77},
    {"metadata": {"kept": 5, "finishType": "stop"}},
    {"metadata": {}},
    {"metadata": {"usage": {"totalTokens": 1}, "tps": 4}},
    {"pluginState": {"s": 1}},
    {"parts": [{"type": "text", "text": "p"}]},
]
STRUCTURAL = [
    {"role": "user"},
    {"role": "assistant"},
    {"agentId": "b"},
    {"metadata": {"activeBranchIndex": 1}},
    {"tools": [{"id": "c0"}]},
    {"tools": [{"id": "c0"}, {"id": "c1"}]},
    {"tools": []},
    {"tools": [{"id": "c0", "result_msg_id": "n3"}]},
    {"tool_call_id": "c1"},
    {"createdAt": 3},
    {"threadId": "T"},
    {"threadId": None},
    *({"metadata": about} for about in STEERING),
]


@st.composite
def next_message(draw, live, number):
    """Mostly what comes next in a chat; sometimes anything at all."""
    rows = live.rows
    known = list(rows)
    path = live.walk.path[-3:]
    near = [key for step in path for key in (step.id, *step.results)]
    parent = draw(st.sampled_from([*near, *near, *known[-2:], *known[:3], "gone"])) if known else None
    role = draw(st.sampled_from(["assistant", "assistant", "tool", "tool", "user", "system", "task"]))
    row = {"id": f"n{number}", "role": role, "content": f"n {number}", "parentId": parent}
    row["createdAt"] = row["updatedAt"] = draw(st.sampled_from([1000 + number, 1000 + number, 2]))
    if role == "assistant":
        row["agentId"] = draw(st.sampled_from(["a", "a", "a", "b"]))
        row["tools"] = [{"id": f"c{call}"} for call in range(draw(st.integers(0, 2)))]
        if draw(st.integers(0, 3)) == 0:
            row |= {"usage": {"totalTokens": 3}, "metadata": {"kept": number, "finishType": "tool"}}
        if row["tools"] and draw(st.integers(0, 4)) == 0:
            row["tools"][0]["result_msg_id"] = f"n{number + draw(st.integers(-1, 2))}"
    if role == "tool":
        row["tool_call_id"] = draw(st.sampled_from(["c0", "c0", "c1"]))
    if draw(st.integers(0, 9)) == 0:
        row["metadata"] = draw(st.sampled_from(STEERING))
    if draw(st.integers(0, 15)) == 0:
        row |= draw(
            st.sampled_from([{"groupId": "g1"}, {"threadId": "T"}, {"parts": [{"type": "text", "text": ""}]}])
        )
    return row


def operate(data, live, number):
    """One random operation; returns its patches."""
    kind = data.draw(
        st.sampled_from(["append"] * 6 + ["text", "text", "update", "change", "remove", "move", "switch"])
    )
    known = list(live.rows)
    event(kind)
    if kind == "append" or not known:
        return live.append(data.draw(next_message(live, number)))
    key = data.draw(st.sampled_from([*known, *known[-2:] * 3]))
    if kind == "text":
        parts = live.rows[key].get("parts")
        if not isinstance(live.rows[key].get("content") or "", str):
            return []
        return live.append_text(key, " more", 0 if isinstance(parts, list) and parts and parts[0] else None)
    if kind == "update":
        return live.update(key, data.draw(st.sampled_from(COSMETIC)))
    if kind == "change":
        return live.update(key, data.draw(st.sampled_from(STRUCTURAL)))
    if kind == "remove":
        return live.remove(key)
    if kind == "move":
        return live.move(key, data.draw(st.sampled_from([None, *known])))
    return live.switch_branch(key, data.draw(st.integers(0, 2)))


def check(live, groups, before, patches):
    fresh = parse(live.rows.values(), groups)
    assert live.flat_list == fresh.flat_list or repr(live.flat_list) == repr(fresh.flat_list)
    assert live.elsewhere == fresh.elsewhere
    assert live.walk.path == fresh.walk.path
    assert (
        repr(apply_patches(before, patches)) == repr(live.flat_list)
        or apply_patches(before, patches) == live.flat_list
    )
    for patch in patches:
        if isinstance(patch, InsertRow | InsertBlock | ReplaceBlock | RemoveRow):
            event(type(patch).__name__)


@settings(max_examples=120, deadline=None)
@given(st.data(), st.one_of(tool_turns(), any_topic()), st.sampled_from([(), GROUPS]))
def test_a_live_conversation_equals_a_fresh_parse_after_every_operation(data, rows, groups):
    live = LiveFlow(rows, groups)
    for number in range(data.draw(st.integers(1, 8))):
        before = copy.deepcopy(live.flat_list)
        patches = operate(data, live, number)
        check(live, groups, before, patches)
    fresh = parse(live.rows.values(), groups)
    assert repr(live.context_tree) == repr(fresh.context_tree)
    assert repr(live.message_map) == repr(fresh.message_map)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_conversation_built_message_by_message_equals_a_fresh_parse(data):
    live = LiveFlow()
    for number in range(data.draw(st.integers(1, 14))):
        before = copy.deepcopy(live.flat_list)
        row = data.draw(next_message(live, number))
        check(live, (), before, live.append(row))
        before = copy.deepcopy(live.flat_list)
        check(live, (), before, live.append_text(row["id"], "…"))
