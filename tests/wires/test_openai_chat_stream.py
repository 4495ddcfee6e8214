import json

import pytest
from tests.wires.chunks import read, reply, sse

from triptych.model import parts as p
from triptych.model.events import Failure, Finish, PartStart
from triptych.model.reply import reduce_events
from triptych.model.status import Complete, Incomplete
from triptych.model.usage import Usage
from triptych.wires.openai_chat.stream import from_reply, open_decoder


def delta(reason=None, **fields):
    return {"id": "r1", "model": "m", "choices": [{"index": 0, "delta": fields, "finish_reason": reason}]}


def calls(*pieces):
    return delta(tool_calls=list(pieces))


def piece(index=0, call_id=None, name=None, args=None):
    function = {k: v for k, v in (("name", name), ("arguments", args)) if v is not None}
    found = {"function": function} | ({"index": index} if index is not None else {})
    return found | ({"id": call_id} if call_id is not None else {})


def read_calls(*chunks):
    parts = reply(open_decoder(), sse(*chunks, delta("tool_calls"), done=True)).parts
    return [(part.call_id, part.name, part.arguments) for part in parts if isinstance(part, p.ToolCallPart)]


def test_words_reasoning_and_usage_become_one_reply():
    got = reply(
        open_decoder(),
        sse(
            delta(role="assistant", content=""),
            delta(reasoning_content="Hm"),
            delta(reasoning_content="m."),
            delta(content="Hello "),
            delta(content="world"),
            delta("stop"),
            {
                "choices": [],
                "usage": {
                    "prompt_tokens": 9,
                    "completion_tokens": 4,
                    "prompt_tokens_details": {"cached_tokens": 5},
                },
            },
            done=True,
        ),
    )
    assert got.parts == (p.ReasoningPart(text="Hmm."), p.TextPart(text="Hello world"))
    assert got.status == Complete()
    assert (got.model, got.response_id) == ("m", "r1")
    assert (got.usage.input_tokens, got.usage.cached_input_tokens, got.usage.output_tokens) == (9, 5, 4)
    assert got.usage.raw["prompt_tokens"] == 9


def test_two_entries_of_one_index_in_a_chunk_are_one_call():
    first = calls(piece(0, "a", "f"), piece(0, args='{"a":'))
    assert read_calls(first, calls(piece(0, args="1}"))) == [("a", "f", '{"a":1}')]


def test_a_new_id_at_a_used_index_is_a_new_call():
    whole = [calls(piece(0, name, "f", '{"q":1}')) for name in "abc"]
    assert read_calls(*whole) == [(name, "f", '{"q":1}') for name in "abc"]


def test_calls_without_any_id_are_told_apart_by_their_complete_arguments():
    whole = [calls(piece(0, None, "f", f'{{"q":{n}}}')) for n in range(2)]
    assert read_calls(*whole) == [("call_0", "f", '{"q":0}'), ("call_1", "f", '{"q":1}')]


def test_id_and_name_repeated_in_every_piece_are_one_call():
    pieces = [calls(piece(0, "x", "f", text)) for text in ('{"a', '":', "1}")]
    assert read_calls(*pieces) == [("x", "f", '{"a":1}')]


def test_pieces_of_parallel_calls_may_alternate():
    chunks = [
        calls(piece(0, "a", "f"), piece(1, "b", "g")),
        calls(piece(1, args='{"y"')),
        calls(piece(0, args="{}")),
        calls(piece(1, args=":2}")),
    ]
    assert read_calls(*chunks) == [("a", "f", "{}"), ("b", "g", '{"y":2}')]


def test_pieces_without_an_index_belong_to_the_call_before():
    chunks = [calls(piece(None, "a", "f")), calls(piece(None, args="{}")), calls(piece(None, "b", "g", "{}"))]
    assert read_calls(*chunks) == [("a", "f", "{}"), ("b", "g", "{}")]


def test_equal_ids_of_two_calls_are_made_unique():
    assert read_calls(calls(piece(0, "http", "f", "{}"), piece(1, "http", "f", "{}"))) == [
        ("http", "f", "{}"),
        ("http_2", "f", "{}"),
    ]


def test_a_late_id_and_a_name_in_pieces_are_put_together():
    chunks = [calls(piece(0, name="get_")), calls(piece(0, name="time")), calls(piece(0, "late", args="{}"))]
    assert read_calls(*chunks) == [("late", "get_time", "{}")]


def test_arguments_as_an_object_become_text():
    assert read_calls(calls(piece(0, "a", "f", {"q": "é"}))) == [("a", "f", '{"q":"é"}')]


def test_text_after_a_call_keeps_its_place():
    got = reply(
        open_decoder(),
        sse(
            delta(content="a"), calls(piece(0, "x", "f", "{}")), delta(content="b"), delta("stop"), done=True
        ),
    )
    assert [type(part).__name__ for part in got.parts] == ["TextPart", "ToolCallPart", "TextPart"]
    assert got.status == Complete(reason="toolCalls")


def test_halves_of_a_character_in_two_chunks_are_joined():
    data = b'data: {"choices":[{"delta":{"content":"x \\ud83d"}}]}\n\ndata: {"choices":[{"delta":{"content":"\\ude00 y\\udcb0"},"finish_reason":"stop"}]}\n\n'
    assert reply(open_decoder(), data).parts == (p.TextPart(text="x \U0001f600 y�"),)


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("stop", Complete()),
        ("eos", Complete()),
        ("tool_calls", Complete(reason="other")),
        ("length", Incomplete(reason="length")),
        ("content_filter", Incomplete(reason="contentFilter")),
        ("something new", Complete(reason="other")),
    ],
)
def test_finish_reasons(reason, status):
    assert reply(open_decoder(), sse(delta(content="x"), delta(reason), done=True)).status == status


def test_a_cut_connection_keeps_the_text_and_says_so():
    events = read(open_decoder(), sse(delta(content="Hel"), delta(content="lo")))
    assert isinstance(events[-1], Failure)
    assert events[-1].code == "interrupted"
    assert reduce_events(events).parts == (p.TextPart(text="Hello"),)


def test_a_finish_reason_is_enough_when_the_last_line_is_missing():
    assert reply(open_decoder(), sse(delta(content="x"), delta("stop"))).status == Complete()


def test_an_error_in_the_middle_ends_the_reply():
    got = reply(
        open_decoder(),
        sse(
            delta(content="x"),
            {"error": {"message": "Overloaded", "type": "server_error", "code": 503}},
            delta(content="never"),
            done=True,
        ),
    )
    assert got.parts == (p.TextPart(text="x"),)
    assert (got.failure.message, got.failure.retryable, got.failure.status) == ("Overloaded", True, 503)


def test_a_piece_that_cannot_be_read_is_shown():
    events = read(
        open_decoder(),
        b"data: {broken\n\ndata: {again\n\n",
        sse(delta(content="x"), delta("stop"), done=True),
    )
    error, text = reduce_events(events).parts
    assert (error.code, error.body) == ("unreadable_piece", {"pieces": 2, "first": "{broken"})
    assert text == p.TextPart(text="x")


def test_pages_are_cited_once():
    got = reply(
        open_decoder(),
        sse(
            delta(content="See "),
            delta(annotations=[{"type": "url_citation", "url_citation": {"url": "https://a", "title": "A"}}]),
            delta(content="it."),
            delta("stop") | {"citations": ["https://a", "https://b"]},
            done=True,
        ),
    )
    assert got.parts == (
        p.TextPart(text="See it."),
        p.SourcePart(url="https://a", title="A"),
        p.SourcePart(url="https://b"),
    )


def test_reasoning_details_are_kept_as_they_came():
    details = [
        {"type": "reasoning.text", "text": "a", "index": 0},
        {"type": "reasoning.encrypted", "data": "QUJD"},
    ]
    got = reply(
        open_decoder("openrouter"),
        sse(
            delta(reasoning="a", reasoning_details=details[:1]),
            delta(reasoning_details=details[1:]),
            delta("stop"),
            done=True,
        ),
    )
    assert got.parts == (p.ReasoningPart(text="a", private={"openrouter": {"reasoning_details": details}}),)


def test_a_refusal_is_a_part_of_its_own():
    assert reply(
        open_decoder(), sse(delta(refusal="I can"), delta(refusal="not."), delta("stop"), done=True)
    ).parts == (p.RefusalPart(text="I cannot."),)


def test_spoken_replies_are_put_together():
    got = reply(
        open_decoder(),
        sse(
            delta(audio={"id": "a1", "data": "QQ=="}),
            delta(audio={"data": "Qg==", "transcript": "hi"}),
            delta("stop"),
            done=True,
        ),
    )
    assert got.parts == (
        p.AudioPart(media=p.InlineMedia(data="QUI="), transcript="hi", private={"openai": {"id": "a1"}}),
    )


def test_a_whole_reply_reads_like_a_stream():
    body = {
        "id": "r1",
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": "a",
                    "tool_calls": [
                        {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
                    ],
                },
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }
    got = reduce_events(from_reply(body))
    assert [type(part).__name__ for part in got.parts] == ["TextPart", "ToolCallPart"]
    assert got.status == Complete(reason="toolCalls")
    assert got.usage == Usage(input_tokens=1, output_tokens=2, raw=body["usage"])


def test_nothing_follows_the_end():
    decoder = open_decoder()
    events = read(decoder, sse(delta(content="x"), delta("stop"), done=True), sse(delta(content="late")))
    assert isinstance(events[-1], Finish)
    assert sum(isinstance(event, PartStart) for event in events) == 1


def test_an_old_function_call_is_a_call():
    chunks = [
        delta(function_call={"name": "f", "arguments": ""}),
        delta(function_call={"arguments": json.dumps({})}),
    ]
    got = reply(open_decoder(), sse(*chunks, delta("function_call"), done=True))
    assert [(part.call_id, part.name, part.arguments) for part in got.parts] == [("call_0", "f", "{}")]
    assert got.status == Complete(reason="toolCalls")


def test_chunks_of_every_kind_are_kept():
    chunks = [
        {"type": "text", "text": "a"},
        {"type": "refusal", "refusal": "No."},
        {"type": "image_url", "image_url": "https://a/b.png"},
        {"type": "hologram", "beam": 1},
        {},
    ]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
    got = reply(open_decoder(), sse(delta(content=chunks, images=[picture]), delta("stop"), done=True))
    assert got.parts == (
        p.TextPart(text="a"),
        p.RefusalPart(text="No."),
        p.ImagePart(media=p.UrlMedia(url="https://a/b.png")),
        p.UnknownPart(raw={"type": "hologram", "beam": 1}),
        p.ImagePart(media=p.InlineMedia(data="QUJD"), media_type="image/png"),
    )


def test_quotes_without_an_address_are_sources_too():
    note = {"type": "url_citation", "url_citation": {"content": "as said"}}
    got = reply(open_decoder(), sse(delta(annotations=[note, note, {}]), delta("stop"), done=True))
    assert got.parts == (p.SourcePart(quote="as said"),)


def test_only_the_first_of_several_choices_is_read():
    other = {"choices": [{"index": 1, "delta": {"content": "other"}}]}
    got = reply(open_decoder(), sse(delta(content="one"), other, delta("stop"), done=True))
    assert got.parts == (p.TextPart(text="one"),)


def test_an_error_without_a_sentence_is_still_a_failure():
    assert reply(open_decoder(), sse({"error": {}})).failure.code == "interrupted"
    assert reply(open_decoder(), sse({"error": True})).failure.message.startswith(
        "The server reported an error"
    )


@pytest.mark.parametrize(
    "pieces",
    [
        [piece(0, "a", "f", '{"x":'), piece(0, None, None, "1}"), piece(0, "a", "f", '{"x":1}')],
        [piece(0, "a", "f", "{}"), piece(0, None, None, '{"x":1}')],
        [piece(0, "a", "f", "{}"), piece(0, None, None, '{"x"'), piece(0, None, None, ":1}")],
        [piece(0, "a", "f", "{"), piece(0, None, None, '"x":1}')],
        [piece(0, "a", None, '{"x":1}'), piece(0, None, "f")],
    ],
)
def test_arguments_that_are_said_twice_or_begin_as_an_empty_object_are_one_object(pieces):
    assert read_calls(*(calls(one) for one in pieces)) == [("a", "f", '{"x":1}')]


def test_an_object_inside_an_object_is_no_beginning():
    got = read_calls(calls(piece(0, "a", "f", '{"x":')), calls(piece(0, None, None, "{}")), calls(piece(0, None, None, "}")))  # fmt: skip
    assert got == [("a", "f", '{"x":{}}')]


def test_an_error_or_a_whole_reply_outside_of_the_events_is_read():
    got = reply(open_decoder(), sse(delta(content="Hel")), b'{"error": {"message": "no more memory"}}\n')
    assert got.parts == (p.TextPart(text="Hel"),)
    assert got.status == Incomplete(reason="error", error="no more memory")
    whole = {"choices": [{"message": {"content": "all of it"}, "finish_reason": "stop"}]}
    got = reply(open_decoder(), json.dumps(whole).encode())
    assert (got.parts, got.status) == ((p.TextPart(text="all of it"),), Complete(reason="stop"))
