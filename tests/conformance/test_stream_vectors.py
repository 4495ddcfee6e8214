"""The streaming cases of ../shared/vectors/cases: each is acted out, then its checks are made."""

import json
from contextlib import aclosing

import anyio
import pytest
from tests.conformance.vectors import HERE, files, load
from tests.wires.chunks import named, reply, sse

from triptych.model.codec import decode_message, encode_message
from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from triptych.model.reply import Reply, reduce_event, reduce_events
from triptych.model.status import Incomplete
from triptych.ports.provider import ModelRequest
from triptych.testing.scripted import ScriptedProvider
from triptych.wires.compile import compile as compile_payload
from triptych.wires.decode import open_decoder

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not HERE, reason="../shared/vectors is not there"),
]
KNOWN = {"X02", "X03", "X04", "X05", "X06", "X08", "X09", "X12"}


def read_message(row):
    fields = {"id": row["id"], "parent_id": row.get("parentId")}
    text = (TextPart(text=row["content"]),) if row.get("content") else ()
    if row["role"] == "user":
        return UserMessage(**fields, parts=text)
    calls = tuple(
        ToolCallPart(call_id=one["id"], name=one["name"], arguments=one["arguments"])
        for one in row.get("tools", [])
    )
    return AssistantMessage(**fields, parts=(*text, *calls))


def as_stored(message_id, got, status=None):
    """The reply as a message that went to disk and came back."""
    message = AssistantMessage(id=MessageId(message_id), parts=got.parts, status=status or got.status)
    again, problems = decode_message(encode_message(message))
    assert problems == ()
    assert again == message
    return again


def calls_of(message):
    return [part for part in message.parts if isinstance(part, ToolCallPart)]


def delta(**fields):
    return {"choices": [{"index": 0, "delta": fields}]}


def x02(messages):
    """A reader that stops after two pieces stores exactly those, once."""

    async def story():
        provider = ScriptedProvider(["Hello world, and much more"])
        payload = provider.prepare(ModelRequest(model="m", messages=tuple(messages)))
        state = Reply()
        async with aclosing(provider.send(payload)) as events:
            async for event in events:
                state = reduce_event(state, event)
                if "".join(part.text for part in state.parts) == "Hello world,":
                    break
        return as_stored("a", reduce_events((), state), Incomplete(reason="stopped"))

    stored = anyio.run(story)
    assert [part.text for part in stored.parts] == ["Hello world,"]
    pieces = sse(delta(content="Hel"), delta(content="lo wor"))
    assert reply(open_decoder("openai_chat"), pieces).parts == (TextPart(text="Hello wor"),)


def x03(messages):
    first = delta(
        tool_calls=[
            {"index": 0, "id": "a", "function": {"name": "f"}},
            {"index": 0, "function": {"arguments": '{"a":'}},
        ]
    )
    last = delta(tool_calls=[{"index": 0, "function": {"arguments": "1}"}}])
    [call] = calls_of(as_stored("a", reply(open_decoder("openai_chat"), sse(first, last, done=True))))
    assert json.loads(call.arguments) == {"a": 1}


def x04(messages):
    chunks = [
        delta(tool_calls=[{"index": 0, "id": name, "function": {"name": "f", "arguments": '{"x":1}'}}])
        for name in "abc"
    ]
    calls = calls_of(as_stored("a", reply(open_decoder("openai_chat"), sse(*chunks, done=True))))
    assert [call.call_id for call in calls] == ["a", "b", "c"]
    assert all(json.loads(call.arguments) == {"x": 1} for call in calls)


def x05(messages):
    """A resumed stream says whose it is; the reply before it is no part of it."""
    stream = [
        {"type": "response.created", "response": {"id": "r2", "model": "m"}},
        {"type": "response.output_text.delta", "item_id": "msg", "output_index": 0, "content_index": 0, "delta": "second"},
        {"type": "response.completed", "response": {"id": "r2", "status": "completed", "output": []}},
    ]  # fmt: skip
    got = reply(open_decoder("openai_responses"), named(*stream))
    assert got.response_id == "r2"
    ours = {one.id: one for one in messages} | {got.response_id: as_stored(got.response_id, got)}
    texts = {key: [part.text for part in one.parts] for key, one in ours.items()}
    assert texts == {"m1": ["1"], "r1": ["first"], "m3": ["2"], "r2": ["second"]}


def x06(messages):
    def numbered(wire, *numbers):
        return "".join(f"id: {n}\ndata: {json.dumps(delta(content=f'<{n}>'))}\n\n" for n in numbers).encode()

    def sequenced(*numbers):
        kind = "response.output_text.delta"
        place = {"output_index": 0, "content_index": 0}
        return named(*({"type": kind, "sequence_number": n, "delta": f"<{n}>", **place} for n in numbers))

    for wire, write in (("openai_chat", lambda *n: numbered("c", *n)), ("openai_responses", sequenced)):
        decoder = open_decoder(wire)
        events = decoder.feed(write(1, 2, 3, 4, 5))
        decoder.resumed()
        events += decoder.feed(write(1, 2, 3, 4, 5, 6, 7)) + decoder.close()
        assert reduce_events(events).parts[0].text == "<1><2><3><4><5><6><7>"
        decoder = open_decoder(wire)
        events = decoder.feed(write(1, 2, 3, 4, 5)) + decoder.feed(write(4, 5, 6, 7)) + decoder.close()
        assert reduce_events(events).parts[0].text == "<1><2><3><4><5><6><7>"


def x08(messages):
    """What is sent after the cancel: k1's own result, and a marked one for k2."""
    done = ToolResultPart(call_id="k1", content=(TextPart(text="REAL"),))
    history = [
        *messages,
        ToolMessage(id="t1", parts=(done,)),
        UserMessage(id="u2", parts=(TextPart(text="go on"),)),
    ]
    body = compile_payload(history, to="openai_chat").body
    results = {one["tool_call_id"]: one["content"] for one in body["messages"] if one["role"] == "tool"}
    assert results["k1"] == "REAL"
    assert set(results) == {"k1", "k2"}
    assert results["k2"].strip()
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "tool", "tool", "user"]


def x09(messages):
    def item(kind, text):
        inner = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": text}
        return {"type": f"response.output_item.{kind}", "output_index": 0, "item": inner}

    got = reply(open_decoder("openai_responses"), named(item("added", "ab"), item("done", "abcd")))
    [part] = as_stored("a", got).parts
    assert isinstance(part, ReasoningPart)
    assert part.private == {"openai": {"id": "rs", "summary": [], "encrypted_content": "abcd"}}


def x12(messages):
    halves = [b'{"candidates":[{"content":{"parts":[{"text":"x \\ud83d"}]}}]}', b'{"candidates":[{"content":{"parts":[{"text":"\\ude00 y"}]},"finishReason":"STOP"}]}']  # fmt: skip
    for stream in (b"".join(b"data: " + half + b"\n\n" for half in halves),):
        stored = as_stored("a", reply(open_decoder("gemini"), stream))
        assert [part.text for part in stored.parts] == ["x \U0001f600 y"]
    body = compile_payload(
        [*messages, UserMessage(id="u", parts=(TextPart(text="n"),))], to="openai_chat"
    ).body
    assert "x \U0001f600 y" in json.dumps(body, ensure_ascii=False)
    json.dumps(body, ensure_ascii=False).encode()


ACTS = {"X02": x02, "X03": x03, "X04": x04, "X05": x05, "X06": x06, "X08": x08, "X09": x09, "X12": x12}


def test_every_streaming_case_comes_out_right():
    found = {path.stem: load(path) for path in files("cases", pattern="X*.json")}
    assert set(found) >= KNOWN, f"missing: {KNOWN - set(found)}"
    for name, case in found.items():
        messages = [read_message(row) for row in case["messages"]]
        if name in ACTS:
            ACTS[name](messages)
        else:
            compile_payload(
                [*messages, UserMessage(id="last", parts=(TextPart(text="n"),))], to="openai_chat"
            )
    print(f"{len(found)} streaming cases")
