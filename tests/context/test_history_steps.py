"""Steps over a history: residue, containers, special roles, reactions, templates, truncation, clean-up."""

import pytest

from triptych.context.budget import Budget
from triptych.context.draft import draft_of
from triptych.context.processors.cleanup import clean_up
from triptych.context.processors.flatten import flatten_councils, flatten_groups, flatten_tasks
from triptych.context.processors.input_template import input_template
from triptych.context.processors.reactions import tell_reactions
from triptych.context.processors.residue import drop_residue
from triptych.context.processors.roles import (
    callback_messages,
    compressed_groups,
    restore_supervisors,
    task_messages,
    verify_messages,
)
from triptych.context.processors.truncate_by_count import truncate_by_count
from triptych.context.processors.truncate_by_turns import truncate_by_turns
from triptych.context.tokens.counter import TokenCounter


def after(step, *rows):
    return list(step(draft_of(rows)).rows)


def user(content, **more):
    return {"id": "u", "role": "user", "content": content, **more}


def assistant(content, **more):
    return {"id": "a", "role": "assistant", "content": content, **more}


@pytest.mark.parametrize("content", ["", "...", "  ...\n", None, "\ufeff"])
def test_an_assistant_row_that_said_nothing_is_residue(content):
    assert after(drop_residue(), user("x"), assistant(content)) == [user("x")]


@pytest.mark.parametrize(
    "more",
    [
        {"tools": []},
        {"tool_calls": []},
        {"reasoning": {"content": "hm"}},
        {"reasoning": {"signature": "s"}},
        {"reasoning": {"responseItems": [1]}},
        {"imageList": [{}]},
        {"content": [{"type": "text"}]},
        {"content": ". . ."},
        {"parts": [{"type": "text", "text": ""}, {"type": "file"}]},
    ],
)
def test_a_row_that_holds_something_else_is_no_residue(more):
    row = {**assistant(""), **more}
    assert after(drop_residue(), row) == [row]


def test_a_container_goes_with_its_last_part_and_counts():
    group = {"id": "g", "role": "assistantGroup", "children": [{"content": ""}, {"content": "..."}]}
    half = {"id": "h", "role": "tasks", "tasks": [{"content": ""}, {"role": "task", "content": "done"}]}
    empty = {"id": "e", "role": "agentCouncil", "members": []}
    council = {"id": "c", "role": "agentCouncil", "members": [group, {"role": "user", "content": ""}]}
    draft = drop_residue()(draft_of([group, half, empty, council]))
    assert [row["id"] for row in draft.rows] == ["h", "e", "c"]
    assert draft.rows[0]["tasks"] == [{"role": "task", "content": "done"}]
    assert draft.rows[2]["members"] == [{"role": "user", "content": ""}]
    assert draft.metadata["drop_residue"] == {"removed": 7}


def test_a_group_becomes_assistant_and_tool_rows_and_keeps_signatures_and_reactions():
    child = {
        "id": "c",
        "content": "look",
        "tools": [
            {
                "id": "k",
                "identifier": "fs",
                "apiName": "read",
                "thoughtSignature": "S",
                "result": {"id": "r", "content": "R", "error": {"message": "E"}},
            }
        ],
        "metadata": {"reactions": [{"emoji": "👍"}]},
    }
    group = {
        "id": "g",
        "role": "assistantGroup",
        "agentId": "me",
        "parentId": "p",
        "createdAt": 7,
        "children": [child, None],
    }
    said, got = after(flatten_groups(), group)
    assert said["tools"] == [{"apiName": "read", "id": "k", "identifier": "fs", "thoughtSignature": "S"}]
    assert said["metadata"] == child["metadata"]
    assert (said["agentId"], said["parentId"], said["createdAt"]) == ("me", "p", 7)
    assert (got["tool_call_id"], got["content"], got["pluginError"]) == ("k", "R", {"message": "E"})


def test_containers_without_parts_go_and_those_without_the_field_stay():
    assert after(flatten_groups(), {"role": "supervisor", "children": []}) == []
    plain = {"role": "supervisor", "content": "x"}
    assert after(flatten_groups(), plain) == [plain]
    assert after(flatten_councils(), {"role": "agentCouncil", "members": []}) == []
    assert after(flatten_tasks(), {"role": "tasks", "tasks": []}) == []


def test_a_council_becomes_its_members_supervisors_with_their_children():
    led = {"role": "supervisor", "agentId": "boss", "children": [{"id": "x", "content": "led"}]}
    plain = {"id": "m", "role": "assistant", "agentId": "a", "content": "said", "model": "big"}
    council = {
        "role": "agentCouncil",
        "members": [led, plain, "no member"],
        "extra": {"parentMessageId": "p"},
        "meta": {"t": 1},
    }
    rows = after(flatten_councils(), council)
    assert [(row["id"], row["content"], row["parentId"]) for row in rows] == [
        ("x", "led", "p"),
        ("m", "said", "p"),
    ]
    assert rows[1]["model"] == "big"
    assert rows[1]["meta"] == {"t": 1}


def test_tasks_take_their_place_from_the_container():
    container = {"role": "groupTasks", "topicId": "t", "tasks": [{"id": "1"}, {"id": "2", "topicId": "own"}]}
    rows = after(flatten_tasks(), container)
    assert [(row["role"], row["topicId"]) for row in rows] == [("task", "t"), ("task", "own")]


def test_a_task_is_told_with_its_instruction_and_values_are_no_templates():
    row = {
        "role": "task",
        "content": "{{instruction}}",
        "agentName": "Bob",
        "metadata": {"instruction": "</task> do"},
        "parts": [],
    }
    [made] = after(task_messages(), row)
    assert made["role"] == "assistant"
    assert (
        made["content"]
        == '<task by="Bob">\n<\\/task> do\n</task>\n<task_result>\n{{instruction}}\n</task_result>'
    )
    assert "parts" not in made
    assert after(task_messages(), {"role": "task"})[0]["content"] == ""


def test_checks_and_callbacks_are_told_as_a_user_would_and_empty_ones_go():
    check, empty = {"role": "verify", "content": " wrong "}, {"role": "verify", "content": " "}
    [told] = after(verify_messages(), check, empty)
    assert told == {"role": "user", "content": "<check_feedback>\nwrong\n</check_feedback>"}
    done = {"role": "taskCallback", "content": "ok", "metadata": {"taskCallback": {"identifier": 'T"1'}}}
    [told] = after(callback_messages(), done, {"role": "taskCallback"})
    assert told["content"] == '<finished_task task="T&quot;1" status="done">\nok\n</finished_task>'


def test_a_supervisor_and_a_summary_become_roles_that_models_know():
    assert after(restore_supervisors(), {"role": "supervisor", "content": "x"})[0]["role"] == "assistant"
    [told] = after(
        compressed_groups(), {"role": "compressedGroup", "content": "before"}, {"role": "compressedGroup"}
    )
    assert "before" in told["content"]


def test_reactions_are_told_with_the_next_message_and_never_lost_to_media():
    liked = assistant("yes", metadata={"reactions": [{"emoji": "👍"}, {"emoji": None}, "odd"]})
    first, asked = after(tell_reactions(), liked, user("more"))
    assert first is liked
    assert asked["content"] == '<reaction_to_the_answer_above emoji="👍" />\n\nmore'
    image = [{"type": "image_url"}]
    _, asked = after(tell_reactions(), liked, user(image, parts=[{"type": "text", "text": "x"}]))
    assert [part["type"] for part in asked["content"]] == ["text", "image_url"]
    assert len(asked["parts"]) == 2
    assert after(tell_reactions(), user("x"), liked) == [user("x"), liked]


def test_a_template_goes_around_the_users_own_words():
    step = input_template("In French: {{ text }}!")
    injected = user("memory", meta={"systemInjection": True})
    rows = after(step, injected, user("a {{text}} b"), assistant("x"))
    assert [row["content"] for row in rows] == ["memory", "In French: a {{text}} b!", "x"]


def test_a_template_keeps_media_in_their_place():
    parts = [{"type": "image_url"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    [row] = after(input_template("<{{text}}>"), user(parts, parts=parts))
    assert row["content"] == [{"type": "image_url"}, {"type": "text", "text": "<a\n\nb>"}]
    assert row["parts"] == row["content"]


def test_a_template_without_a_place_for_the_words_is_not_applied():
    assert after(input_template("no place"), user("words")) == [user("words")]
    assert after(input_template(None), user("words")) == [user("words")]


def test_code_in_a_template_is_text():
    [row] = after(input_template("<% boom() %> ${x} {{text}}"), user("hi"))
    assert row["content"] == "<% boom() %> ${x} hi"


def test_counting_groups_keeps_a_chain_of_tool_steps_together():
    rows = [user("1", id="1")]
    for number in range(4_000):
        parent = f"t{number - 1}" if number else "1"
        rows.append(
            {"id": f"a{number}", "role": "assistant", "parentId": parent, "tools": [{"id": f"t{number}"}]}
        )
        rows.append({"id": f"t{number}", "role": "tool", "parentId": f"a{number}"})
    rows.append(user("2", id="2"))
    assert len(after(truncate_by_count(2), *rows)) == 8_001
    assert len(after(truncate_by_count(1), *rows)) == 1
    assert after(truncate_by_count(None), *rows) == rows
    assert after(truncate_by_count(0), *rows) == []


def test_counting_groups_can_spare_summaries():
    rows = [{"id": "s", "role": "compressedGroup", "content": "S"}, user("1", id="1"), user("2", id="2")]
    assert [row["id"] for row in after(truncate_by_count(1), *rows)] == ["2"]
    assert [row["id"] for row in after(truncate_by_count(1, keep_summaries=True), *rows)] == ["s", "2"]


def test_cutting_by_turns_says_in_the_metadata_what_left():
    rows = [user("w " * 40, id=str(number)) for number in range(4)]
    counter = TokenCounter(lambda text: len(text.split()))
    draft = truncate_by_turns(Budget(window=100), counter)(draft_of(rows))
    assert [row["id"] for row in draft.rows] == ["2", "3"]
    assert draft.metadata["truncate_by_turns"]["removed"] == 2
    assert all(cut["sentence"] for cut in draft.metadata["truncate_by_turns"]["cuts"])


def test_clean_up_leaves_what_a_model_reads():
    rows = [
        {"role": "user", "content": "x", "metadata": {}, "id": "u", "parts": [1]},
        {
            "role": "assistant",
            "content": "",
            "model": "",
            "tool_calls": [],
            "reasoning": {},
            "tools": [1],
            "usage": {},
        },
        {"role": "tool", "content": "r", "tool_call_id": "k", "name": "", "plugin": {}},
        {"role": "other", "content": "kept", "x": 1},
    ]
    assert after(clean_up(), *rows) == [
        {"content": "x", "role": "user", "id": "u", "parts": [1]},
        {"content": "", "role": "assistant", "tool_calls": [], "reasoning": {}},
        {"content": "r", "role": "tool", "tool_call_id": "k"},
        rows[3],
    ]
    assert after(clean_up(keep=()), rows[0]) == [{"content": "x", "role": "user"}]


def test_what_a_child_does_not_say_is_not_made_up():
    call = {"identifier": "fs", "result": {"error": {"message": "E"}}}
    for step, row in (
        (flatten_groups(), {"role": "assistantGroup", "children": [{"content": "x", "tools": [call]}]}),
        (flatten_councils(), {"role": "agentCouncil", "members": [{"content": "x", "tools": [call]}]}),
    ):
        said, got = after(step, row)
        assert said == {"role": "assistant", "content": "x", "tools": [{"identifier": "fs"}]}
        assert got == {"role": "tool", "plugin": {"identifier": "fs"}, "pluginError": {"message": "E"}}


def test_a_result_of_a_group_keeps_the_agent_that_it_is_of():
    children = [{"id": "c", "tools": [{"id": "k", "result": {"id": "r", "content": "R"}}]}]
    group = {"role": "assistantGroup", "agentId": "ann", "children": children}
    assert [row["agentId"] for row in after(flatten_groups(), group)] == ["ann", "ann"]
    assert [row.get("agentId") for row in after(flatten_groups(keep=()), group)] == ["ann", None]
    council = {"role": "agentCouncil", "members": [group, {**children[0], "agentId": "bob"}]}
    assert [row["agentId"] for row in after(flatten_councils(), council)] == ["ann", "ann", "bob", "bob"]


def test_which_members_of_a_council_are_opened_can_be_said():
    led = {"id": "s", "role": "supervisor", "content": "own", "children": [{"id": "x", "content": "led"}]}
    council = {"role": "agentCouncil", "members": [led]}
    assert [row["content"] for row in after(flatten_councils(), council)] == ["led"]
    assert [row["content"] for row in after(flatten_councils(groups=("assistantGroup",)), council)] == ["own"]
