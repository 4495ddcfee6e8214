"""What each pass does to one broken thing; the laws over everything are in tests/properties."""

import base64

import pytest
from benchmarks.matrix import HISTORIES
from tests.fuzz.laws import unmarked

from triptych import wires
from triptych.cli.prompt_input import read_prompt
from triptych.errors import UsageError
from triptych.model.messages import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from triptych.model.parts import (
    AudioPart,
    FilePart,
    ImagePart,
    InlineMedia,
    ReasoningPart,
    ReferencePart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from triptych.model.references import NoteReference
from triptych.model.status import CallDenied, CallStarted, Incomplete
from triptych.model.tools import ToolDefinition

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAI="


def user(name, *parts):
    return UserMessage(id=name, parts=tuple(TextPart(text=p) if isinstance(p, str) else p for p in parts))


def assistant(name, *parts, **more):
    return AssistantMessage(
        id=name, parts=tuple(TextPart(text=p) if isinstance(p, str) else p for p in parts), **more
    )


def call(name, tool="lookup", arguments="{}", **more):
    return ToolCallPart(call_id=name, name=tool, arguments=arguments, **more)


def result(name, text="ok", message="t"):
    return ToolMessage(id=message, parts=(ToolResultPart(call_id=name, content=(TextPart(text=text),)),))


def repaired(messages, profile="openai"):
    return wires.repair(messages, wires.PROFILES[profile])


def texts(messages):
    return [part.text for message in messages for part in message.parts if isinstance(part, TextPart)]


@pytest.mark.parametrize("wire", wires.WIRES)
@pytest.mark.parametrize("name", [name for name in HISTORIES if name != "system_only"])
def test_every_broken_history_becomes_valid_and_keeps_the_persons_words(name, wire):
    messages, _ = read_prompt(HISTORIES[name])
    payload = wires.compile(messages, wire)
    assert wires.lint(payload.body, wire=wire) == []
    said = str(payload.body)
    for row in HISTORIES[name]:
        assert row["role"] != "user" or row["content"].strip() in said


def test_a_result_moves_before_what_was_said_between():
    messages, report = repaired(
        [user("u", "q"), assistant("a", call("c")), user("x", "hurry"), result("c"), user("n", "go")]
    )
    assert [message.id for message in messages] == ["u", "a", "t", "x", "n"]
    assert [change.rule for change in report] == ["result-place"]


def test_a_late_result_is_a_marked_turn_and_the_call_keeps_its_synthetic_one():
    history = [
        user("u", "q"),
        assistant("a", call("c")),
        user("x", "hurry"),
        assistant("b", "hm"),
        result("c", "LATE"),
        user("n", "go"),
    ]
    earlier, _ = repaired(history[:3])
    messages, report = repaired(history)
    assert messages[: len(earlier)] == earlier
    assert any("LATE" in text and text.startswith("[Late result") for text in texts(messages))
    assert "late-result" in [change.rule for change in report]


@pytest.mark.parametrize(
    ("state", "status", "word"),
    [
        (CallDenied(reason="too risky"), None, "did not allow this call: too risky"),
        (CallStarted(), None, "whether it took effect is not known"),
        (None, Incomplete(reason="length"), "output limit"),
    ],
)
def test_a_synthetic_result_says_why_there_is_none(state, status, word):
    part = call("c", **({"state": state} if state else {}))
    messages, _ = repaired([user("u", "q"), assistant("a", part, **({"status": status} if status else {}))])
    answer = messages[-1].parts[0]
    assert answer.is_error
    assert word in answer.content[0].text


def test_of_two_results_the_last_one_is_sent():
    messages, report = repaired(
        [user("u", "q"), assistant("a", call("c")), result("c", "A"), result("c", "B"), user("n", "n")]
    )
    assert messages[2].parts[0].content == (TextPart(text="B"),)
    assert report[0].rule == "duplicate-result"


def test_ids_that_differ_in_one_bad_character_stay_two():
    history = [
        user("u", "q"),
        assistant("a", call("f:0"), call("f|0")),
        result("f:0", "A", "t1"),
        result("f|0", "B", "t2"),
    ]
    messages, _ = repaired(history, "anthropic")
    ids = [part.call_id for part in messages[1].parts]
    assert len(set(ids)) == 2
    assert [part.call_id for part in messages[2].parts] == ids
    assert history[1].parts[0].call_id == "f:0"


def test_mistral_ids_have_nine_letters_or_digits():
    messages, _ = repaired([user("u", "q"), assistant("a", call("call_1")), result("call_1")], "mistral")
    made = messages[1].parts[0].call_id
    assert len(made) == 9
    assert made.isalnum()


def test_different_illegal_names_stay_different():
    messages, _ = repaired(
        [user("u", "q"), assistant("a", call("1", "a b"), call("2", "a_b"), call("3", "a.b"))]
    )
    names = [part.name for part in messages[1].parts]
    assert len(set(names)) == 3
    assert names[1] == "a_b"


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ("", "{}"),
        ("null", "{}"),
        ("[1]", '{"value":[1]}'),
        ('{"a": ', '{"invalid_json":"{\\"a\\": "}'),
        ('{ "a" : 1 }', '{ "a" : 1 }'),
        ('{"a": NaN}', '{"a":null}'),
    ],
)
def test_arguments_are_an_object_and_keep_what_the_model_wrote(arguments, sent):
    messages, _ = repaired([user("u", "q"), assistant("a", call("c", arguments=arguments)), result("c")])
    assert messages[1].parts[0].arguments == sent


def test_a_system_text_in_mid_conversation_folds_into_the_next_user_turn():
    history = [
        SystemMessage(id="s", parts=(TextPart(text="S"),)),
        user("u", "q"),
        assistant("a", "x"),
        SystemMessage(id="m", parts=(TextPart(text="BLUE"),)),
        user("n", "n"),
    ]
    messages, _ = repaired(history, "anthropic")
    assert texts(messages[:1]) == ["S"]
    assert texts(messages[-1:]) == ["[System message]\nBLUE", "n"]
    assert repaired(history, "openai")[0] == tuple(history)


def test_the_template_without_a_system_role_gets_none():
    messages, _ = repaired([SystemMessage(id="s", parts=(TextPart(text="S"),)), user("u", "q")], "no-system")
    assert [type(message) for message in messages] == [UserMessage]
    assert texts(messages) == ["[System message]\nS", "q"]


def test_reasoning_goes_back_to_its_own_family_only():
    thought = ReasoningPart(text="hm \n", private={"anthropic": {"signature": "c2ln"}})
    history = [user("u", "q"), assistant("a", thought, "x"), user("n", "n")]
    assert repaired(history, "anthropic")[0][1].parts[0] is thought
    assert len(repaired(history, "gemini")[0][1].parts) == 1
    assert len(repaired(history, "openai-responses")[0][1].parts) == 1


def test_reasoning_with_nothing_behind_it_is_left_out():
    thought = ReasoningPart(private={"openai": {"id": "rs_1", "summary": [], "encrypted_content": "e"}})
    history = [user("u", "q"), assistant("a", thought), user("n", "n")]
    body = wires.compile(history, "openai_responses").body
    assert "rs_1" not in str(body)


def test_an_item_id_without_its_reasoning_is_taken_off():
    history = [
        user("u", "q"),
        assistant("a", TextPart(text="x", private={"openai": {"id": "msg_1"}})),
        user("n", "n"),
    ]
    assert wires.compile(history, "openai_responses").body["input"][1] == {
        "role": "assistant",
        "content": "x",
    }


def test_a_picture_in_a_result_moves_behind_all_results():
    shot = ToolResultPart(
        call_id="1", content=(TextPart(text="shot"), ImagePart(media=InlineMedia(data=PNG)))
    )
    history = [
        user("u", "look"),
        assistant("a", call("1"), call("2")),
        ToolMessage(id="t", parts=(shot,)),
        result("2", "ok", "t2"),
        user("n", "n"),
    ]
    roles = [item["role"] for item in wires.compile(history, "openai_chat").body["messages"]]
    assert roles == ["user", "assistant", "tool", "tool", "user", "user"]


def test_what_cannot_be_shown_is_named_in_words():
    picture = ImagePart(media=InlineMedia(data=PNG), name="cat.png", media_type="image/png")
    note = FilePart(name="a.txt", text="inside", media_type="text/plain")
    messages, _ = repaired([user("u", picture, note)], "deepseek")
    assert texts(messages) == [
        "[Picture left out: cat.png; it cannot be shown here.]",
        "[File: a.txt]\ninside",
    ]


def test_a_reference_without_its_body_is_named():
    messages, report = repaired([user("u", "see", ReferencePart(reference=NoteReference(path="a.md")))])
    assert texts(messages) == ["see", "[Attached: a.md]"]
    assert report[0].rule == "reference"


def test_old_pictures_leave_in_steps_and_the_newest_stay():
    def history(count):
        big = ImagePart(media=InlineMedia(data=PNG), extra={"width": 2400, "height": 1200})
        pairs = [(user(f"u{n}", f"see {n}", big), assistant(f"a{n}", "ok")) for n in range(count)]
        return [message for pair in pairs for message in pair][:-1]

    def shown(count):
        body = wires.compile(history(count), "anthropic").body
        return [any(block["type"] == "image" for block in item["content"]) for item in body["messages"][::2]]

    assert all(shown(20))
    assert shown(21) == [False] * 10 + [True] * 11
    assert shown(25)[:21] == shown(21)


def test_five_cache_marks_become_four():
    mark = {"anthropic": {"cache_control": {"type": "ephemeral"}}}
    parts = [TextPart(text=f"t{n}", private=mark) for n in range(6)]
    body = wires.compile([user("u", *parts)], "anthropic").body
    marked = [block["text"] for block in body["messages"][0]["content"] if "cache_control" in block]
    assert marked == ["t0", "t3", "t4", "t5"]


@pytest.mark.parametrize("name", ["claude-sonnet-4", "bedrock"])
def test_marks_that_move_on_move_no_text(name):
    profile = wires.PROFILES[name]
    mark = {"anthropic": {"cache_control": {"type": "ephemeral"}}}
    talk = [
        kind(id=f"m{number}", parts=(TextPart(text=f"words {number}", private=mark),))
        for number, kind in enumerate([UserMessage, AssistantMessage] * 4)
    ]
    before = wires.compile(talk[:3], profile.wire, profile=profile).body["messages"]
    after = wires.compile(talk, profile.wire, profile=profile).body["messages"]
    assert before != after[:3]
    assert unmarked(before) == unmarked(after[:3])


def test_thinking_is_switched_off_for_an_open_turn_that_has_none():
    history = [user("u", "q"), assistant("a", call("c")), result("c")]
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
    payload = wires.compile(history, "anthropic", options=thinking)
    assert "thinking" not in payload.body
    assert "thinking-off" in [change.rule for change in payload.report]
    assert (
        wires.compile([user("u", "q")], "anthropic", options=thinking).body["thinking"]["budget_tokens"]
        == 2000
    )


def test_a_servers_own_tool_goes_back_whole_to_its_server_only():
    used = ToolCallPart(
        call_id="srvtoolu_1",
        name="web_search",
        arguments='{"query":"x"}',
        server_side=True,
        private={"anthropic": {"type": "server_tool_use"}},
    )
    raw = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    found = ToolResultPart(call_id="srvtoolu_1", name="web_search", private={"anthropic": raw})
    history = [user("u", "q"), assistant("a", used, found, "answer"), user("n", "n")]
    blocks = wires.compile(history, "anthropic").body["messages"][1]["content"]
    assert [block["type"] for block in blocks] == ["server_tool_use", "web_search_tool_result", "text"]
    assert blocks[1] == raw
    roles = [item["role"] for item in wires.compile(history, "openai_chat").body["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]


def test_gemini_three_gets_the_documented_placeholder_where_a_signature_is_missing():
    history = [
        user("u", "q"),
        assistant("a", call("1"), call("2")),
        result("1", "ok", "t1"),
        result("2", "ok", "t2"),
    ]
    parts = wires.compile(history, "gemini", profile="gemini-3").body["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == ["skip_thought_signature_validator", None]


def test_strict_takes_changes_of_form_but_no_repair():
    wires.compile([user("u", "q"), user("v", "r")], "anthropic", strict=True)
    with pytest.raises(UsageError, match="call-id"):
        wires.compile([user("u", "q"), assistant("a", call("a:b")), result("a:b")], "anthropic", strict=True)


def test_calls_that_share_an_id_take_the_results_of_their_own_name():
    def named(tool, text, call_id):
        return ToolResultPart(call_id=call_id, name=tool, content=(TextPart(text=text),))

    for shared in ("", "call_0"):
        out, _ = repaired(
            [
                user("u", "q"),
                assistant("a", call(shared, "tide"), call(shared, "wind")),
                ToolMessage(id="t", parts=(named("wind", "west", shared), named("tide", "low", shared))),
            ]
        )
        told = [(part.name, part.content[0].text) for part in out[2].parts]
        assert told == [("tide", "low"), ("wind", "west")]


def test_of_two_results_of_one_name_the_last_is_sent_and_the_other_call_keeps_its_own():
    results = [
        ToolResultPart(call_id="x", name=name, content=(TextPart(text=text),))
        for name, text in (("tide", "low"), ("wind", "west"), ("tide", "high"))
    ]
    out, report = repaired(
        [
            user("u", "q"),
            assistant("a", call("x", "tide"), call("x", "wind")),
            ToolMessage(id="t", parts=tuple(results)),
        ]
    )
    assert [part.content[0].text for part in out[2].parts] == ["high", "west"]
    assert "duplicate-result" in [change.rule for change in report]


@pytest.mark.parametrize("profile", ["anthropic", "bedrock"])
def test_a_turn_with_calls_ends_in_a_call_where_the_target_wants_that(profile):
    thought = ReasoningPart(text="hm", private={"anthropic": {"signature": "s"}})
    messages = [
        user("u", "q"),
        assistant("a", thought, call("c1"), call("c2"), "I asked both."),
        result("c1"),
        result("c2"),
        user("n", "go on"),
    ]
    out, report = repaired(messages, profile)
    assert [type(part) for part in out[1].parts] == [ReasoningPart, TextPart, ToolCallPart, ToolCallPart]
    assert [part.call_id for part in out[1].parts[2:]] == ["c1", "c2"]
    assert "call-place" in [change.rule for change in report]
    assert repaired(out, profile)[0] == out
    assert repaired(messages, "gemini")[0][1].parts[-1] == TextPart(text="I asked both.")


@pytest.mark.parametrize(
    ("stated", "sent"),
    [
        ("image/jpg", "image/png"),
        ("image/jpeg", "image/png"),
        ("IMAGE/PNG", "image/png"),
        (None, "image/png"),
    ],
)
def test_a_picture_goes_under_the_type_that_its_bytes_have(stated, sent):
    picture = ImagePart(media=InlineMedia(data=PNG), media_type=stated)
    out, report = repaired([user("u", "see", picture)], "anthropic")
    assert out[0].parts[1].media_type == sent
    assert ("media-type" in [change.rule for change in report]) == (stated is not None)


def test_another_name_of_a_media_type_is_no_reason_to_leave_a_piece_out():
    sound = AudioPart(media=InlineMedia(data="AAAA"), media_type="audio/x-wav")
    photo = ImagePart(media=InlineMedia(data="/9j/4AAQ"), media_type="image/jpg")
    out, _ = repaired([user("u", sound, photo)], "openai")
    assert [part.media_type for part in out[0].parts] == ["audio/wav", "image/jpeg"]


def test_a_file_of_text_that_is_not_taken_travels_as_its_text():
    data = base64.b64encode("ebb: 06:12\nflow: 12:20 é".encode()).decode()
    table = FilePart(media=InlineMedia(data=data), media_type="text/csv; charset=utf-8", name="tides.csv")
    out, _ = repaired([user("u", "see", table)], "deepseek")
    assert out[0].parts[1].text == "[File: tides.csv]\nebb: 06:12\nflow: 12:20 é"
    broken = FilePart(media=InlineMedia(data="/9j/4AAQ"), media_type="text/csv", name="tides.csv")
    out, _ = repaired([user("u", "see", broken)], "deepseek")
    assert out[0].parts[1].text.startswith("[File left out: tides.csv")


@pytest.mark.parametrize(
    ("steps", "on"),
    [
        (("thinks", "plain"), True),
        (("plain", "thinks"), False),
        (("plain",), False),
        (("plain", "words"), False),
        (("thinks", "words"), True),
        (("plain", "reply", "words"), True),
        ((), True),
    ],
)
def test_thinking_stays_on_where_the_running_tool_turn_begins_with_it(steps, on):
    thought = ReasoningPart(text="hm", private={"anthropic": {"signature": "s"}})
    history = [user("u", "q")]
    for number, step in enumerate(steps):
        if step == "words":
            history.append(user(f"w{number}", "and hurry"))
        elif step == "reply":
            history.append(assistant(f"r{number}", "done"))
        else:
            start = (thought,) if step == "thinks" else ()
            history.append(assistant(f"a{number}", *start, call(f"c{number}")))
            history.append(result(f"c{number}", message=f"t{number}"))
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 2_000}}
    payload = wires.compile(history, "anthropic", options=thinking)
    assert ("thinking" in payload.body) == on
    assert ("thinking-off" in [change.rule for change in payload.report]) != on
    forced = {**payload.body, "thinking": thinking["thinking"], "max_tokens": 9_000}
    found = [one.rule for one in wires.lint(forced, wire="anthropic")]
    assert ("thinking.open-turn" in found) != on


def test_thinking_looks_back_over_what_was_settled_before():
    history = [user("u", "q")]
    cache = wires.CompileCache()
    for number in range(4):
        history += [assistant(f"a{number}", call(f"c{number}")), result(f"c{number}", message=f"t{number}")]
        options = {"thinking": {"type": "adaptive"}}
        assert "thinking" not in wires.compile(history, "anthropic", options=options, cache=cache).body


@pytest.mark.parametrize("wire", wires.WIRES)
def test_a_tool_whose_schema_is_no_object_is_offered_with_one(wire):
    tools = [
        ToolDefinition(name="f", parameters={"type": "string"}),
        ToolDefinition(name="g", parameters={"type": "object", "properties": None}),
    ]
    payload = wires.compile([user("u", "q")], wire, tools=tools)
    assert [change.rule for change in payload.report] == ["tool-schema"]
    assert list(wires.lint(payload.body, wire=wire)) == []


@pytest.mark.parametrize("wire", wires.WIRES)
def test_an_option_that_is_null_is_not_set(wire):
    bare = wires.compile([user("u", "q")], wire)
    nulls = dict.fromkeys(
        ("temperature", "top_p", "max_tokens", "stop", "tool_choice", "thinking", "strange")
    )
    assert wires.compile([user("u", "q")], wire, options=nulls) == bare
