import pytest
from tests.wires.chunks import named, read, reply
from tests.wires.samples import ANTHROPIC, block, more, stop

from triptych.model import parts as p
from triptych.model.events import Failure
from triptych.model.reply import reduce_events
from triptych.model.status import Complete, Incomplete
from triptych.wires.anthropic.stream import from_reply, open_decoder

START = {"type": "message_start", "message": {"id": "msg", "model": "m", "usage": {"input_tokens": 1}}}


def ended(reason="end_turn", **usage):
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage},
        {"type": "message_stop"},
    ]


def test_every_block_is_a_part_in_its_place():
    got = reply(open_decoder(), named(*ANTHROPIC[0]))
    thinking, redacted, text, source, call = got.parts
    assert thinking == p.ReasoningPart(text="Hmm", private={"anthropic": {"signature": "EqQB"}})
    assert redacted == p.ReasoningPart(redacted=True, private={"anthropic": {"data": "AAAA"}})
    assert text == p.TextPart(text="I look it up.")
    assert (source.quote, source.title) == ("q", "D")
    assert (call.call_id, call.name, call.arguments) == ("toolu_1", "find", '{"q": "x"}')
    assert got.status == Complete(reason="toolCalls")


def test_cached_tokens_are_part_of_the_input():
    usage = reply(open_decoder(), named(*ANTHROPIC[0])).usage
    assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) == (12, 7, 40)


def test_an_index_that_is_used_again_is_another_block():
    got = reply(
        open_decoder(),
        named(
            START,
            block(0, type="text", text=""),
            more(0, "text_delta", text="a"),
            stop(0),
            block(0, type="text", text=""),
            more(0, "text_delta", text="b"),
            stop(0),
            *ended(),
        ),
    )
    assert got.parts == (p.TextPart(text="a"), p.TextPart(text="b"))


def test_a_call_without_arguments_has_an_empty_object():
    got = reply(
        open_decoder(),
        named(START, block(0, type="tool_use", id="t", name="now", input={}), stop(0), *ended()),
    )
    assert got.parts[0].arguments == "{}"
    assert got.status == Complete(reason="toolCalls")


def test_arguments_given_whole_and_again_in_pieces_are_taken_once():
    got = reply(
        open_decoder(),
        named(
            START,
            block(0, type="tool_use", id="t", name="f", input={"a": 1}),
            more(0, "input_json_delta", partial_json='{"a"'),
            more(0, "input_json_delta", partial_json=":1}"),
            stop(0),
            *ended("tool_use"),
        ),
    )
    assert got.parts[0].arguments == '{"a":1}'


def test_what_a_server_tool_did_stays_in_the_message():
    result = {
        "type": "web_search_tool_result",
        "tool_use_id": "srv",
        "content": [
            {"type": "web_search_result", "url": "https://a", "title": "A", "encrypted_content": "ZZ"}
        ],
    }
    got = reply(
        open_decoder(),
        named(
            START,
            block(0, type="server_tool_use", id="srv", name="web_search", input={}),
            more(0, "input_json_delta", partial_json='{"query":"x"}'),
            stop(0),
            block(1, **result),
            stop(1),
            block(2, type="text", text="So."),
            stop(2),
            *ended(),
        ),
    )
    call, answer, text = got.parts
    assert (call.server_side, call.arguments) == (True, '{"query":"x"}')
    assert (answer.call_id, answer.private) == ("srv", {"anthropic": result})
    assert text == p.TextPart(text="So.")
    assert got.status == Complete()


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("end_turn", Complete()),
        ("max_tokens", Incomplete(reason="length")),
        ("refusal", Incomplete(reason="contentFilter")),
        ("pause_turn", Complete(reason="other")),
        ("new_word", Complete(reason="other")),
    ],
)
def test_stop_reasons(reason, status):
    assert reply(open_decoder(), named(START, *ended(reason))).status == status


def test_an_overloaded_server_in_the_middle_is_a_failure_that_may_pass():
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    events = read(open_decoder(), named(START, block(0, type="text", text="Hel"), error))
    assert events[-1] == Failure(message="Overloaded", code="overloaded_error", retryable=True, detail=error)
    assert reduce_events(events).parts == (p.TextPart(text="Hel"),)


def test_a_cut_thought_keeps_what_came():
    got = reply(
        open_decoder(),
        named(START, block(0, type="thinking", thinking=""), more(0, "thinking_delta", thinking="Hm")),
    )
    assert got.parts == (p.ReasoningPart(text="Hm"),)
    assert got.failure.code == "interrupted"


def test_blocks_and_deltas_that_nobody_knows_yet_are_kept_or_passed_over():
    got = reply(
        open_decoder(),
        named(
            START,
            block(0, type="hologram", beam=1),
            more(0, "beam_delta", x=1),
            stop(0),
            {"type": "new"},
            *ended(),
        ),
    )
    assert got.parts == (p.UnknownPart(raw={"type": "hologram", "beam": 1}),)


def test_a_whole_message_reads_like_a_stream():
    body = {
        "id": "msg",
        "type": "message",
        "model": "m",
        "content": [
            {"type": "thinking", "thinking": "Hmm", "signature": "S"},
            {"type": "text", "text": "Hi", "citations": None},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    got = reduce_events(from_reply(body))
    assert got.parts == (
        p.ReasoningPart(text="Hmm", private={"anthropic": {"signature": "S"}}),
        p.TextPart(text="Hi"),
        p.ToolCallPart(call_id="t", name="f", arguments='{"a":1}'),
    )
    assert (got.status, got.response_id) == (Complete(reason="toolCalls"), "msg")
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "No."}}
    assert reduce_events(from_reply(error)).failure.message == "No."


def test_a_delta_of_a_block_that_nobody_started_is_still_read():
    def delta(index, **told):
        return {"type": "content_block_delta", "index": index, "delta": told}

    got = reply(
        open_decoder(),
        named(
            delta(0, type="thinking_delta", thinking="hm"),
            delta(0, type="signature_delta", signature="s"),
            delta(1, type="text_delta", text="Hel"),
            delta(1, type="text_delta", text="lo"),
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        ),
    )
    assert [part.text for part in got.parts] == ["hm", "Hello"]
    assert got.parts[0].private == {"anthropic": {"signature": "s"}}
