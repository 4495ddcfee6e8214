"""Tools: their names, their arguments, which are offered."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.context.tooling.arguments import read_arguments, repair_arguments, sanitize_arguments
from triptych.context.tooling.enablement import Toolbox, enable_by_rules
from triptych.context.tooling.manifests import (
    describe_tools,
    is_manifest,
    normalize_parameters,
    split_manifests,
)
from triptych.context.tooling.names import ToolNames, name_tool, resolve_calls
from triptych.context.tooling.partial_json import NOTHING, read_partial
from triptych.context.tooling.step_tools import resolve_step_tools, step_delta

PART = st.text(min_size=1, max_size=40)
TOOL = st.tuples(PART, PART, st.sampled_from(["builtin", "default", "mcp", "中文", None]))
FS = {
    "identifier": "fs",
    "type": "mcp",
    "api": [{"name": "read", "description": "Reads."}, {"name": "写"}],
    "systemRole": "S",
}
WEB = {"identifier": "web", "api": [{"name": "go", "parameters": {"type": "object"}}]}
MANIFESTS = {"fs": FS, "web": WEB}


@settings(max_examples=80, deadline=None)
@given(st.lists(TOOL, max_size=12), st.sampled_from([20, 40, 64]))
def test_names_of_a_set_are_different_short_and_read_back(tools, length):
    names = ToolNames(tools, length=length)
    made = {tool: names.name(*tool) for tool in tools}
    assert len(set(made.values())) == len(set(tools))
    assert all(len(name) <= max(length, 24) and name.isascii() for name in made.values())
    assert all(names.tool(name) == tool for tool, name in made.items())


def test_tools_that_would_share_a_name_are_told_apart():
    names = ToolNames(
        [("a____b", "c", None), ("a", "b____c", None), ("a____b", "c", "builtin"), ("a____b", "c", None)]
    )
    made = [
        names.name("a____b", "c", None),
        names.name("a", "b____c", None),
        names.name("a____b", "c", "builtin"),
    ]
    assert len(set(made)) == 3
    assert names.name("x", "y") is None
    assert names.tool("x____y") is None


def test_names_are_plain_or_hashed():
    assert name_tool("fs", "read") == "fs____read"
    assert name_tool("fs", "read", "mcp") == "fs____read____mcp"
    assert name_tool("fs", "读").startswith("fs____MD5HASH_")
    assert name_tool("i" * 30, "a" * 40, "mcp").startswith("i" * 30 + "____MD5HASH_")
    assert name_tool("i" * 70, "a" * 70).count("MD5HASH_") == 2
    assert name_tool("i" * 70, "a" * 70, length=0) == "i" * 70 + "____" + "a" * 70


def called(name, **more):
    return {"id": "k", "function": {"name": name, "arguments": "{}"}, **more}


def test_names_are_read_back_over_the_known_tools():
    [found] = resolve_calls([called(name_tool("fs", "写", "mcp"), thoughtSignature="S")], MANIFESTS)
    assert found == {
        "apiName": "写",
        "arguments": "{}",
        "id": "k",
        "identifier": "fs",
        "type": "mcp",
        "thoughtSignature": "S",
    }
    assert resolve_calls([called("ghost____go")], MANIFESTS)[0]["identifier"] == "ghost"
    assert (
        resolve_calls([called("fs____MD5HASH_000000000000")], MANIFESTS)[0]["apiName"]
        == "MD5HASH_000000000000"
    )


def test_a_bare_name_is_recovered_only_when_one_tool_has_it():
    assert resolve_calls([called("go")], MANIFESTS)[0]["identifier"] == "web"
    assert resolve_calls([called("nowhere"), None, called(None)], MANIFESTS) == []
    twice = {**MANIFESTS, "more": {"identifier": "more", "api": [{"name": "go"}]}}
    assert resolve_calls([called("go")], twice) == []
    assert resolve_calls([called("go")], twice, ["more____go"])[0]["identifier"] == "more"


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.none(),
        st.integers(),
        st.text(max_size=60),
        st.text(alphabet='{}[]":,\\ntruefals0123.e-', max_size=40),
    )
)
def test_arguments_never_raise_and_come_out_as_json(written):
    assert isinstance(json.loads(sanitize_arguments(written)), object)
    read_arguments(written, {"required": ["a", "b"]})


@settings(max_examples=80, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
        max_leaves=12,
    ),
    st.data(),
)
def test_whole_json_is_read_whole_and_any_cut_of_it_is_read_as_far_as_it_goes(value, data):
    written = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    assert read_partial(written) == value
    cut = read_partial(written[: data.draw(st.integers(0, len(written)))])
    assert cut is NOTHING or not isinstance(value, dict | list) or isinstance(cut, type(value))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('{"a": [1, 2', {"a": [1, 2]}),
        ('{"a": tru', {"a": True}),
        ('{"a": 1.', {}),
        ('{"a": 1e', {"a": 1}),
        ('{"d": "x", "inst', {"d": "x"}),
        ('{"a": "x\\', {"a": "x"}),
        ('{"a": "x\\u00', {"a": "x"}),
        ('{"a":1}}', {"a": 1}),
        ("{'a': 1}", {}),
        ("[1, nul", [1, None]),
        ("", NOTHING),
        ("garbage", NOTHING),
        ("-", NOTHING),
    ],
)
def test_json_that_breaks_off_is_read_as_far_as_it_goes(written, value):
    assert read_partial(written) is value or read_partial(written) == value


def test_depth_has_no_limit():
    value, depth = read_partial("[" * 50_000), 0
    while value:
        value, depth = value[0], depth + 1
    assert depth == 49_999
    assert sanitize_arguments("[" * 50_000) == "{}"


def test_valid_arguments_keep_their_bytes():
    assert sanitize_arguments('{ "a":1.0 }') == '{ "a":1.0 }'
    assert sanitize_arguments('{"a": NaN}') == '{"a":null}'
    assert sanitize_arguments('"\\ud800"') == '"\\ud800"'
    assert sanitize_arguments("nonsense") == "{}"
    assert sanitize_arguments(5) == "{}"


def test_an_argument_that_swallowed_the_others_is_taken_apart():
    schema = {"required": ["a", "b"]}
    assert repair_arguments({"a": 'x", "b": "y"}'}, schema) == {"a": "x", "b": "y"}
    escaped = {"a": 'x\\", \\"b\\": \\"y\\"}'}
    assert repair_arguments(escaped, schema) is escaped
    assert repair_arguments({"a": "x"}, schema) == {"a": "x"}
    assert repair_arguments({"a": 'x", "b": '}, schema) == {"a": 'x", "b": '}
    assert repair_arguments(5, schema) == 5
    assert repair_arguments({"a": 1, "b": 2}, schema) == {"a": 1, "b": 2}
    assert read_arguments("null") == {}


def test_manifests_are_checked_and_described():
    assert is_manifest(FS)
    assert split_manifests([FS, {"identifier": "x", "api": []}, 5]) == (
        [FS],
        [{"identifier": "x", "api": []}, 5],
    )
    [tool] = describe_tools(WEB)
    assert tool == {
        "type": "function",
        "function": {"name": "web____go", "parameters": {"type": "object", "required": []}},
    }
    assert normalize_parameters({"type": "object", "required": ["a"]}) == {
        "type": "object",
        "required": ["a"],
    }
    assert normalize_parameters(None) is None


def test_rules_decide_after_an_explicit_wish_and_the_platform():
    enabled = enable_by_rules(
        {"a": True, "b": False},
        allow_explicit=True,
        platform=lambda asked: {"c": True}.get(asked["pluginId"]),
    )
    assert [enabled({"pluginId": name}) for name in "abcd"] == [True, False, True, False]
    assert enabled({"pluginId": "b", "context": {"isExplicitActivation": True}})


def test_a_toolbox_offers_tools_and_says_why_not():
    box = Toolbox(
        manifests=MANIFESTS, enabled=lambda asked: asked["pluginId"] != "web", defaults=("web", "fs")
    )
    assert box.wanted(["x"], without=["fs"]) == ["x", "web"]
    assert box.wanted(["x"], skip_defaults=True) == ["x"]
    offer = box.offer(box.wanted(["x"]), model="m", provider="p", context={"k": 1})
    assert offer.enabled == ["fs"]
    assert offer.filtered == [("x", "not_found"), ("web", "disabled")]
    assert [tool["function"]["name"] for tool in offer.tools] == [
        "fs____read____mcp",
        name_tool("fs", "写", "mcp"),
    ]
    assert box.without_manifest("fs").offer(["fs"], model="m", provider="p").tools is None
    assert "more" in box.with_manifest({"identifier": "more", "api": []}).manifests
    mute = Toolbox(manifests=MANIFESTS, can_call=lambda model, provider: False)
    assert mute.offer(["fs"], model="m", provider="p").filtered == [("fs", "incompatible")]


def test_a_step_has_the_operations_tools_and_what_was_activated():
    operation = {
        "enabledToolIds": ["fs"],
        "manifestMap": {"fs": FS, "off": WEB},
        "tools": describe_tools(FS),
        "sourceMap": {},
    }
    delta = {"activatedTools": [{"id": "web", "manifest": WEB}, {"id": "fs", "manifest": FS}, {"id": "bare"}]}
    tools = resolve_step_tools(operation, delta)
    assert tools["enabledToolIds"] == ["fs", "web"]
    assert tools["sourceMap"] == {"web": "builtin"}
    assert len(tools["tools"]) == 3
    ended = resolve_step_tools(operation, step_delta(finish=True))
    assert (ended["tools"], ended["enabledToolIds"], list(ended["manifestMap"])) == ([], [], ["fs"])
    some = resolve_step_tools(operation, {}, allowed=["fs____read____mcp"])
    assert some["promptManifestMap"]["fs"]["api"] == FS["api"][:1]
    assert "systemRole" not in some["promptManifestMap"]["fs"]


def test_a_step_activates_its_device_and_what_is_mentioned():
    delta = step_delta(device=WEB, enabled=["a"], mentioned=["a", "b"])
    assert [one["id"] for one in delta["activatedTools"]] == ["web", "b"]
    assert step_delta(device=WEB, enabled=["web"])["activatedTools"] == []


@pytest.mark.parametrize(
    ("written", "value"),
    [('{"n": 1e5', {"n": 100000}), ("[2.0, 2.5", [2, 2.5]), ("\u00a0\ufeff[1", [1]), ("NaN", {}), ("N", {})],
)
def test_numbers_and_blanks_are_read_as_the_ecosystem_reads_them(written, value):
    assert repr(read_arguments(written)) == repr(value)


def test_mended_arguments_write_whole_numbers_without_a_point():
    assert sanitize_arguments('{"n": [1e3, 1.50') == '{"n":[1000,1.5]}'
    assert sanitize_arguments('{"n": 1e3}') == '{"n": 1e3}'


def test_a_bare_name_is_looked_for_among_names_of_the_length_that_was_offered():
    twice = {"web": WEB, "x" * 20: {**WEB, "identifier": "x" * 20}}
    short = name_tool("x" * 20, "go", length=24)
    assert resolve_calls([called("go")], twice, [short]) == []
    [found] = resolve_calls([called("go")], twice, [short], length=24)
    assert found["identifier"] == "x" * 20


def test_a_call_without_an_id_or_arguments_gets_none():
    [found] = resolve_calls([{"function": {"name": "web____go"}}], MANIFESTS)
    assert found == {"identifier": "web", "apiName": "go", "type": "builtin"}


def test_a_tool_that_is_activated_again_stays_where_it_was():
    tools = [*describe_tools(FS), *describe_tools(WEB)]
    operation = {"enabledToolIds": ["fs"], "manifestMap": {"fs": FS}, "tools": [*tools, tools[0]]}
    assert resolve_step_tools(operation, {})["tools"] == tools


def test_an_allowed_tool_keeps_its_manifest_whatever_id_it_was_activated_by():
    delta = {"activatedTools": [{"id": "alias", "manifest": WEB}]}
    tools = resolve_step_tools({}, delta, allowed=["web____go"])
    assert (tools["enabledToolIds"], list(tools["promptManifestMap"])) == (["alias"], ["alias"])
