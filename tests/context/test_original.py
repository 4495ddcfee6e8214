"""The original's preset and the pipe: encodings, the clock, errors, the whole pipeline."""

import json
import subprocess
import sys

import pytest

from triptych.cli.pipe.context import handle
from triptych.context import pipelines
from triptych.context.draft import draft_of
from triptych.context.original.encoding import UNDEFINED, as_map, decode, encode, milliseconds, table
from triptych.context.original.engine import run_original
from triptych.context.original.texts import has_wrapper
from triptych.errors import UsageError

USER = {"id": "u", "role": "user", "content": "hi {{who}}"}


def test_tables_are_functions_by_their_recorded_calls():
    call = decode(
        {"$fn": {"calls": [{"args": ["a", None], "returns": 1}, {"args": [], "throws": {"message": "no"}}]}}
    )
    assert call("a") == 1
    assert call("b") is UNDEFINED
    with pytest.raises(RuntimeError, match="no"):
        call()
    assert table([{"args": [{"x": 1}], "returns": {"$undef": True}}])({"x": 1}) is UNDEFINED


@pytest.mark.parametrize(
    "encoded",
    [
        {"$date": "2026-03-13T12:00:00.000Z"},
        {"$map": [["a", 1], ["b", {"$num": "NaN"}]]},
        {"$undef": True},
        {"$num": "Infinity"},
        {"$num": "-Infinity"},
        {"$num": "-0"},
        {"a": [{"b": None}], "c": 1.5},
    ],
)
def test_encodings_hold_in_both_directions(encoded):
    assert encode(decode(encoded)) == encoded


def test_what_is_undefined_is_left_out_of_mappings():
    assert decode({"a": {"$undef": True}, "b": 1}) == {"b": 1}
    assert encode({"a": UNDEFINED, "b": as_map({"k": 1})}) == {"b": {"$map": [["k", 1]]}}
    assert decode({"$date": "no date"}) == "no date"
    assert repr(UNDEFINED) == "UNDEFINED"
    assert not UNDEFINED


def test_moments_are_milliseconds():
    assert milliseconds("1970-01-01T00:00:01Z") == 1000
    assert milliseconds("1970-01-01T00:00:01") == 1000
    assert milliseconds(5) == 5
    assert milliseconds(float("nan")) is None
    assert [milliseconds(value) for value in (None, True, "no time")] == [None, None, None]


def test_the_clock_is_written_as_a_word_also_in_ids():
    answer = handle(
        {
            "step": "SystemDateProvider",
            "config": {"timezone": "Asia/Tokyo"},
            "input": {"messages": []},
            "clock": "2026-11-30T20:00:00Z",
        }
    )
    [row] = answer["messages"]
    assert row["content"] == "Current date: 2026-12-01 (Asia/Tokyo)"
    assert row["id"] == "system-SystemDateProvider-$now"
    assert answer["metadata"] == {"systemDateInjected": True}


def test_an_error_is_put_as_the_original_puts_it():
    request = {
        "step": "SystemDateProvider",
        "config": {"timezone": "No/Where"},
        "input": {"messages": []},
        "clock": 0,
    }
    assert handle(request) == {
        "error": {
            "name": "ProcessorError",
            "message": "[SystemDateProvider] Processing failed: Invalid time zone specified: No/Where",
        }
    }
    whole = handle(
        {
            "step": "MessagesEngine",
            "config": {"timezone": "No/Where" * 60},
            "input": {"messages": []},
            "clock": 0,
        }
    )
    assert whole["error"]["name"] == "PipelineError"
    assert whole["error"]["message"].endswith("…")


def test_an_unknown_step_says_where_the_list_is():
    with pytest.raises(UsageError, match=r"steps\.md"):
        handle({"step": "Nothing", "input": {"args": []}})


def test_pictures_that_were_fetched_are_inlined_from_the_environment():
    request = {
        "step": "MessageContentProcessor",
        "config": {
            "isCanUseVision": {"$fn": {"calls": [{"args": ["m", "p"], "returns": True}]}},
            "model": "m",
            "provider": "p",
        },
        "input": {
            "messages": [{"role": "user", "content": "x", "imageList": [{"url": "http://127.0.0.1/i.png"}]}],
            "metadata": {},
        },
        "env": {
            "calls": [
                {"fn": "fetch", "args": ["http://127.0.0.1/i.png"], "returns": "AAAA"},
                {"fn": "other", "args": []},
            ]
        },
    }
    [row] = handle(request)["messages"]
    assert row["content"][1]["image_url"]["url"] == "data:image/png;base64,AAAA"


def test_several_constructor_arguments_are_taken_from_the_first():
    request = {
        "step": "HistoryTruncateProcessor",
        "config": {"$args": [{"enableHistoryCount": True, "historyCount": 1}, 2]},
        "input": {"messages": [USER, {"id": "v", "role": "user"}]},
    }
    assert [row["id"] for row in handle(request)["messages"]] == ["v"]
    assert handle({**request, "config": {"$args": []}})["messages"] == request["input"]["messages"]


def test_wrappers_are_shared_and_new_ones_are_in_our_words():
    contents = [{"index": 0, "isLastUser": False, "result": {"content": "A", "contextType": "one"}}]
    request = {
        "step": "_primitive_every_user",
        "config": {"name": "N", "contents": contents},
        "input": {"messages": [USER], "metadata": {}},
    }
    answer = handle(request)
    [row] = answer["messages"]
    assert has_wrapper(row["content"])
    assert answer["metadata"] == {"NInjectedCount": 1}
    again = handle({**request, "input": {"messages": [row], "metadata": {}}})["messages"][0]["content"]
    assert again.count("END SYSTEM CONTEXT") == 1
    assert again.count("<one>") == 2
    parts = [{"type": "text", "text": row["content"]}, {"type": "image_url"}]
    append = {
        "step": "_primitive_append_to_last_user",
        "config": {"content": "<b/>"},
        "input": {"messages": [{"role": "user", "content": parts}]},
    }
    text = handle(append)["messages"][0]["content"][0]["text"]
    assert text.endswith("<b/>\n<!-- END SYSTEM CONTEXT -->")


def test_the_tail_can_be_skipped():
    request = {
        "step": "_primitive_virtual_last_user",
        "config": {"content": "T", "name": "N", "skipped": True},
        "input": {"messages": [USER]},
    }
    assert handle(request) == {"messages": [USER]}


FULL = {
    "systemRole": "You are X.",
    "historySummary": "before",
    "userMemory": {"enabled": True, "memories": {"persona": "A gardener."}},
    "knowledge": {"fileContents": [{"fileId": "f", "filename": "f", "content": "F"}]},
    "agentGroup": {
        "agentMap": {"a": {"name": "Ann"}, "b": {"name": "Bob"}},
        "currentAgentId": "a",
        "members": [{"id": "a", "name": "Ann"}],
    },
    "toolsConfig": {
        "manifests": [{"identifier": "fs", "api": [{"name": "read"}]}],
        "disabledToolIdentifiers": ["web"],
    },
    "topicReferences": [{"topicId": "t", "summary": "S"}],
    "variableGenerators": {"who": lambda: "Ann"},
    "capabilities": {"isCanUseVision": lambda model, provider: False},
    "modelInfo": {"displayName": "Big", "knowledgeCutoff": "2026-01"},
    "agentDocuments": [
        {"filename": "1", "content": "D1", "policyLoad": "always", "loadPosition": "before-system"},
        {"filename": "2", "content": "D2", "policyLoad": "always", "loadPosition": "system-append"},
        {"filename": "3", "content": "D3", "policyLoad": "always"},
        {"filename": "4", "content": "D4", "policyLoad": "always", "loadPosition": "after-first-user"},
    ],
    "enableSystemDate": True,
    "forceFinish": True,
    "model": "big-1",
    "provider": "p",
}
ROWS = [
    {**USER, "metadata": {"contextSelections": [{"content": "chosen"}]}},
    {"id": "b", "role": "assistant", "agentId": "b", "content": "from Bob"},
    {
        "id": "a",
        "role": "assistant",
        "agentId": "a",
        "content": "",
        "tools": [{"id": "k", "identifier": "fs", "apiName": "read"}],
    },
    {"id": "v", "role": "user", "content": "go on"},
]


def test_the_whole_preset_with_everything_on():
    params = {**FULL, "messages": ROWS}
    draft, counters, names = run_original(draft_of(ROWS, clock=0, stamp="$now"), params)
    text = json.dumps([row["content"] for row in draft.rows])
    for expected in (
        "You are X.",
        "D1",
        "D2",
        "D3",
        "D4",
        "Current date: 1970-01-01",
        "before",
        "A gardener.",
        "chosen",
        "hi Ann",
    ):
        assert expected in text
    assert '<speaker name=\\"Bob\\" />' in text
    assert "Tool call failed" in text
    assert len(names) == 57
    assert counters["systemRoleInjected"] is True
    assert [row["role"] for row in draft.rows][:2] == ["system", "user"]


def test_the_preset_is_an_engine_like_any_other():
    engine = pipelines.original(FULL)
    assert engine.validate() == ()
    made = engine.run(draft_of(ROWS, clock=0, stamp="$now")).rows
    assert made == run_original(draft_of(ROWS, clock=0, stamp="$now"), FULL)[0].rows


def test_a_document_replaces_the_system_text():
    documents = [{"filename": "r", "content": "R", "policyLoad": "always", "loadPosition": "system-replace"}]
    for role in ("You are X.", None):
        params = {"systemRole": role, "agentDocuments": documents, "enableSystemDate": False}
        draft, _, _ = run_original(draft_of([USER], clock=0, stamp=1), params)
        assert draft.rows[0]["content"] == "R"
    off, _, _ = run_original(draft_of([USER]), {"agentDocuments": documents, "enableAgentMode": False})
    assert off.rows[0]["role"] == "user"


@pytest.mark.parametrize("name", ["toString", "constructor", "isPrototypeOf", "__proto__", "nothing"])
def test_inherited_names_are_looked_up_as_they_were(name):
    filled = {"toString": "[object Undefined]", "constructor": "[object Object]", "isPrototypeOf": "false"}
    answer = handle({"step": "fn_parsePlaceholderVariables", "input": {"args": [f"{{{{{name}}}}}", {}]}})
    assert answer == {"result": filled.get(name, f"{{{{{name}}}}}")}


def test_a_toolbox_remembers_what_was_set_up():
    manifest = {"identifier": "fs", "api": [{"name": "read"}]}
    request = {
        "step": "ToolsEngine",
        "config": {"manifestSchemas": [manifest]},
        "input": {"args": ["web"]},
        "method": "hasPlugin",
    }
    assert handle(
        {**request, "setup": [{"method": "addPluginManifest", "args": [{"identifier": "web"}]}]}
    ) == {"result": True}
    assert handle(
        {**request, "input": {"args": ["fs"]}, "setup": [{"method": "removePluginManifest", "args": ["fs"]}]}
    ) == {"result": False}
    replaced = {
        **request,
        "setup": [
            {"method": "updateManifestSchemas", "args": [[{"identifier": "web"}]]},
            {"method": "unknown"},
        ],
    }
    assert handle(replaced) == {"result": True}
    assert handle({**request, "method": "getPluginManifest"}) == {"result": {"$undef": True}}


def test_documents_are_truncated_by_the_callers_function():
    documents = [{"content": "long text", "policyLoad": "always", "loadRules": {"maxTokens": 1}}]
    context = {"truncateContent": {"$fn": {"calls": [{"args": ["long text", 1], "returns": "lo"}]}}}
    assert handle({"step": "fn_combineDocuments", "input": {"args": [documents, context]}}) == {
        "result": "lo"
    }


def test_the_pipe_answers_each_line():
    line = json.dumps({"step": "fn_generateToolName", "input": {"args": ["fs", "read", "mcp"]}})
    wrong = json.dumps({"step": "nowhere"})
    done = subprocess.run(
        [sys.executable, "-m", "triptych", "pipe", "context"],
        input=f"{line}\n{wrong}\n",
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert first == {"result": "fs____read____mcp"}
    assert second["error"]["name"] == "UsageError"


def counted(name, *rows, **config):
    asked = {"step": name, "config": config, "input": {"messages": list(rows), "metadata": {}}}
    return handle(asked)["metadata"]


def test_injections_are_counted_by_their_usual_names():
    manifest = {"identifier": "fs", "systemRole": "Read first."}
    assert counted("GroupContextInjector", enabled=True) == {"groupContextInjected": True}
    assert counted("GroupContextInjector", enabled=False) == {}
    assert counted("ForceFinishSummaryInjector", USER, enabled=True) == {"forceFinishInjected": True}
    assert counted("ForceFinishSummaryInjector", USER, enabled=False) == {}
    topics = [{"topicId": "t", "summary": "S"}]
    assert counted("TopicReferenceContextInjector", USER, topicReferences=topics) == {
        "topicReferenceInjected": True,
        "topicReferenceCount": 1,
    }
    assert counted("TopicReferenceContextInjector", topicReferences=topics) == {}
    told = counted("ToolSystemRoleProvider", USER, manifests=[manifest])["toolSystemRole"]
    assert (told["toolsCount"], told["injected"], told["contentLength"] > 10) == (1, True, True)
    assert counted("ToolSystemRoleProvider", USER, manifests=[]) == {}


def test_a_supervisor_sees_what_steers_the_group_though_the_map_does_not_say_so():
    call = {"id": "k", "identifier": "lobe-group-management", "apiName": "speak", "arguments": "{}"}
    row = {"id": "a", "role": "assistant", "agentId": "boss", "content": "go", "tools": [call]}
    group = {"agentMap": {"boss": {"name": "B", "role": "supervisor"}}, "currentAgentId": "me"}
    for role, seen in (("supervisor", True), ("participant", False)):
        params = {"agentGroup": {**group, "currentAgentRole": role}}
        rows = run_original(draft_of([USER, row]), params)[0].rows
        assert any("go" in str(one["content"]) for one in rows) is seen


def test_selections_of_a_page_are_told_when_a_page_is_open_either_way():
    row = {**USER, "metadata": {"pageSelections": [{"content": "picked"}]}}
    for params in (
        {"pageContentContext": {"markdown": "m"}},
        {"initialContext": {"pageEditor": {"xml": "x"}}},
    ):
        rows = run_original(draft_of([row]), params)[0].rows
        assert "picked" in rows[-1]["content"]
    assert "picked" not in run_original(draft_of([row]), {})[0].rows[-1]["content"]


def test_whole_numbers_are_written_without_a_point():
    assert encode({"a": [2.0, 2.5, -0.0]}) == {"a": [2, 2.5, {"$num": "-0"}]}
    assert isinstance(encode(2.0), int)
    assert isinstance(encode(1e300), float)
