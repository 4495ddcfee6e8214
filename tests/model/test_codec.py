import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.strategies import ANY_JSON, MESSAGE

from triptych.errors import DataError
from triptych.model.codec import (
    decode_message,
    decode_message_strictly,
    decode_messages,
    encode_message,
    encode_messages,
    message_to_json,
)
from triptych.model.messages import AssistantMessage, UserMessage
from triptych.model.parts import TextPart, UnknownPart
from triptych.model.tolerant import parse_message


@given(MESSAGE)
@settings(max_examples=400, deadline=None)
def test_decode_after_encode_is_identity(message):
    assert decode_message(encode_message(message))[0] == message


@given(st.lists(MESSAGE, max_size=4))
@settings(deadline=None)
def test_a_list_of_messages_is_written_as_its_members_are(messages):
    data = encode_messages(messages)
    assert data == b"[" + b",".join(map(encode_message, messages)) + b"]"
    assert decode_messages(data)[0] == messages


@given(st.binary(max_size=60) | ANY_JSON.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=600, deadline=None)
def test_any_bytes_give_a_message_that_can_be_written(data):
    message, _ = decode_message(data)
    again, _ = decode_message(encode_message(message))
    assert again == message


@given(ANY_JSON)
@settings(max_examples=400, deadline=None)
def test_any_bytes_give_a_list(value):
    messages, found = decode_messages(json.dumps(value).encode())
    if not isinstance(value, list):
        assert not messages
        assert found


def foreign(**fields):
    return {"id": "a", "role": "assistant"} | fields


@pytest.mark.parametrize(
    "value",
    [
        foreign(parts=[{"type": "hologram", "x": [1, None]}, {"type": "text", "text": "hi", "tone": "dry"}]),
        foreign(parts=[{"type": "unknown", "raw": {"a": 1}}]),
        foreign(parts=[{"type": "reference"}, 3, None, "text"]),
        foreign(parts=[{"type": "text", "text": 3}]),
        foreign(parts="all"),
        foreign(extra={"extra": 1}, mood="dry"),
        foreign(createdAt="2024-01-01", hidden="yes"),
        foreign(usage={"inputTokens": 3, "odd": 1}),
        foreign(status={"state": "dreaming"}),
        foreign(role="critic", parts=[{"type": "text", "text": "x"}]),
        foreign(role="user", parts=[{"type": "reasoning", "text": "x"}]),
        foreign(role="tool", parts=[{"type": "toolResult", "callId": "c", "content": [{"type": "odd"}]}]),
    ],
)
def test_what_nobody_knows_is_written_back_json_equal(value):
    message, found = decode_message(json.dumps(value).encode())
    assert message_to_json(message) == value
    assert found


def test_characters_that_no_database_holds_are_replaced_and_reported():
    message, found = decode_message(
        rb'{"id":"a","role":"user","parts":[{"type":"text","text":"a\ud800b\u0000"}]}'
    )
    assert message == UserMessage(id="a", parts=(TextPart(text="a\ufffdb\ufffd"),))
    assert [one.code for one in found] == ["bad_text"]
    assert found[0].where == "$.parts[0].text"


def test_numbers_that_json_cannot_hold_become_null():
    message, found = decode_message(b'{"id":"a","role":"user","x":[NaN,Infinity,1e999]}')
    assert message.extra == {"x": [None, None, None]}
    assert [one.code for one in found] == ["bad_number"] * 3 + ["unknown_field"]


def test_a_message_without_an_id_gets_the_same_one_each_time():
    first, found = decode_message(b'{"role":"user"}')
    second, _ = decode_message(b'{"role":"user"}')
    assert first.id == second.id
    assert first.id.startswith("unnamed-")
    assert "missing_id" in {one.code for one in found}


def test_what_is_no_message_is_kept_whole():
    message, found = parse_message([1, 2])
    assert isinstance(message, AssistantMessage)
    assert message.parts == (UnknownPart(raw=[1, 2]),)
    assert found[0].severity == "error"


def test_deep_nesting_is_a_diagnostic():
    _, found = decode_message(b"[" * 100_000)
    assert found[0].code == "bad_json"


def test_the_strict_reader_names_the_path():
    with pytest.raises(DataError) as caught:
        decode_message_strictly(b'{"id":"a","role":"user","parts":[{"type":"text","text":3}]}')
    assert caught.value.path == "$.parts[0].text"
