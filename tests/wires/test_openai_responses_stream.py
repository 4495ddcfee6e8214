import pytest
from tests.wires.chunks import named, reply
from tests.wires.samples import RESPONSES, grow, item

from triptych.model import parts as p
from triptych.model.reply import reduce_events
from triptych.model.status import Complete, Incomplete
from triptych.wires.openai_responses.stream import from_reply, open_decoder


def end(status="completed", output=(), **fields):
    response = {"id": "resp", "status": status, "output": list(output), **fields}
    return {"type": f"response.{status}", "response": response}


def test_items_become_parts_in_their_order():
    got = reply(open_decoder(), named(*RESPONSES[0]))
    reasoning, text, source, call = got.parts
    assert reasoning.text == "First.\n\nThen."
    assert reasoning.private["openai"]["encrypted_content"] == "abcd"
    assert reasoning.private["openai"]["id"] == "rs_1"
    assert text == p.TextPart(text="Hello", private={"openai": {"id": "msg_1"}})
    assert (source.url, source.title) == ("https://a", "A")
    assert (call.call_id, call.arguments, call.private) == ("call_1", '{"a":1}', {"openai": {"id": "fc_1"}})
    assert (got.status, got.model, got.response_id) == (Complete(reason="toolCalls"), "m", "resp_1")


def test_encrypted_reasoning_is_that_of_the_done_event():
    added = item("added", 0, type="reasoning", id="rs", summary=[], encrypted_content="ab")
    done = item("done", 0, type="reasoning", id="rs", summary=[], encrypted_content="abcd")
    [part] = reply(open_decoder(), named(added, done, end())).parts
    assert part == p.ReasoningPart(
        redacted=True, private={"openai": {"id": "rs", "summary": [], "encrypted_content": "abcd"}}
    )


def test_a_server_that_sends_no_deltas_is_read_from_its_done_events():
    message = {"type": "message", "id": "msg", "content": [{"type": "output_text", "text": "Hi"}]}
    got = reply(open_decoder(), named(item("done", 0, **message), end()))
    assert got.parts == (p.TextPart(text="Hi", private={"openai": {"id": "msg"}}),)
    got = reply(open_decoder(), named(end(output=[message])))
    assert got.parts == (p.TextPart(text="Hi", private={"openai": {"id": "msg"}}),)


def test_the_end_does_not_repeat_what_was_told():
    message = {"type": "message", "id": "msg", "content": [{"type": "output_text", "text": "Hi"}]}
    got = reply(
        open_decoder(), named(item("added", 0, **message), item("done", 0, **message), end(output=[message]))
    )
    assert [part.text for part in got.parts] == ["Hi"]


def test_events_without_places_go_by_the_ids_of_items():
    events = [
        {
            "type": "response.output_item.added",
            "item": {"type": "function_call", "id": "a", "call_id": "1", "name": "f"},
        },
        {
            "type": "response.output_item.added",
            "item": {"type": "function_call", "id": "b", "call_id": "2", "name": "g"},
        },
        {"type": "response.function_call_arguments.delta", "item_id": "b", "delta": "{}"},
        {"type": "response.function_call_arguments.delta", "item_id": "a", "delta": '{"x":1}'},
    ]
    got = reply(open_decoder(), named(*events, end()))
    assert [(part.call_id, part.arguments) for part in got.parts] == [("1", '{"x":1}'), ("2", "{}")]


def test_final_arguments_win_over_the_pieces():
    events = [
        item("added", 0, type="function_call", id="fc", call_id="c", name="f", arguments=""),
        grow("function_call_arguments.delta", 0, item_id="fc", delta='{"a"'),
        grow("function_call_arguments.done", 0, item_id="fc", arguments='{"b":2}'),
    ]
    assert reply(open_decoder(), named(*events, end())).parts[0].arguments == '{"b":2}'


def test_refusals_and_phases_are_kept():
    message = {
        "type": "message",
        "id": "msg",
        "phase": "commentary",
        "content": [{"type": "output_text", "text": "x"}, {"type": "refusal", "refusal": "No."}],
    }
    text, refusal = reply(open_decoder(), named(item("done", 0, **message), end())).parts
    assert text.private == {"openai": {"id": "msg", "phase": "commentary"}}
    assert refusal.text == "No."


def test_hosted_tools_pictures_and_unknown_items_are_kept_whole():
    search = {
        "type": "web_search_call",
        "id": "ws",
        "status": "completed",
        "action": {"type": "search", "query": "q"},
    }
    picture = {"type": "image_generation_call", "id": "ig", "result": "QUJD", "output_format": "webp"}
    other = {"type": "compaction", "id": "cmp", "encrypted_content": "zz"}
    got = reply(
        open_decoder(),
        named(*(item("done", n, **one) for n, one in enumerate([search, picture, other])), end()),
    )
    call, image, unknown = got.parts
    assert (call.server_side, call.name, call.private) == (True, "web_search", {"openai": search})
    assert (image.media, image.media_type) == (p.InlineMedia(data="QUJD"), "image/webp")
    assert unknown == p.UnknownPart(raw=other)
    assert got.status == Complete()


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (end("incomplete", incomplete_details={"reason": "max_output_tokens"}), Incomplete(reason="length")),
        (
            end("incomplete", incomplete_details={"reason": "content_filter"}),
            Incomplete(reason="contentFilter"),
        ),
        (end("cancelled"), Incomplete(reason="stopped")),
    ],
)
def test_early_ends(event, status):
    assert reply(open_decoder(), named(event)).status == status


def test_a_failed_response_says_why():
    got = reply(open_decoder(), named(end("failed", error={"code": "server_error", "message": "Sorry."})))
    assert (got.failure.message, got.failure.code, got.failure.retryable) == ("Sorry.", "server_error", True)
    got = reply(
        open_decoder(), named({"type": "error", "code": "rate_limit_exceeded", "message": "Slow down."})
    )
    assert (got.failure.message, got.failure.retryable) == ("Slow down.", True)


def test_a_replayed_event_is_applied_once():
    place = {"output_index": 0, "content_index": 0}
    events = [
        {"type": "response.output_text.delta", "sequence_number": n, "delta": str(n), **place}
        for n in range(1, 8)
    ]
    decoder = open_decoder()
    told = decoder.feed(named(*events[:5]))
    decoder.resumed()
    told += decoder.feed(named(*events[3:])) + decoder.close()
    assert reduce_events(told).parts[0].text == "1234567"


def test_a_whole_response_reads_like_a_stream():
    body = {
        "id": "resp",
        "model": "m",
        "status": "completed",
        "error": None,
        "output": [
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "zz"},
            {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{}"},
        ],
        "usage": {"input_tokens": 4, "input_tokens_details": {"cached_tokens": 2}, "output_tokens": 6},
    }
    got = reduce_events(from_reply(body))
    assert [type(part).__name__ for part in got.parts] == ["ReasoningPart", "ToolCallPart"]
    assert got.status == Complete(reason="toolCalls")
    assert (got.usage.cached_input_tokens, got.usage.output_tokens) == (2, 6)
    assert reduce_events(from_reply({"error": {"message": "No."}})).failure.message == "No."
