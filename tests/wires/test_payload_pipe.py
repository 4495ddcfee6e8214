"""The pipe ``payload``: shapes of messages that other programs write, truncation, and errors as answers."""

import json

import pytest

from triptych.cli.pipe import answer_line, find_verb
from triptych.cli.pipe.payload import handle
from triptych.cli.prompt_input import read_prompt
from triptych.errors import UsageError
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import FilePart, ImagePart, ReasoningPart, RefusalPart, TextPart, ToolCallPart
from triptych.model.status import CallApprovalNeeded, Incomplete
from triptych.wires import WIRES


def read(*rows):
    return read_prompt(list(rows))[0]


def test_hyphens_and_underscores_name_the_same_wire():
    rows = [{"role": "user", "content": "q"}]
    assert handle({"to": "openai-chat", "messages": rows}) == handle({"to": "openai_chat", "messages": rows})


def test_an_unknown_name_and_an_empty_conversation_are_answers_too():
    verb = find_verb("payload")
    for request in (
        {"to": "telex", "messages": []},
        {"to": "gemini", "messages": []},
        {},
        {"to": "gemini", "profile": "no such", "messages": [{"role": "user", "content": "q"}]},
    ):
        answer = json.loads(answer_line(verb, json.dumps(request).encode()))
        assert answer["error"]["name"] == "UsageError"


def test_the_answer_is_the_body_the_report_and_no_violation():
    answer = handle(
        {
            "to": "gemini",
            "messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}],
            "tools": [{"name": "f", "description": "d", "parameters": {"type": "object"}}],
        }
    )
    assert answer["payload"]["contents"] == [{"role": "user", "parts": [{"text": "a"}, {"text": "b"}]}]
    assert answer["payload"]["tools"][0]["functionDeclarations"][0]["name"] == "f"
    assert [change["rule"] for change in answer["report"]] == ["merged"]
    assert answer["violations"] == []


def test_private_parts_tell_where_they_come_from():
    message = read(
        {
            "role": "assistant",
            "parts": [
                {"type": "thinking", "thinking": "A", "signature": "s"},
                {"type": "redacted_thinking", "data": "zz"},
                {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted": "e"},
            ],
            "tools": [{"id": "f1", "name": "x", "arguments": {"a": 1}, "thoughtSignature": "QUJD"}],
        }
    )[0]
    families = [next(iter(part.private)) for part in message.parts]
    assert families == ["anthropic", "anthropic", "openai", "google"]
    assert isinstance(message.parts[1], ReasoningPart)
    assert message.parts[3].arguments == '{"a": 1}'


def test_a_call_in_both_places_is_one_call_and_two_calls_with_one_id_are_two():
    part = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    tool = {"id": "1", "name": "f", "arguments": "{}"}
    assert len(read({"role": "assistant", "parts": [part], "tools": [tool]})[0].parts) == 1
    assert len(read({"role": "assistant", "tools": [tool, tool]})[0].parts) == 2


def test_anthropic_results_in_a_user_turn_become_a_tool_message():
    result = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "ok"}]}
    messages = read({"role": "user", "content": [result, {"type": "text", "text": "go"}]})
    assert [type(message) for message in messages] == [ToolMessage, UserMessage]


def test_openai_parts_of_a_content_list_are_read():
    parts = read(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "see"},
                {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
                {
                    "type": "file",
                    "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="},
                },
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
                "plain",
                7,
            ],
        }
    )[0].parts
    assert [type(part).__name__ for part in parts] == [
        "TextPart",
        "ImagePart",
        "FilePart",
        "AudioPart",
        "TextPart",
        "UnknownPart",
    ]
    assert isinstance(parts[1], ImagePart)
    assert isinstance(parts[2], FilePart)


def test_states_of_calls_and_replies_are_read():
    message = read(
        {"role": "assistant", "finishReason": "length", "tools": [{"id": "1", "name": "rm", "pending": True}]}
    )[0]
    assert isinstance(message, AssistantMessage)
    assert message.status == Incomplete(reason="length")
    assert isinstance(message.parts[0], ToolCallPart)
    assert message.parts[0].state == CallApprovalNeeded()


def test_an_answer_of_no_to_a_question_is_why_there_is_no_result():
    rows = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "tools": [{"id": "1", "name": "rm", "arguments": "{}"}]},
        {"role": "tool", "parts": [{"type": "approval-response", "toolCallId": "1", "approved": False}]},
        {"role": "user", "content": "hello"},
    ]
    body = handle({"to": "openai_chat", "messages": rows})["payload"]
    assert "did not allow" in body["messages"][2]["content"]


def test_what_is_no_message_is_left_out_and_told():
    messages, notes = read_prompt(
        [{"id": "bad", "error": {}}, 3, {"role": "user", "content": [None, {"x": 1}]}]
    )
    assert len(messages) == 1
    assert [note.rule for note in notes] == ["not-a-message", "not-a-message"]


def test_truncation_keeps_system_text_and_whole_turns():
    rows = [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "old"},
        {"role": "assistant", "tools": [{"id": "1", "name": "f", "arguments": "{}"}]},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "new"},
    ]
    for wanted, count in (
        ({"last": 4}, 2),
        ({"last": 5}, 6),
        ({"last": 0}, 2),
        ({"tokens": 10_000}, 6),
        ({"tokens": 1}, 2),
    ):
        answer = handle({"to": "openai_chat", "messages": rows, "truncate": wanted})
        assert len(answer["payload"]["messages"]) == count, wanted
        assert answer["payload"]["messages"][-1]["content"] == "new"
    assert [change["rule"] for change in answer["report"]] == ["truncated", "over-limit"]


def test_an_estimate_does_not_depend_on_the_length_of_base64():
    from triptych.wires.truncate import estimate_tokens

    def picture(size):
        return read(
            {"role": "user", "parts": [{"type": "image", "data": "A" * size, "mediaType": "image/png"}]}
        )[0]

    assert estimate_tokens(picture(4)) == estimate_tokens(picture(400_000)) > 0
    assert estimate_tokens(read({"role": "user", "content": "w " * 100})[0]) >= 100


def test_strict_is_passed_on():
    with pytest.raises(UsageError, match="Strict"):
        handle(
            {
                "to": "openai_chat",
                "strict": True,
                "messages": [
                    {"role": "user", "content": "q"},
                    {"role": "assistant", "tools": [{"id": "1", "name": "f"}]},
                ],
            }
        )


def test_text_stands_once_when_parts_and_content_say_the_same():
    message = read({"role": "user", "content": "hi", "parts": [{"type": "text", "text": "hi"}]})[0]
    assert message.parts == (TextPart(text="hi"),)


@pytest.mark.parametrize(
    ("held", "told"),
    [(21.5, "21.5"), (False, "false"), (0, "0"), ({"text": "warm", "celsius": 21}, '"celsius": 21')],
)
def test_a_result_that_is_any_json_value_is_told_whole(held, told):
    rows = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "tools": [{"id": "1", "name": "f", "arguments": "{}"}]},
        {"role": "tool", "tool_call_id": "1", "content": held},
    ]
    assert told in handle({"to": "openai_chat", "messages": rows})["payload"]["messages"][2]["content"]


def test_the_old_function_call_and_its_result_are_a_pair():
    rows = [
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "tide", "arguments": '{"at":"noon"}'},
        },
        {"role": "function", "name": "tide", "content": "low"},
    ]
    answer = handle({"to": "anthropic", "messages": rows})
    call = answer["payload"]["messages"][1]["content"][0]
    result = answer["payload"]["messages"][2]["content"][0]
    assert (call["name"], call["input"]) == ("tide", {"at": "noon"})
    assert result["tool_use_id"] == call["id"]
    assert result["content"] == [{"type": "text", "text": "low"}]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_beside_the_content_is_reasoning(field):
    rows = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "", field: "first the tide", "tools": [{"id": "1", "name": "f"}]},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
    ]
    body = handle({"to": "openai_chat", "profile": "deepseek-reasoner", "messages": rows})["payload"]
    assert body["messages"][1]["reasoning_content"] == "first the tide"


def test_what_stands_beside_the_content_of_a_message_is_read():
    person, reply, answer = read(
        {"role": "user", "content": "see", "images": ["iVBORw0KGgo="]},
        {"role": "assistant", "content": None, "refusal": "I would rather not."},
        {"role": "tool", "tool_name": "f", "content": "ok"},
    )
    assert [type(part) for part in person.parts] == [TextPart, ImagePart]
    assert reply.parts == (RefusalPart(text="I would rather not."),)
    assert answer.parts[0].name == "f"


def test_the_phase_of_a_reply_goes_back_to_its_own_family():
    part = {"type": "text", "text": "looking", "phase": "commentary"}
    rows = [{"role": "user", "content": "q"}, {"role": "assistant", "parts": [part]}, {"role": "user", "content": "n"}]  # fmt: skip
    body = handle({"to": "openai_responses", "messages": rows})["payload"]
    assert body["input"][1] == {"role": "assistant", "content": "looking", "phase": "commentary"}


def test_the_reason_of_a_no_is_told():
    no = {"type": "approval-response", "toolCallId": "1", "approved": False, "reason": "it costs money"}
    [message] = read({"role": "tool", "parts": [no]})
    assert "it costs money" in message.parts[0].content[0].text


@pytest.mark.parametrize("wire", WIRES)
def test_what_the_pipe_wrote_for_a_wire_it_reads_again(wire):
    rows = [
        {"role": "user", "content": "look"},
        {
            "role": "assistant",
            "content": "at once",
            "tools": [{"id": "abcdefghi", "name": "tide", "arguments": '{"at":"noon"}'}],
        },
        {"role": "tool", "tool_call_id": "abcdefghi", "content": "low"},
        {
            "role": "user",
            "parts": [{"type": "text", "text": "this"}, {"type": "image", "data": "iVBORw0KGgo="}],
        },
    ]
    body = handle({"to": wire, "messages": rows})["payload"]
    key = {"gemini": "contents", "openai_responses": "input"}.get(wire, "messages")
    assert handle({"to": wire, "messages": body[key]})["payload"] == body


def test_strange_things_in_a_wires_own_list_are_told():
    rows = [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "ok"}}}]},
        {"role": "user", "parts": [{"somethingNew": 1}]},
    ]
    answer = handle({"to": "openai_chat", "messages": rows})
    assert "unknown_part" in [change["rule"] for change in answer["report"]]
    assert [one["role"] for one in answer["payload"]["messages"]][:3] == ["user", "assistant", "tool"]


def test_results_beside_their_calls_are_answers_of_one_step():
    tools = [{"id": name, "name": "f", "arguments": "{}", "result": f"of {name}"} for name in ("one", "two")]
    rows = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "both", "tools": tools}]
    roles = [one["role"] for one in handle({"to": "openai_chat", "messages": rows})["payload"]["messages"]]
    assert roles == ["user", "assistant", "tool", "tool"]


def test_shortening_goes_back_to_where_a_person_said_something():
    rows = [
        {"role": "user", "content": "older"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "what is it?"},
        {"role": "assistant", "content": "a tide table"},
        {"role": "user", "content": " \n"},
    ]
    for wanted in ({"last": 1}, {"tokens": 1}, {"last": 4, "tokens": 2}):
        body = handle({"to": "openai_chat", "messages": rows, "truncate": wanted})["payload"]
        assert [one["content"] for one in body["messages"]][:2] == ["what is it?", "a tide table"]


@pytest.mark.parametrize(
    "wanted", [7, [], {"last": "4"}, {"tokens": True}, {"tokens": float("nan")}, {"last": 1e400}]
)
def test_a_limit_that_is_no_number_is_refused_and_not_ignored(wanted):
    with pytest.raises(UsageError, match="truncate"):
        handle({"to": "openai_chat", "messages": [{"role": "user", "content": "q"}], "truncate": wanted})
