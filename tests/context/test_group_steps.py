"""What an agent of a group sees of the others."""

from triptych.context import pipelines
from triptych.context.draft import draft_of
from triptych.context.processors.group_roles import dotted_name, other_agents_as_users
from triptych.context.processors.group_rows import drop_orchestration

AGENTS = {"boss": {"name": 'The "Boss"', "role": "supervisor"}, "a": {"name": "Ann"}, "b": {}}
SPEAK = {"identifier": "group", "apiName": "speak", "id": "k"}


def after(step, *rows):
    return list(step(draft_of(rows)).rows)


def orchestration(current):
    return drop_orchestration(agents=AGENTS, current=current, identifiers=["group"], apis=["speak"])


def test_a_supervisors_steering_is_not_for_the_others():
    steered = {"role": "assistant", "agentId": "boss", "tools": [SPEAK], "content": "go"}
    result = {"role": "tool", "agentId": "boss", "plugin": SPEAK, "tool_call_id": "k"}
    other = {"role": "assistant", "agentId": "boss", "tools": [{"identifier": "group", "apiName": "look"}]}
    alike = {"role": "assistant", "agentId": "a", "tools": [SPEAK]}
    assert after(orchestration("a"), steered, result, other, alike) == [other, alike]
    assert after(orchestration("boss"), steered, result) == [steered, result]


def test_other_agents_speak_as_users_and_are_escaped():
    row = {
        "id": "1",
        "role": "assistant",
        "agentId": "boss",
        "content": "x",
        "tools": [{**SPEAK, "arguments": "{}"}],
        "parts": [],
    }
    [told] = after(other_agents_as_users(agents=AGENTS, current="a"), row)
    assert told == {
        "id": "1",
        "role": "user",
        "agentId": "boss",
        "content": '<agent name="The &quot;Boss&quot;">\nx\n<calls>\n  <call id="k" tool="group.speak">{}</call>\n</calls>\n</agent>',
    }


def test_results_of_other_agents_are_told():
    row = {"role": "tool", "agentId": "b", "tool_call_id": "k", "content": [{"type": "text", "text": "R"}]}
    [told] = after(other_agents_as_users(agents=AGENTS, current="a"), row)
    assert told["content"] == '<agent name="b">\n<result call="k" tool="unknown">\nR\n</result>\n</agent>'
    assert "tool_call_id" not in told


def test_own_rows_and_rows_of_nobody_stay():
    rows = [
        {"role": "assistant", "agentId": "a"},
        {"role": "assistant"},
        {"role": "assistant", "agentId": "stranger"},
    ]
    assert after(other_agents_as_users(agents=AGENTS, current="a"), *rows) == rows
    assert after(other_agents_as_users(agents=AGENTS, current=None), *rows) == rows


def test_names_of_tools_are_whatever_there_is():
    assert dotted_name("a", "b") == "a.b"
    assert dotted_name(None, "b") == "b"
    assert dotted_name(None, None) == "unknown"


def test_a_whole_group_is_compiled_for_one_of_its_agents():
    engine = pipelines.agents(
        members=AGENTS,
        current="a",
        steering_tools=["group"],
        steering_apis=["speak"],
        instructions="You are Ann.",
        title="Team",
    )
    rows = engine.run(
        draft_of(
            [
                {"role": "user", "content": "start"},
                {"role": "assistant", "agentId": "boss", "content": "go", "tools": [SPEAK]},
                {"role": "tool", "agentId": "boss", "plugin": SPEAK, "tool_call_id": "k", "content": "ok"},
                {"role": "assistant", "agentId": "b", "content": "hello"},
                {"role": "assistant", "agentId": "a", "content": "hi"},
            ]
        )
    ).rows
    assert [row["role"] for row in rows] == ["system", "user", "user", "user", "assistant"]
    assert '<group title="Team">' in rows[1]["content"]
    assert rows[3]["content"] == '<agent name="b">\nhello\n</agent>'


def test_a_call_without_an_id_is_called_unknown():
    row = {"role": "assistant", "agentId": "b", "content": "", "tools": [{"identifier": "fs"}]}
    [told] = after(other_agents_as_users(agents=AGENTS, current="a"), row)
    assert 'id="unknown"' in told["content"]
