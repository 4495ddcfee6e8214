"""What a person sees, told as examples."""

import json
import sys

import pytest

from triptych.errors import UsageError
from triptych.flow import Fork, LiveFlow, Place, parse, walk
from triptych.flow.doctor import apply, diagnose
from triptych.flow.edge import DEEPEST, to_json
from triptych.flow.patches import AppendText, InsertBlock, InsertRow, ReplaceBlock


def row(key, role, parent=None, at=None, **more):
    """A row whose time is the number in its id unless told."""
    made = {"id": key, "role": role, "content": f"{role} {key}"}
    made["createdAt"] = made["updatedAt"] = (
        at if at is not None else int("".join(filter(str.isdigit, key)) or 0)
    )
    if parent:
        made["parentId"] = parent
    if role == "assistant":
        made["agentId"] = "a"
    return made | more


def calls(*ids):
    return {"tools": [{"id": one, "apiName": "run"} for one in ids]}


def ids(flow):
    return [item["id"] for item in flow.flat_list]


def test_an_edited_question_hides_the_old_one_and_says_where_it_is():
    rows = [row("u1", "user"), row("a2", "assistant", "u1"), row("u3", "user", "a2"), row("u4", "user", "a2")]
    flow = parse(rows)
    assert ids(flow) == ["u1", "a2", "u4"]
    assert flow.flat_list[-1]["branch"] == {"activeBranchIndex": 1, "count": 2}
    assert flow.elsewhere == {"u3": Place("inactive_branch", "a2")}


def test_switching_branch_keeps_the_sibling_subtree():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1"),
        row("a3", "assistant", "u1"),
        row("u4", "user", "a2"),
    ]
    live = LiveFlow(rows)
    assert ids(live) == ["u1", "a2", "u4"]
    live.switch_branch("u1", 1)
    assert ids(live) == ["u1", "a3"]
    assert set(live.elsewhere) == {"a2", "u4"}
    live.switch_branch("u1", 0)
    assert ids(live) == ["u1", "a2", "u4"]


def test_a_retried_step_inside_a_tool_chain_carries_the_mark_on_its_block():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1", **calls("c")),
        row("t3", "tool", "a2", tool_call_id="c"),
        row("a4", "assistant", "a2"),
        row("a5", "assistant", "a2"),
    ]
    blocks = parse(rows).flat_list[1]["children"]
    assert [block["id"] for block in blocks] == ["a2", "a4"]
    assert blocks[1]["branch"] == {"activeBranchIndex": 0, "count": 2}
    rows[1]["metadata"] = {"activeBranchIndex": 1}
    assert [block["id"] for block in parse(rows).flat_list[1]["children"]] == ["a2", "a5"]


def test_both_stored_forms_of_a_tool_chain_give_the_same_group():
    def turn(second, third):
        return [
            row("u1", "user"),
            row("a2", "assistant", "u1", **calls("c")),
            row("t3", "tool", "a2", tool_call_id="c"),
            row("a4", "assistant", second, **calls("d")),
            row("t5", "tool", "a4", tool_call_id="d"),
            row("a6", "assistant", third),
        ]

    groups = [
        parse(turn(*parents)).flat_list
        for parents in [("t3", "t5"), ("a2", "a4"), ("t3", "a4"), ("a2", "t5")]
    ]
    assert all(one[1] == groups[0][1] for one in groups)
    assert [block["id"] for block in groups[0][1]["children"]] == ["a2", "a4", "a6"]


def test_a_reused_call_id_pairs_step_by_step():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1", **calls("x:0")),
        row("t3", "tool", "a2", tool_call_id="x:0", content="first"),
        row("a4", "assistant", "t3", **calls("x:0")),
        row("t5", "tool", "a4", tool_call_id="x:0", content="second"),
    ]
    blocks = parse(rows).flat_list[1]["children"]
    assert [block["tools"][0]["result"]["content"] for block in blocks] == ["first", "second"]


def test_a_numbered_result_is_found_by_the_number_that_the_call_names():
    rows = [
        row(1, "user", at=1),
        row(2, "assistant", 1, at=2, tools=[{"id": "c", "result_msg_id": 3}]),
        row(3, "tool", 2, at=3),
    ]
    for flow in (parse(rows), LiveFlow(rows)):
        assert [item["id"] for item in flow.flat_list] == [1, 2]
        assert flow.flat_list[1]["children"][0]["tools"][0]["result"]["id"] == "3"


def test_a_result_that_answers_no_call_is_a_row_of_its_own_with_a_diagnostic():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1", **calls("c")),
        row("t3", "tool", "a2", tool_call_id="c"),
        row("t4", "tool", "a2", tool_call_id="nobody"),
        row("a5", "assistant", "t3"),
    ]
    flow = parse(rows)
    assert ids(flow) == ["u1", "a2", "t4"]
    assert [(note.code, note.where) for note in flow.diagnostics] == [("orphan_tool", "t4")]


def test_a_clock_that_jumps_back_never_puts_an_answer_before_its_question():
    rows = [
        row("u1", "user", at=100),
        row("a2", "assistant", "u1", at=5),
        row("u3", "user", "a2", at="1970-01-01T00:00:00.050Z"),
    ]
    assert ids(parse(rows)) == ["u1", "a2", "u3"]


def test_damaged_rows_become_diagnostics_and_nothing_is_lost():
    rows = [
        None,
        7,
        {"role": "user"},
        row("p1", "user", "q2"),
        row("q2", "user", "p1"),
        row("e3", "user", parentId=""),
        row("p1", "user", "q2"),
    ]
    flow = parse(rows)
    assert set(ids(flow)) | set(flow.elsewhere) == {"p1", "q2", "e3"}
    codes = {note.code for note in flow.diagnostics}
    assert codes == {"unreadable_row", "row_without_id", "duplicate_id", "parent_loop", "empty_parent"}


@pytest.mark.parametrize(
    "aside",
    [
        row("s9", "user", threadId="T"),
        row("g9", "compressedGroup", lastMessageId="elsewhere"),
        row("o9", "user", "gone"),
    ],
)
def test_a_loop_through_a_tool_chain_ends_in_both_views_whatever_is_beside_it(aside):
    rows = [
        row("a1", "assistant", "a2"),
        row("a2", "assistant", "a1", **calls("c")),
        row("t3", "tool", "a2", tool_call_id="c"),
        row("a4", "assistant", "t3"),
        aside,
    ]
    flow = parse(rows)
    assert ids(flow)[:2] == ["a1", "a2"]
    assert [note.where for note in flow.diagnostics if note.code == "parent_loop"] == ["a1"]
    assert [node["id"] for node in flow.context_tree][:2] == ["a1", "a2"]


def test_tools_that_are_not_a_list_do_not_matter():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1", tools="nonsense"),
        row("t3", "tool", "a2", tool_call_id=[1]),
    ]
    assert ids(parse(rows)) == ["u1", "a2", "t3"]


def test_a_side_thread_is_elsewhere_and_opens_in_place_when_asked_for():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1"),
        row("u3", "user", "a2", threadId="T"),
        row("a4", "assistant", "u3", threadId="T"),
        row("u5", "user", "a2"),
    ]
    assert ids(parse(rows)) == ["u1", "a2", "u5"]
    assert parse(rows).elsewhere["a4"] == Place("thread", "T")
    assert ids(parse(rows, thread="T")) == ["u1", "a2", "u3", "a4"]
    assert ids(parse(rows, thread=None)) == ["u1", "a2", "u5"]


def test_the_walk_gives_each_assistant_its_results_in_call_order():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1", **calls("c", "d")),
        row("t3", "tool", "a2", tool_call_id="d"),
        row("t4", "tool", "a2", tool_call_id="c"),
        row("a5", "assistant", "t3"),
    ]
    assert [(step.id, step.results) for step in walk(rows).path] == [
        ("u1", ()),
        ("a2", ("t4", "t3")),
        ("a5", ()),
    ]


def test_a_window_keeps_the_marks_of_forks_it_did_not_load():
    window = [row("u3", "user", "a2"), row("a5", "assistant", "u3")]
    forks = {"a2": Fork(index=1, count=2), "u3": Fork(index=2, count=3)}
    marks = [item["branch"] for item in parse(window, forks=forks).flat_list]
    assert marks == [{"activeBranchIndex": 1, "count": 2}, {"activeBranchIndex": 2, "count": 3}]


def test_compressed_messages_that_are_still_here_stay_inside_their_group():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1"),
        row("g3", "compressedGroup", compressedMessages=[{"id": "u1"}, {"id": "a2"}]),
        row("u4", "user", "a2"),
    ]
    flow = parse(rows)
    assert ids(flow) == ["g3", "u4"]
    assert flow.elsewhere == {"u1": Place("compressed", "g3"), "a2": Place("compressed", "g3")}


def test_a_chain_of_two_hundred_thousand_messages_is_read():
    rows = [
        row(f"m{n}", "assistant" if n % 2 else "user", f"m{n - 1}" if n else None, at=n)
        for n in range(200_000)
    ]
    flow = parse(rows)
    assert len(flow.flat_list) == len(flow.context_tree) == 200_000
    assert sys.getrecursionlimit() < 200_000


def test_deep_branches_are_written_as_references():
    rows = [row("u0", "user")]
    for n in range(1, 3 * DEEPEST + 1):
        rows += [row(f"u{n}", "user", f"u{n - 1}", at=n), row(f"v{n}", "user", f"u{n - 1}", at=n)]
    written = to_json(parse(rows))
    assert len(written["continuations"]) >= 2
    assert json.loads(json.dumps(written))["contextTree"]
    named = {
        item["id"]
        for nodes in ([written["contextTree"], *written["continuations"].values()])
        for item in _continuations(nodes)
    }
    assert named == set(written["continuations"])


def _continuations(nodes):
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node["type"] == "continuation":
            yield node
        waiting += [inner for branch in node.get("branches", []) for inner in branch]


def test_a_streamed_turn_sends_small_patches():
    live = LiveFlow([row("u1", "user")])
    kinds = [type(patch) for patch in live.append(row("a2", "assistant", "u1", **calls("c")))]
    kinds += [type(patch) for patch in live.append(row("t3", "tool", "a2", tool_call_id="c"))]
    kinds += [type(patch) for patch in live.append(row("a4", "assistant", "a2", content=""))]
    kinds += [type(patch) for patch in live.append_text("a4", "Hello")]
    kinds += [type(patch) for patch in live.update("a4", {"usage": {"totalTokens": 3}})]
    assert kinds[0] is InsertRow
    assert kinds[2:] == [InsertBlock, AppendText, ReplaceBlock]
    assert live.flat_list[1]["children"][1]["content"] == "Hello"
    assert live.flat_list[1]["usage"] == {"totalTokens": 3}


def test_text_grows_in_the_part_that_speaks_and_in_what_is_derived_from_it():
    parts = [{"type": "reasoning", "text": ""}, {"type": "text", "text": ""}]
    live = LiveFlow([row("u1", "user"), row("a2", "assistant", "u1", content="", parts=parts)])
    live.append_text("a2", "hm", 0)
    live.append_text("a2", "yes", 1)
    shown = live.flat_list[1]
    assert (shown["content"], shown["reasoning"]["content"]) == ("yes", "hm")
    assert [part["text"] for part in shown["parts"]] == ["hm", "yes"]


def test_asking_a_live_conversation_for_what_is_not_there_says_so():
    live = LiveFlow([row("u1", "user")])
    with pytest.raises(UsageError, match="no message 'x'"):
        live.remove("x")
    with pytest.raises(UsageError, match="no text"):
        live.append_text("u1", "more", 3)
    with pytest.raises(UsageError, match="needs an id"):
        live.append({"role": "user"})


def test_a_repair_brings_the_hidden_message_back_and_keeps_the_old_parent():
    rows = [
        row("u1", "user"),
        row("a2", "assistant", "u1", **calls("c")),
        row("t3", "tool", "a2", tool_call_id="c"),
        row("s4", "assistant", "a2", signal={"type": "tool-stdout", "sourceToolCallId": "c"}),
        row("a5", "assistant", "a2"),
    ]
    found = diagnose(rows)
    assert (found.hidden_count, [issue.kind for issue in found.issues]) == (1, ["orphan-signal-turn"])
    mended = apply(rows, found.patch)
    assert diagnose(mended).hidden_count == 0
    assert mended[3]["metadata"]["previousParentId"] == "a2"
    assert rows[3].get("metadata") is None


def test_the_doctor_reads_numbered_messages_and_parents_that_are_no_ids():
    rows = [
        row(1, "user", at=1),
        row(2, "assistant", 1, at=2),
        row(3, "user", 99, at=3),
        row(4, "assistant", at=4, content="", parentId={}),
        row(5, "assistant", at=5, content="", parentId=[1], signal={"type": "tool-stdout"}),
        row(6, "user", 3, at=6),
    ]
    found = diagnose(rows)
    assert [(issue.kind, issue.message_id) for issue in found.issues] == [("segment-split", "3")]
    mended = apply(rows, found.patch)
    assert mended[2]["parentId"] == 2
    assert mended[2]["metadata"] == {"previousParentId": 99}
    assert diagnose(mended).issues == []
