"""Calls, results and disabled tools."""

import json

from triptych.context import pipelines
from triptych.context.draft import draft_of
from triptych.context.processors.disabled_tools import drop_disabled_calls
from triptych.context.processors.stale_results import Cache, StaleRules, trim_stale_results
from triptych.context.processors.tool_calls import wire_tool_calls
from triptych.context.processors.tool_order import order_results
from triptych.context.processors.web_results import trim_web_results


def after(step, *rows):
    return list(step(draft_of(rows)).rows)


def tool(key, api="read", **more):
    return {"id": key, "identifier": "fs", "apiName": api, "arguments": "{}", "type": "builtin", **more}


def wire(*keys, **more):
    calls = [
        {"id": key, "type": "function", "function": {"name": "fs____read", "arguments": "{}"}} for key in keys
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def result(key, content="R", **more):
    return {"role": "tool", "tool_call_id": key, "content": content, **more}


def test_calls_take_the_form_of_the_wire_and_broken_arguments_are_mended():
    row = {
        "role": "assistant",
        "tools": [tool("a", arguments='{"p": [1', thoughtSignature="S"), tool("b", arguments=None)],
    }
    [made] = after(wire_tool_calls(), row)
    assert [call["function"]["arguments"] for call in made["tool_calls"]] == ['{"p":[1]}', "{}"]
    assert made["tool_calls"][0]["thoughtSignature"] == "S"
    assert made["tool_calls"][0]["function"]["name"] == "fs____read"


def test_a_row_with_a_bad_entry_is_left_alone():
    row = {"role": "assistant", "tools": [tool("a"), None]}
    assert after(wire_tool_calls(), row) == [row]


def test_a_model_without_tools_is_told_in_words():
    rows = [
        {"role": "assistant", "content": "look", "tools": [tool("a", arguments='{"p":1}')], "parts": [{}]},
        result("a", "R", plugin={"identifier": "fs", "apiName": "read"}),
        {"role": "assistant", "content": "", "tools": [tool("b")]},
        result("b", [{"type": "text", "text": "T"}, {"type": "image_url"}]),
        {"role": "assistant", "content": "done", "tool_calls": []},
    ]
    made = after(wire_tool_calls(supported=False), *rows)
    assert [row["role"] for row in made] == ["assistant", "user", "assistant", "user", "assistant"]
    assert made[0]["content"] == 'look\n\n<tool_call name="fs____read">\n{"p":1}\n</tool_call>'
    assert made[1]["content"] == '<tool_result name="fs____read">\nR\n</tool_result>'
    assert [part["type"] for part in made[3]["content"]] == ["text", "image_url"]
    assert not any("tools" in row or "tool_calls" in row or "tool_call_id" in row for row in made)


def test_calls_of_a_disabled_tool_go_with_their_results():
    rows = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "y", "tools": [tool("a"), {**tool("b"), "identifier": "web"}]},
        result("a"),
        result("b"),
    ]
    made = pipelines.chat(disabled_tools=["web"]).run(draft_of(rows)).rows
    assert [call["id"] for call in made[1]["tool_calls"]] == ["a"]
    assert [row["tool_call_id"] for row in made[2:]] == ["a"]


def test_disabled_calls_are_found_by_name_and_emptied_lists_go():
    row = {"role": "assistant", "tool_calls": [{"id": "k", "function": {"name": "web____go"}}], "tools": []}
    assert after(drop_disabled_calls(["web"]), row) == [{"role": "assistant"}]
    same = {"role": "assistant", "tool_calls": [{"id": "k", "function": {"name": "webby____go"}}]}
    assert after(drop_disabled_calls(["web"]), same) == [same]
    assert after(drop_disabled_calls([]), row) == [row]


def test_results_stand_right_behind_their_calls_in_order():
    rows = [
        {"role": "user"},
        wire("a", "b"),
        {"role": "assistant", "content": "mid"},
        result("b", "B"),
        result("a", "A"),
    ]
    made = after(order_results(), *rows)
    assert [row.get("tool_call_id") for row in made] == [None, None, "a", "b", None]


def test_a_call_without_a_result_gets_a_stand_in_with_its_name():
    made = after(order_results(), {"role": "user"}, wire("a"))
    assert made[2]["name"] == "fs____read"
    assert "no result" in made[2]["content"]


def test_results_of_parts_are_kept_and_unreadable_ones_say_why():
    image = [{"type": "image_url"}]
    rows = [
        wire("a", "b", "c"),
        result("a", image),
        result("b", "", pluginError={"message": "boom"}),
        result("c", None),
    ]
    made = after(order_results(), *rows)
    assert made[1]["content"] == image
    assert made[2]["content"] == "boom"
    assert "could be read" in made[3]["content"]


def test_a_second_result_is_added_to_the_first():
    made = after(order_results(), wire("a"), result("a", "one"), result("a", "two"))
    assert [row["content"] for row in made[1:]] == ["one\n\ntwo"]
    parts = [{"type": "image_url"}]
    made = after(order_results(), wire("a"), result("a", parts), result("a", "two"))
    assert made[1]["content"] == [*parts, {"type": "text", "text": "two"}]


def test_a_result_of_a_call_elsewhere_is_told_where_it_is():
    rows = [{"role": "user"}, wire("a"), {"role": "user"}, result("a", "late", name="fs____read", plugin={})]
    made = after(order_results(), *rows)
    assert "no result" in made[2]["content"]
    assert made[4] == {
        "role": "user",
        "content": '<late_tool_result call="a" name="fs____read">\nlate\n</late_tool_result>',
    }


def test_an_id_used_again_keeps_each_steps_own_result():
    rows = [wire("a"), result("a", "1"), wire("a"), result("a", "2")]
    draft = draft_of(rows)
    assert order_results()(draft) is draft


def read(path, content, place, **arguments):
    plugin = {
        "identifier": "fs",
        "apiName": arguments.pop("api", "read"),
        "arguments": json.dumps({"path": path, **arguments}),
    }
    return {"role": "tool", "id": str(place), "content": content, "plugin": plugin, "createdAt": place}


RULES = StaleRules(
    kinds={
        "fs.read": "read",
        "fs.write": "write",
        "fs.page": "page",
        "fs.find": "search",
        "fs.run": "command",
    },
    keep_recent=1,
    at_least=100,
    head=20,
    both=10,
)


def test_old_results_are_shortened_by_what_they_are():
    rows = [
        read("a.md", "old " * 40, 1),
        read("a.md", "new " * 40, 2, api="write"),
        read("b.md", "part " * 40, 3, offset=3),
        read("b.md", "whole " * 40, 4),
        read("", "page " * 40, 5, api="page"),
        read("", "hit " * 40, 6, api="find"),
        read("", "out " * 40, 7, api="run"),
        {**read("a.md", "failed " * 40, 8), "pluginError": {}},
        {"role": "user", "content": "next", "createdAt": 9},
    ]
    draft = trim_stale_results(RULES)(draft_of(rows))
    texts = [row["content"] for row in draft.rows]
    assert texts[0].startswith("[An older state of a.md")
    assert texts[1] == rows[1]["content"]
    assert texts[2].startswith("[An older state of b.md")
    assert texts[3] == rows[3]["content"]
    assert texts[4] == "[A page as it was then.]"
    assert texts[5].endswith("[The rest of this result is left out.]")
    assert "[The middle of this output is left out.]" in texts[6]
    assert texts[7] == rows[7]["content"]
    assert draft.metadata["trim_stale_results"]["rows"] == 5


def test_short_or_recent_results_are_left_alone():
    short = [read("a.md", "x", 1), {"role": "user", "content": "next"}]
    assert after(trim_stale_results(RULES), *short) == short
    recent = [read("", "page " * 40, 1, api="page")]
    assert after(trim_stale_results(RULES), *recent) == recent


def test_a_warm_cache_is_worth_more_than_a_small_cut():
    rows = [
        {"role": "user", "content": "long " * 9_000, "createdAt": 0},
        read("", "page " * 40, 1, api="page"),
        {"role": "assistant", "content": "x", "createdAt": 2},
        {"role": "user", "content": "next", "createdAt": 3},
    ]
    rules = StaleRules(kinds=RULES.kinds, keep_recent=1, at_least=100, cache=Cache(minutes=5))
    draft = trim_stale_results(rules)(draft_of(rows))
    assert draft.rows[1] is rows[1]
    assert draft.metadata["trim_stale_results"] == {"skipped": "warm_cache"}
    rows[3] = {**rows[3], "createdAt": 600_000}
    assert trim_stale_results(rules)(draft_of(rows)).rows[1]["content"] == "[A page as it was then.]"


def test_earlier_searches_keep_titles_and_addresses():
    found = json.dumps({"results": [{"title": "T", "url": "https://x", "content": "long " * 50}]})
    old = {"role": "tool", "plugin": {"identifier": "web"}, "content": found}
    made = after(trim_web_results(["web"]), old, {**old, "content": "not json"}, {"role": "user"}, old)
    assert json.loads(made[0]["content"]) == [{"title": "T", "url": "https://x"}]
    assert [row.get("content") for row in made[1:]] == ["not json", None, found]


def test_an_empty_list_of_wire_calls_is_no_call_whatever_stands_beside_it():
    row = {"role": "assistant", "content": "said", "tool_calls": [], "tools": [tool("a")]}
    assert after(order_results(lossy=True), row, result("a")) == [row]


def test_a_result_that_knows_no_tool_keeps_the_name_that_it_has():
    row = result("k", name="look")
    assert after(wire_tool_calls(supported=True), row) == [row]
    [bare] = after(wire_tool_calls(supported=True, keep_names=False), row)
    assert "name" not in bare
    asked = {"id": "a", **wire("k")}
    assert (
        pipelines.chat().run(draft_of([{"role": "user", "content": "q"}, asked, row])).rows[-1]["name"]
        == "look"
    )
