"""Bedrock, Mistral and Ollama."""

import json

from tests.wires.chunks import reply, sse
from tests.wires.samples import BEDROCK, MISTRAL, OLLAMA, chat

from triptych.model import parts as p
from triptych.model.reply import reduce_events
from triptych.model.status import Complete, Incomplete
from triptych.wires.bedrock import stream as bedrock
from triptych.wires.mistral import stream as mistral
from triptych.wires.ollama import stream as ollama


def test_bedrock_blocks_become_parts():
    got = reply(bedrock.open_decoder(), *BEDROCK[0])
    assert got.parts == (
        p.ReasoningPart(text="Hmm", private={"anthropic": {"signature": "S"}}),
        p.TextPart(text="Hello"),
        p.ToolCallPart(call_id="t1", name="f", arguments='{"a":1}'),
    )
    assert got.status == Complete(reason="toolCalls")
    assert (got.usage.input_tokens, got.usage.cached_input_tokens) == (5, 2)


def test_bedrock_redacted_reasoning_keeps_its_bytes():
    delta = {
        "contentBlockDelta": {
            "contentBlockIndex": 0,
            "delta": {"reasoningContent": {"redactedContent": b"\x00\xff"}},
        }
    }
    got = reply(bedrock.open_decoder(), delta, {"messageStop": {"stopReason": "end_turn"}})
    assert got.parts == (p.ReasoningPart(redacted=True, private={"anthropic": {"redactedContent": "AP8="}}),)


def test_bedrock_exceptions_in_the_stream_are_failures():
    got = reply(bedrock.open_decoder(), BEDROCK[0][4], {"throttlingException": {"message": "Slow down"}})
    assert (got.failure.code, got.failure.retryable) == ("throttlingException", True)
    assert got.parts == (p.TextPart(text="Hel"),)


def test_a_whole_bedrock_reply_reads_like_a_stream():
    body = {
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "Hmm", "signature": "S"}}},
                    {"text": "Hello"},
                    {"toolUse": {"toolUseId": "t1", "name": "f", "input": {"a": 1}}},
                ],
            }
        },
        "stopReason": "tool_use",
        "usage": {"inputTokens": 1, "outputTokens": 2},
    }
    assert reduce_events(bedrock.from_reply(body)).parts == reply(bedrock.open_decoder(), *BEDROCK[0]).parts
    assert reduce_events(bedrock.from_reply({"message": "No."})).failure.message == "No."


def test_mistral_chunks_become_parts():
    got = reply(mistral.open_decoder(), sse(*MISTRAL[0], done=True))
    thinking, text, source, call = got.parts
    assert thinking == p.ReasoningPart(text="Hmm.", private={"mistral": {"signature": "S"}})
    assert text == p.TextPart(text="So there.")
    assert source.title == "3"
    assert (call.call_id, call.arguments) == ("abc123DEF", '{"a":1}')
    cut = reply(mistral.open_decoder(), sse(chat("model_length", content="x"), done=True))
    assert cut.status == Incomplete(reason="length")


def test_ollama_lines_become_parts():
    lines = "\n".join(json.dumps(line) for line in OLLAMA[0])
    got = reply(ollama.open_decoder(), lines.encode())
    assert got.parts == (
        p.ReasoningPart(text="Hm"),
        p.TextPart(text="Hello"),
        p.ToolCallPart(call_id="call_0", name="f", arguments='{"a":1}'),
        p.ToolCallPart(call_id="call_1", name="f", arguments="{}"),
    )
    assert got.status == Complete(reason="toolCalls")
    assert (got.usage.input_tokens, got.usage.output_tokens) == (3, 4)


def test_ollama_says_when_it_failed_or_was_cut():
    assert reply(ollama.open_decoder(), b'{"error":"model not found"}').failure.message == "model not found"
    cut = reply(ollama.open_decoder(), json.dumps(OLLAMA[0][1]).encode())
    assert (cut.failure.code, cut.parts) == ("interrupted", (p.TextPart(text="Hel"),))
    whole = {"message": {"content": "x"}, "done": True, "done_reason": "length"}
    assert reduce_events(ollama.from_reply(whole)).status == Incomplete(reason="length")


def test_bedrock_citations_and_unknown_blocks_are_kept():
    citation = {
        "title": "T",
        "sourceContent": [{"text": "a"}, {"text": "b"}],
        "location": {"web": {"url": "https://a"}},
    }
    blocks = [
        {"citationsContent": {"content": [{"text": "said"}], "citations": []}},
        {"hologram": {"x": 1}},
        {"reasoningContent": {"redactedContent": "QUJD"}},
    ]
    body = {"output": {"message": {"content": blocks}}, "stopReason": "guardrail_intervened"}
    got = reduce_events(bedrock.from_reply(body))
    assert got.parts == (
        p.TextPart(text="said"),
        p.UnknownPart(raw={"hologram": {"x": 1}}),
        p.ReasoningPart(redacted=True, private={"anthropic": {"redactedContent": "QUJD"}}),
    )
    assert got.status == Incomplete(reason="contentFilter")
    delta = {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"citation": citation}}}
    source = reply(bedrock.open_decoder(), delta, {"messageStop": {"stopReason": "end_turn"}}).parts[0]
    assert (source.url, source.title, source.quote) == ("https://a", "T", "a\nb")


def test_bedrock_arguments_whose_start_was_lost_are_kept():
    delta = {"contentBlockDelta": {"contentBlockIndex": 4, "delta": {"toolUse": {"input": "{}"}}}}
    [call] = reply(bedrock.open_decoder(), delta, {"messageStop": {}}).parts
    assert (call.name, call.arguments) == ("", "{}")


def test_ollama_pictures_are_kept():
    line = {"message": {"content": "", "images": ["QUJD"]}, "done": True}
    assert reduce_events(ollama.from_reply(line)).parts == (p.ImagePart(media=p.InlineMedia(data="QUJD")),)
