"""Laws of every decoder: total over any bytes, indifferent to cuts, one end, and it comes last."""

import itertools
import json

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wires.samples import STREAMS

from triptych.model.codec import decode_message, encode_message
from triptych.model.events import Failure, Finish, PartDelta, PartEnd, PartStart, PartUpdate, ReplyStart
from triptych.model.messages import AssistantMessage
from triptych.model.reply import reduce_events
from triptych.wires.decode import open_decoder, read_reply

WIRES = sorted(STREAMS)
KEYS = [
    "choices", "delta", "content", "tool_calls", "function", "arguments", "id", "index", "type", "item", "output_index",
    "response", "output", "usage", "candidates", "parts", "text", "functionCall", "args", "message", "error", "done",
    "content_block", "contentBlockDelta", "contentBlockIndex", "reasoningContent", "sequence_number", "name", "status",
    "finish_reason", "thoughtSignature", "delta", "annotations", "reasoning_details", "metadata", "messageStop",
]  # fmt: skip
WORDS = [
    "text", "tool_use", "thinking", "message_start", "content_block_start", "content_block_delta", "content_block_stop",
    "message_delta", "message_stop", "response.created", "response.output_item.added", "response.output_item.done",
    "response.output_text.delta", "response.completed", "reasoning", "function_call", "message", "stop", "", "\ud83d",
    "text_delta", "input_json_delta", "signature_delta", "a\x00b", "{}", "web_search_call", "refusal", "url_citation",
]  # fmt: skip
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(WORDS) | st.just(2**70),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)
MESSAGES = st.lists(st.dictionaries(st.sampled_from([*KEYS, "type"]), VALUE, max_size=6), max_size=6)


def check_events(events):
    """What every consumer may rely on."""
    assert isinstance(events[0], ReplyStart | Failure)
    assert isinstance(events[-1], Finish | Failure)
    assert sum(isinstance(event, Finish | Failure) for event in events) == 1
    started = 0
    for event in events:
        if isinstance(event, PartStart):
            assert event.index == started
            started += 1
        elif isinstance(event, PartDelta | PartUpdate | PartEnd):
            assert 0 <= event.index < started
    reply = reduce_events(events)
    message = AssistantMessage(id="m", parts=reply.parts, status=reply.status, usage=reply.usage)
    again, _ = decode_message(encode_message(message))
    assert [type(part) for part in again.parts] == [type(part) for part in message.parts]
    ids = [part.call_id for part in reply.parts if type(part).__name__ == "ToolCallPart"]
    assert len(set(ids)) == len(ids)
    return reply


def fed(wire, *pieces):
    decoder = open_decoder(wire)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.close()


def framed(wire, messages):
    lines = [json.dumps(message) for message in messages]
    return ("\n".join(lines) if wire == "ollama" else "".join(f"data: {line}\n\n" for line in lines)).encode()


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(WIRES), st.lists(st.binary(max_size=40), max_size=4))
def test_any_bytes_are_read(wire, pieces):
    check_events(fed(wire, *pieces))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(WIRES), MESSAGES)
def test_any_json_is_read(wire, messages):
    check_events(fed(wire, framed(wire, messages)))
    check_events(fed(wire, *messages))
    for message in messages:
        check_events(read_reply(wire, message))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(WIRES), st.data())
def test_where_the_network_cuts_does_not_change_the_reply(wire, data):
    stream = framed(wire, data.draw(st.sampled_from(STREAMS[wire])))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    places = [0, *cuts, len(stream)]
    pieces = [stream[a:b] for a, b in itertools.pairwise(places)]
    assert fed(wire, *pieces) == fed(wire, stream)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(WIRES), st.data())
def test_mutated_streams_are_read(wire, data):
    messages = list(data.draw(st.sampled_from(STREAMS[wire])))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, max(len(messages) - 1, 0)))
        match data.draw(st.sampled_from(["drop", "twice", "swap", "edit", "cut"])):
            case "drop" if messages:
                del messages[place]
            case "twice" if messages:
                messages.insert(place, messages[place])
            case "swap" if messages:
                messages[place], messages[-1] = messages[-1], messages[place]
            case "edit" if messages:
                messages[place] = mutated(messages[place], data)
            case _:
                messages = messages[:place]
    check_events(fed(wire, framed(wire, messages)))


def mutated(value, data):
    """The value with one thing in it replaced by anything."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))
        return value | {key: mutated(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        return [mutated(value[0], data), *value[1:]]
    return data.draw(VALUE)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(WIRES), st.data())
def test_a_cut_stream_keeps_a_prefix_of_the_text_and_is_not_complete(wire, data):
    stream = framed(wire, data.draw(st.sampled_from(STREAMS[wire])))
    whole = check_events(fed(wire, stream))
    part = check_events(fed(wire, stream[: data.draw(st.integers(0, len(stream) - 1))]))
    assert len(part.parts) <= len(whole.parts) + 1
    for have, full in zip(part.parts, whole.parts, strict=False):
        if hasattr(have, "text") and hasattr(full, "text"):
            assert full.text.startswith(have.text)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["openai_chat", "openai_responses", "anthropic", "gemini", "mistral"]), st.data())
def test_a_resumed_stream_never_says_the_same_twice(wire, data):
    messages = data.draw(st.sampled_from(STREAMS[wire]))
    frames = [f"id: {number}\ndata: {json.dumps(one)}\n\n".encode() for number, one in enumerate(messages)]
    end = b"data: [DONE]\n\n" if wire in ("openai_chat", "mistral") else b""
    cut = data.draw(st.integers(0, len(frames)))
    back = data.draw(st.integers(0, cut))
    torn = frames[cut][:-3] if cut < len(frames) and data.draw(st.booleans()) else b""
    decoder = open_decoder(wire)
    events = [event for frame in frames[:cut] for event in decoder.feed(frame)] + decoder.feed(torn)
    decoder.resumed()
    events += [event for frame in (*frames[back:], end) for event in decoder.feed(frame)] + decoder.close()
    assert check_events(events) == check_events(fed(wire, *frames, end))
