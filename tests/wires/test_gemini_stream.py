import pytest
from tests.wires.chunks import reply, sse
from tests.wires.samples import GEMINI, content

from triptych.model import parts as p
from triptych.model.reply import reduce_events
from triptych.model.status import Complete, Incomplete
from triptych.wires.gemini.stream import from_reply, open_decoder


def signed(text):
    return {"google": {"thoughtSignature": text}}


def test_thoughts_text_and_calls_keep_their_order_and_signatures():
    got = reply(open_decoder(), sse(*GEMINI[0]))
    assert got.parts == (
        p.ReasoningPart(text="Hmm"),
        p.TextPart(text="It is.", private=signed("T1")),
        p.ToolCallPart(call_id="call_0", name="f", arguments='{"a":1}', private=signed("T2")),
        p.ToolCallPart(call_id="call_1", name="f", arguments="{}"),
    )
    assert got.status == Complete(reason="toolCalls")
    assert (got.usage.output_tokens, got.usage.reasoning_tokens) == (9, 5)


def test_text_after_a_signed_piece_is_a_part_of_its_own():
    got = reply(
        open_decoder(),
        sse(content({"text": "a", "thoughtSignature": "S"}), content({"text": "b"}, reason="STOP")),
    )
    assert got.parts == (p.TextPart(text="a", private=signed("S")), p.TextPart(text="b"))


def test_a_call_without_an_id_gets_one_and_its_own_id_is_kept():
    calls = [
        {"functionCall": {"name": "f", "id": "x"}},
        {"functionCall": {"name": "f", "id": "x"}},
        {"functionCall": {"name": "g"}},
    ]
    got = reply(open_decoder(), sse(content(*calls, reason="STOP")))
    assert [part.call_id for part in got.parts] == ["x", "x_2", "call_2"]


def test_code_that_the_server_ran_stands_with_its_output():
    got = reply(
        open_decoder(),
        sse(
            content(
                {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}},
                reason="STOP",
            )
        ),
    )
    call, result = got.parts
    assert (call.server_side, result.call_id, result.is_error) == (True, call.call_id, False)
    assert result.content == (p.TextPart(text="1\n"),)
    assert got.status == Complete()


def test_pictures_and_unknown_parts_are_kept():
    got = reply(
        open_decoder(),
        sse(
            content(
                {"inlineData": {"mimeType": "image/png", "data": "QUJD"}},
                {"hologram": {"x": 1}},
                reason="STOP",
            )
        ),
    )
    assert got.parts == (
        p.ImagePart(media=p.InlineMedia(data="QUJD"), media_type="image/png"),
        p.UnknownPart(raw={"hologram": {"x": 1}}),
    )


def test_pages_are_cited_once():
    grounded = content({"text": "x"}, reason="STOP")
    web = {"web": {"uri": "https://a", "title": "A"}}
    grounded["candidates"][0]["groundingMetadata"] = {"groundingChunks": [web, web]}
    assert reply(open_decoder(), sse(grounded)).parts[1:] == (p.SourcePart(url="https://a", title="A"),)


@pytest.mark.parametrize(
    ("chunk", "status"),
    [
        (content({"text": "x"}, reason="MAX_TOKENS"), Incomplete(reason="length")),
        (content(reason="SAFETY"), Incomplete(reason="contentFilter", error="SAFETY")),
        ({"promptFeedback": {"blockReason": "OTHER"}}, Incomplete(reason="contentFilter", error="OTHER")),
        (
            content(reason="MALFORMED_FUNCTION_CALL"),
            Incomplete(
                reason="error", error="The model's tool call was malformed (MALFORMED_FUNCTION_CALL)."
            ),
        ),
        (content({"text": "x"}, reason="NEW"), Complete(reason="other")),
    ],
)
def test_finish_reasons(chunk, status):
    assert reply(open_decoder(), sse(chunk)).status == status


def test_a_cut_stream_and_an_error_are_failures():
    assert reply(open_decoder(), sse(content({"text": "x"}))).failure.code == "interrupted"
    got = reply(open_decoder(), sse({"error": {"code": 503, "message": "Busy", "status": "UNAVAILABLE"}}))
    assert (got.failure.message, got.failure.status, got.failure.retryable) == ("Busy", 503, True)


def test_a_whole_reply_and_a_list_of_chunks_read_like_a_stream():
    assert reduce_events(from_reply(GEMINI[0])).parts == reply(open_decoder(), sse(*GEMINI[0])).parts
    assert reduce_events(from_reply(content({"text": "x"}, reason="STOP"))).parts == (p.TextPart(text="x"),)
