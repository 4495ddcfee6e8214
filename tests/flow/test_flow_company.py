"""What hangs beside a message without being an alternative, told as examples: members, callbacks, only children."""

import pytest
from tests.flow.test_flow_stories import calls, ids, row

from triptych.flow import ANY_THREAD, Place, parse

COUNCIL = {"metadata": {"agentCouncil": True}}
MEMBER = {"metadata": {"orchestrationRole": "member"}}
SUPERVISOR = {"metadata": {"isSupervisor": True}}


def asked_twice(**member):
    return [
        row("u1", "user"),
        row("a2", "assistant", "u1", **calls("c", "d")),
        row("t3", "tool", "a2", tool_call_id="c", **COUNCIL),
        row("t4", "tool", "a2", tool_call_id="d", **COUNCIL),
        *(row(f"m{n}", "assistant", "t3" if n < 7 else "t4", agentId=f"b{n}", **member) for n in range(5, 9)),
    ]


@pytest.mark.parametrize("member", [{}, MEMBER])
def test_the_members_of_a_second_council_are_rows_and_no_branches(member):
    flow = parse(asked_twice(**member))
    assert ids(flow) == ["u1", "a2", "m7", "m8"]
    assert [said["id"] for said in flow.flat_list[1]["children"][-1]["council"]] == ["m5", "m6"]
    assert not any("branch" in item for item in flow.flat_list)
    assert flow.elsewhere == {}


@pytest.mark.parametrize("parent", ["t4", "c2"])
def test_a_council_in_a_column_shows_all_its_members_below(parent):
    rows = [
        row("u1", "user", metadata={"compare": True}),
        row("c2", "assistant", "u1", **calls("c"), metadata={"activeColumn": True}),
        row("c3", "assistant", "u1"),
        row("t4", "tool", "c2", tool_call_id="c", **COUNCIL),
        row("m5", "assistant", parent, agentId="b"),
        row("m6", "assistant", parent, agentId="d"),
        row("u7", "user", "m5"),
    ]
    flow = parse(rows)
    assert ids(flow)[2:] == ["m5", "m6", "u7"]
    assert flow.elsewhere == {}


def test_of_two_questions_below_a_council_one_is_shown_and_every_member():
    rows = [
        row("t1", "tool", tool_call_id="c", **COUNCIL),
        row("m2", "assistant", "t1", agentId="b"),
        row("m3", "assistant", "t1", agentId="d"),
        row("u4", "user", "t1"),
        row("u5", "user", "t1"),
    ]
    flow = parse(rows)
    assert ids(flow) == ["t1", "m2", "m3", "u5"]
    assert flow.elsewhere == {"u4": Place("inactive_branch", "t1")}


def test_below_a_supervisor_members_and_callbacks_go_on_beside_the_answer():
    rows = [
        row("u1", "user"),
        row("s2", "assistant", "u1", **SUPERVISOR),
        row("m3", "assistant", "s2", agentId="b", **MEMBER),
        row("k4", "taskCallback", "s2"),
        row("a5", "assistant", "s2"),
        row("u6", "user", "m3"),
        row("a7", "assistant", "k4"),
    ]
    flow = parse(rows)
    assert ids(flow) == ["u1", "s2", "m3", "k4", "a5", "u6", "a7"]


def test_a_result_beside_the_answers_of_a_supervisor_is_a_row():
    rows = [
        row("s1", "assistant", **SUPERVISOR),
        row("t2", "tool", "s1", tool_call_id="nobody"),
        row("a3", "assistant", "s1"),
        row("a4", "assistant", "s1"),
        row("u5", "user", "t2"),
    ]
    assert ids(parse(rows)) == ["s1", "t2", "a3", "u5"]


def test_a_stale_index_above_an_only_continuation_hides_nothing():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1", **calls("c"), metadata={"activeBranchIndex": 1}),
        row("t3", "tool", "a2", tool_call_id="c"),
        row("a4", "assistant", "a2"),
        row("u5", "user", "a4"),
    ]
    assert ids(parse(rows)) == ["u1", "a2", "u5"]
    rows.append(row("a6", "assistant", "a2"))
    assert ids(parse(rows)) == ["u1", "a2"]
    assert parse(rows).flat_list[1]["children"][-1]["id"] == "a6"


@pytest.mark.parametrize("index", [0, 1, None])
def test_an_index_that_names_a_callback_does_not_hide_the_next_step(index):
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1", **calls("c"), metadata={"activeBranchIndex": index}),
        row("k3", "taskCallback", "a2"),
        row("t4", "tool", "a2", tool_call_id="c"),
        row("a5", "assistant", "a2"),
        row("u6", "user", "a5"),
    ]
    flow = parse(rows)
    assert [block["id"] for block in flow.flat_list[1]["children"]] == ["a2", "a5"]
    assert ids(flow) == ["u1", "a2", "k3", "u6"]


def test_what_hangs_below_a_callback_that_lost_a_fork_names_the_fork():
    rows = [
        row("u1", "user", metadata={"activeBranchIndex": 0}),
        row("a2", "assistant", "u1"),
        row("k3", "taskCallback", "u1"),
        row("a4", "assistant", "k3"),
    ]
    flow = parse(rows)
    assert ids(flow) == ["u1", "a2", "k3"]
    assert flow.elsewhere == {"a4": Place("inactive_branch", "u1")}


def test_a_result_beside_branches_is_named_by_a_diagnostic():
    rows = [
        row("u1", "user"),
        row("t2", "tool", "u1", tool_call_id="nobody"),
        row("a3", "assistant", "u1"),
        row("a4", "assistant", "u1"),
    ]
    flow = parse(rows)
    assert flow.elsewhere["t2"] == Place("unreachable", "u1")
    assert [(note.code, note.where) for note in flow.diagnostics] == [("orphan_tool", "t2")]


@pytest.mark.parametrize("thread", [ANY_THREAD, None])
def test_a_conversation_whose_only_root_is_in_a_thread_is_not_empty(thread):
    rows = [row("u1", "user", threadId="T"), row("a2", "assistant", "u1"), row("u3", "user", "a2")]
    flow = parse(rows, thread=thread)
    assert ids(flow) == ["a2", "u3"]
    assert flow.elsewhere == {"u1": Place("thread", "T")}
    assert ids(parse([*rows, row("u4", "user")], thread=thread)) == ["u4"]


def test_compressed_messages_keep_their_own_place_in_the_tree():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1", **calls("c")),
        row("t3", "tool", "a2", tool_call_id="c"),
        row("g4", "compressedGroup", compressedMessages=[{"id": "u1"}, {"id": "a2"}, {"id": "t3"}]),
        row("a5", "assistant", "t3", **calls("d")),
        row("t6", "tool", "a5", tool_call_id="d"),
    ]
    flow = parse(rows)
    assert ids(flow) == ["g4", "a5"]
    assert [(node["id"], node["type"]) for node in flow.context_tree] == [
        ("u1", "message"),
        ("a2", "assistantGroup"),
        ("g4", "message"),
        ("a5", "assistantGroup"),
    ]
