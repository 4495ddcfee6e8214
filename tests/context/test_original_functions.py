"""The original's functions by their names, with inputs of our own."""

import pytest

from triptych.cli.pipe.context import handle
from triptych.context.draft import draft_of
from triptych.context.injectors.replayed_calls import replayed_calls

FS = {
    "identifier": "fs",
    "api": [{"name": "read", "description": "Reads.", "parameters": {"type": "object"}}],
}
WIRE = {
    "type": "function",
    "function": {
        "name": "fs____read",
        "description": "Reads.",
        "parameters": {"type": "object", "required": []},
    },
}


def call(step, *args, **more):
    return handle({"step": step, "input": {"args": list(args)}, **more})["result"]


def step(name, *rows, config=None):
    return handle({"step": name, "config": config or {}, "input": {"messages": list(rows), "metadata": {}}})


@pytest.mark.parametrize(
    ("name", "args", "result"),
    [
        ("fn_validateManifest", [FS], True),
        ("fn_validateManifest", [None], False),
        ("fn_filterValidManifests", [[FS, {}]], {"valid": [FS], "invalid": [{}]}),
        ("fn_normalizeToolParameters", [{"type": "object"}], {"type": "object", "required": []}),
        ("fn_generateToolsFromManifest", [FS], [WIRE]),
        (
            "fn_getSlicedMessages",
            [[{"id": "a"}, {"id": "b"}], {"enableHistoryCount": True, "historyCount": 1}],
            [{"id": "b"}],
        ),
        (
            "fn_getSlicedMessages",
            [[{"id": "a"}], {"enableHistoryCount": False, "historyCount": 0}],
            [{"id": "a"}],
        ),
        ("fn_parseReferTopicTags", [[{"content": '<refer_topic id="x">'}]], [{"topicId": "x"}]),
        ("fn_renderPlaceholderTemplate", ["{{a}}", {"a": [1, 2]}], "1, 2"),
        ("fn_resolveTopicReferences", [[{"content": "no tag"}], {"$fn": {"calls": []}}], {"$undef": True}),
        ("fn_combineDocuments", [[{"content": "D", "policyLoad": "always"}]], "D"),
        ("fn_getDocumentsForPositions", [[{"content": "D"}], ["before-first-user"]], [{"content": "D"}]),
        (
            "fn_parsePlaceholderVariables",
            ["{{a}}", {"a": {"$fn": {"calls": [{"args": [], "returns": None}]}}}],
            "null",
        ),
        (
            "fn_parsePlaceholderVariablesMessages",
            [[{"role": "tool", "content": "{{a}}"}], {"a": {"$fn": {"calls": [{"args": [], "returns": 5}]}}}],
            [{"role": "tool", "content": "5"}],
        ),
    ],
)
def test_a_function_gives_what_it_should(name, args, result):
    assert call(name, *args) == result


def test_a_resolver_generates_and_reads_back():
    environment = {"tool_name_max_length": 12}
    assert call("ToolNameResolver", "fs", "read", method="generate", env=environment) == "fs____read"
    assert call("ToolNameResolver", "files", "read", method="generate", env=environment).startswith(
        "MD5HASH_"
    )
    asked = [{"id": "k", "function": {"name": "read", "arguments": "{}"}}]
    [found] = call("ToolNameResolver", asked, {"fs": FS}, ["fs____read"], method="resolve")
    assert (found["identifier"], found["type"]) == ("fs", "builtin")


def test_arguments_are_parsed_by_the_api_that_is_named():
    config = {"api": [{"name": "run", "parameters": {"required": ["a", "b"]}}]}
    assert call(
        "ToolArgumentsRepairer", "run", '{"a": "x\\", \\"b\\": 1}"}', method="parse", config=config
    ) == {"a": "x", "b": 1}
    assert call("ToolArgumentsRepairer", {"a": 1}, None, method="repair") == {"a": 1}


def test_a_toolbox_offers_as_the_original_does():
    config = {"manifestSchemas": [FS], "defaultToolIds": ["fs"]}
    question = {"toolIds": [], "model": "m", "provider": "p"}
    assert call("ToolsEngine", question, method="generateTools", config=config) == [WIRE]
    left_out = {**question, "excludeDefaultToolIds": ["fs"]}
    assert call("ToolsEngine", left_out, method="generateToolsDetailed", config=config) == {
        "enabledManifests": [],
        "enabledToolIds": [],
        "filteredTools": [],
    }
    assert call("ToolsEngine", method="getAllPluginManifests", config=config) == {"$map": [["fs", FS]]}
    assert call("ToolsEngine", method="getAvailablePlugins", config=config) == ["fs"]
    assert call("ToolsEngine", ["none"], method="getEnabledPluginManifests", config=config) == {
        "$map": [["fs", FS]]
    }


def test_a_checker_asks_the_platform_first():
    platform = {"$fn": {"calls": [{"args": [{"pluginId": "a"}], "returns": True}]}}
    config = {"rules": {"b": True}, "platformFilter": platform}
    assert [call("fn_createEnableChecker", {"pluginId": one}, config=config) for one in "abc"] == [
        True,
        True,
        False,
    ]


def test_the_tools_of_a_step_are_resolved():
    operation = {"enabledToolIds": ["fs"], "manifestMap": {"fs": FS}, "tools": [WIRE]}
    found = call("ToolResolver", operation, {"activatedTools": []}, [], ["other"], method="resolve")
    assert (found["tools"], found["enabledToolIds"], found["promptManifestMap"]) == ([], [], {})


def test_an_account_has_every_source():
    rows = [
        {"role": "user", "content": "one two"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "x"}],
            "tools": [
                {
                    "id": "k",
                    "apiName": "read",
                    "arguments": "{}",
                    "type": "builtin",
                    "thoughtSignature": "sig",
                }
            ],
            "reasoning": "deep thought",
        },
        {"role": "tool", "tool_call_id": "k", "content": None},
        {"role": "assistant", "content": "x", "usage": {"totalOutputTokens": 70}},
        {
            "role": "assistant",
            "content": "x",
            "usage": {"totalOutputTokens": 0},
            "metadata": {"usage": {"totalOutputTokens": 9}},
        },
    ]
    account = call("fn_countContextTokens", {"messages": rows, "tools": [WIRE, {"name": "n"}, {}]})
    assert account["driftMultiplier"] == 1.25
    assert account["messages"][0]["total"] == 2
    assert account["messages"][3]["bySource"] == {"content": 70}
    assert account["messages"][4]["bySource"] == {"content": 1}
    assert [tool["name"] for tool in account["tools"]] == ["fs____read", "n", "unknown"]
    assert all(account["bySource"].values())
    assert account["rawTotal"] == sum(account["bySource"].values())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("héllo", 2),
        ("straße", 3),
        ("привет", 2),
        ("λόγος", 2),
        ("👩‍👩‍👧", 7),
        ("カナ漢字", 4),
        ("2026", 2),
        ("-----", 3),
        ("\n\n", 1),
        (" ", 0),
        ("wonderful", 2),
    ],
)
def test_segments_are_estimated_by_script_and_kind(text, tokens):
    account = call("fn_countContextTokens", {"messages": [{"role": "user", "content": text}]})
    assert account["rawTotal"] == tokens


def test_fixed_texts_are_those_of_the_original():
    rows = step(
        "TaskMessageProcessor", {"role": "task", "content": "R", "metadata": {"instruction": "I {{content}}"}}
    )["messages"]
    assert (
        rows[0]["content"]
        == "[Task Result from Sub Agent]\n\n**Task Instruction:**\nI R\n\n**Task Result:**\nR"
    )
    assert (
        "delivery_check"
        in step("VerifyMessageProcessor", {"role": "verify", "content": "v"})["messages"][0]["content"]
    )
    assert step("TaskCallbackMessageProcessor", {"role": "taskCallback", "content": "c"})["metadata"] == {
        "taskCallbackMessagesSurfaced": 1
    }
    summed = step("CompressedGroupRoleTransformProcessor", {"role": "compressedGroup", "content": ""})[
        "messages"
    ]
    assert summed == [{"role": "user", "content": ""}]


def test_other_agents_are_put_as_in_the_original():
    agents = {
        "agentMap": {"a": {"name": "A"}, "b": {"name": "B", "role": "supervisor"}},
        "currentAgentId": "a",
    }
    spoken = {
        "role": "assistant",
        "agentId": "b",
        "content": "x",
        "tools": [{"id": "k", "identifier": "lobe-group-management", "apiName": "speak"}],
    }
    got = {"role": "tool", "agentId": "b", "content": "r"}
    answer = step(
        "GroupRoleTransformProcessor",
        spoken,
        got,
        config={
            **agents,
            "genToolName": {"$fn": {"calls": [{"args": ["lobe-group-management", "speak"], "returns": "S"}]}},
        },
    )
    assert [row["role"] for row in answer["messages"]] == ["user", "user"]
    assert '<tool id="k" name="S">' in answer["messages"][0]["content"]
    filtered = step("GroupOrchestrationFilterProcessor", spoken, got, config=agents)
    assert filtered["metadata"]["orchestrationFilterProcessed"]["filteredCount"] == 1
    assert (
        step("GroupOrchestrationFilterProcessor", spoken, config={**agents, "enabled": False})["metadata"]
        == {}
    )
    assert step("GroupRoleTransformProcessor", spoken)["metadata"] == {}


def test_reactions_are_off_unless_they_are_on():
    liked = {"role": "assistant", "content": "y", "metadata": {"reactions": [{"emoji": "👍"}]}}
    rows = [liked, {"role": "user", "content": "more"}]
    told = step("ReactionFeedbackProcessor", *rows, config={"enabled": True})
    assert told["messages"][1]["content"] == "[User Feedback Emoji: 👍]\n\nmore"
    assert step("ReactionFeedbackProcessor", *rows)["messages"] == rows


def test_results_are_ordered_with_losses_as_in_the_original():
    calls = [{"id": "a"}, {"id": "a"}, {}, {"id": "b", "function": {"name": "n"}}]
    rows = [
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "x"},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "assistant", "tool_calls": [{"id": "a"}]},
    ]
    answer = step("ToolMessageReorder", *rows)
    assert [row.get("tool_call_id") for row in answer["messages"]] == [None, "a", "b", None, "a"]
    assert answer["messages"][2]["name"] == "n"
    assert answer["metadata"]["toolMessageReorder"] == {
        "originalCount": 4,
        "removedInvalidTools": 1,
        "reorderedCount": 5,
    }


def test_tools_leave_when_a_model_cannot_call_them():
    able = {
        "isCanUseFC": {"$fn": {"calls": [{"args": ["m", "p"], "returns": False}]}},
        "model": "m",
        "provider": "p",
    }
    rows = [
        {"role": "assistant", "tools": [{"id": "k"}]},
        {"role": "tool", "tool_call_id": "k", "content": "r"},
    ]
    answer = step("ToolCallProcessor", *rows, config=able)
    assert answer["messages"] == [{"role": "assistant"}, {"role": "user", "content": "r"}]
    assert answer["metadata"]["toolCallsConverted"] == 1


def test_history_is_cut_by_groups_as_recorded():
    council = {"id": "C", "role": "tool", "metadata": {"agentCouncil": True}}
    members = [
        {"id": "m", "role": "assistant", "parentId": "C", "tools": [{"id": "k"}]},
        {"id": "k", "role": "tool"},
    ]
    compare = {"id": "q", "role": "user", "metadata": {"compare": True}}
    answers = [
        {"id": "1", "role": "assistant", "parentId": "q"},
        {"id": "2", "role": "assistant", "parentId": "q"},
    ]
    tasks = [
        {"id": "T", "role": "tool"},
        {"id": "t1", "role": "task", "parentId": "T"},
        {"id": "t2", "role": "task", "parentId": "T"},
    ]
    rows = [council, *members, compare, *answers, *tasks]
    kept = {
        count: [
            row["id"]
            for row in step(
                "HistoryTruncateProcessor", *rows, config={"enableHistoryCount": True, "historyCount": count}
            )["messages"]
        ]
        for count in (1, 2, 3)
    }
    assert kept[1] == ["T", "t1", "t2"]
    assert kept[2] == ["q", "1", "2", "T", "t1", "t2"]
    assert len(kept[3]) == 9


def test_calls_made_before_a_message_are_replayed_behind_it():
    snapshot = {
        "identifier": "fs",
        "apiName": "read",
        "arguments": {"path": "a"},
        "content": "A",
        "snapshotId": "s",
    }
    row = {
        "id": "u",
        "role": "user",
        "content": "look",
        "createdAt": 5,
        "metadata": {"localSystemToolSnapshots": [snapshot, {}]},
    }
    asked, called, got = replayed_calls()(draft_of([row])).rows
    assert asked is row
    assert called["tools"][0] == {
        "identifier": "fs",
        "apiName": "read",
        "arguments": '{"path":"a"}',
        "id": "call_s",
        "type": "builtin",
    }
    assert (got["tool_call_id"], got["content"], got["createdAt"]) == ("call_s", "A", 5)
    counted = step("LocalSystemToolSnapshotInjector", row)["metadata"]
    assert counted == {"LocalSystemToolSnapshotInjectorInjectedCount": 1}
    written = {**row, "metadata": {"localSystemToolSnapshots": [{**snapshot, "arguments": "raw"}]}}
    assert replayed_calls()(draft_of([written])).rows[1]["tools"][0]["arguments"] == "raw"


def test_texts_of_the_caller_go_into_the_system_text():
    skills = [{"name": "a", "activated": True, "content": "Do it."}, {"name": "b", "description": "Else."}]
    answer = step("SkillContextProvider", config={"enabledSkills": skills})
    assert answer["messages"][0]["content"].startswith("Do it.\n\n<available_skills>")
    assert answer["metadata"] == {"skillContext": {"injected": True, "skillsCount": 2}}
    assert step("SkillContextProvider")["messages"] == []
    assert step("EvalContextSystemInjector", config={"envPrompt": "E"})["metadata"] == {
        "evalContextInjected": True
    }
    assert step("ToolSystemRoleProvider", config={"manifests": [FS], "enabled": False})["messages"] == []
    assert step("ForceFinishSummaryInjector", config={"enabled": True})["messages"][0]["role"] == "system"


def test_documents_of_a_span_of_time_are_asked_by_the_clock_of_the_request():
    document = {"loadRules": {"rule": "by-time-range", "timeRange": {"from": "2026-05-01T00:00:00Z"}}}
    args = [document], ["before-first-user"]
    assert call("fn_getDocumentsForPositions", *args, {}, clock="2026-06-01T00:00:00Z") == [document]
    assert call("fn_getDocumentsForPositions", *args, {}, clock="2026-04-01T00:00:00Z") == []
    told = {"currentTime": {"$date": "2026-04-01T00:00:00Z"}}
    assert call("fn_getDocumentsForPositions", *args, told, clock="2026-06-01T00:00:00Z") == []


def test_words_of_another_conversation_are_cut_in_units_and_never_inside_a_character():
    lookups = ({"$fn": {"calls": []}}, {"$fn": {"calls": [{"args": ["t"], "returns": None}]}})
    said = [{"role": "user", "content": "x" + "😀" * 150}, {"role": "user", "content": "😀" * 150}]
    lookups[1]["$fn"]["calls"][0]["returns"] = said
    [found] = call("fn_resolveTopicReferences", [{"content": '<refer_topic id="t">'}], *lookups)
    assert [one["content"] for one in found["recentMessages"]] == ["x" + "😀" * 149 + "...", "😀" * 150]


def test_attachments_leave_the_lists_that_were_empty():
    row = {"role": "user", "content": "x", "imageList": [{"url": "https://x/i.png"}], "tools": [], "name": ""}
    [told] = step("MessageContentProcessor", row)["messages"]
    assert sorted(told) == ["content", "role", "tools"]
