"""The laws of the writers: identity, growth by one, and losses that are all named."""

import json

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.conversations import conversations
from tests.model.strategies import MESSAGE

from triptych.formats.paths import active_path
from triptych.formats.read import read
from triptych.formats.registry import find_format, load_writer
from triptych.model import messages as m
from triptych.model.messages import ToolMessage, message_text
from triptych.model.parts import ReasoningPart, TextPart, ToolCallPart, ToolResultPart

READERS = {"finetune": "openai_chat"}
NAMES = [
    "openai_chat",
    "anthropic",
    "finetune",
    "ai_sdk",
    "assistant_ui",
    "openwebui",
    "librechat",
    "lobehub",
    "sillytavern",
    "sharegpt",
]
LINES = {"finetune", "sillytavern"}

SAID = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=12)
PROSE = st.builds(m.UserMessage, id=st.just("x"), parts=SAID.map(lambda t: (TextPart(text=t),)))
ANSWER = st.builds(
    m.AssistantMessage,
    id=st.just("x"),
    parts=st.lists(
        st.builds(TextPart, text=SAID) | st.builds(ReasoningPart, text=SAID), min_size=1, max_size=3
    ).map(tuple),
)
CALLS = st.builds(
    m.AssistantMessage,
    id=st.just("x"),
    parts=st.builds(
        lambda t, c: (TextPart(text=t), ToolCallPart(call_id=c, name="find", arguments="{}")),
        SAID,
        st.sampled_from("pq"),
    ),
)
RESULTS = st.builds(
    m.ToolMessage,
    id=st.just("x"),
    parts=st.builds(
        lambda t, c: (ToolResultPart(call_id=c, name="find", content=(TextPart(text=t),)),),
        SAID,
        st.sampled_from("pq"),
    ),
)
TALK = conversations(message=PROSE | ANSWER | CALLS | RESULTS, roots=False)
ANYTHING = conversations(message=MESSAGE | PROSE | ANSWER)


def written(name, imported):
    return load_writer(find_format(name)).write([imported])


def reread(name, data):
    found, _ = read(data, name="x" + find_format(name).suffix, format_name=READERS.get(name, name))
    return found[0] if found else None


def said(imported):
    return [
        (m.role_of(one), message_text(one))
        for one in active_path(imported)
        if not isinstance(one, ToolMessage)
    ]


@pytest.mark.parametrize("name", NAMES)
@given(imported=TALK | ANYTHING)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_does_not_come_back_is_in_the_report(name, imported):
    made = written(name, imported)
    again = reread(name, made.data)
    named = {one.message for one in made.losses}
    before = said(imported)
    if again is None:
        assert made.losses or not before
        return
    silent = [
        one for one in active_path(imported) if not isinstance(one, ToolMessage) and one.id not in named
    ]
    after = said(again)
    everywhere = [(m.role_of(one), message_text(one)) for one in again.messages]
    assert all((m.role_of(one), message_text(one)) in everywhere for one in silent)
    fields = {one.field for one in made.losses}
    if "head_id" not in fields and not named & {one.id for one in active_path(imported)}:
        assert before == after


@pytest.mark.parametrize("name", [name for name in NAMES if name not in READERS])
@given(imported=TALK)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_was_read_goes_back_as_it_was(name, imported):
    data = written(name, imported).data
    again = reread(name, data)
    if again is None:
        return
    made = written(name, again)
    assert made.data == data or json.loads(made.data) == json.loads(data)
    assert not made.losses


@pytest.mark.parametrize("name", [name for name in NAMES if name not in READERS])
@given(imported=TALK, words=SAID)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_one_more_reply_adds_exactly_one_record(name, imported, words):
    old = reread(name, written(name, imported).data)
    if old is None or not old.messages or isinstance(old.messages[0], ToolMessage):
        return
    grown = grow(old, words)
    made = written(name, grown)
    new = reread(name, made.data)
    assert len(new.messages) == len(old.messages) + 1
    assert said(new)[:-1] == said(old)
    assert said(new)[-1][1] == words


def grow(imported, words):
    path = active_path(imported)
    last = next((one for one in reversed(path) if not isinstance(one, ToolMessage)), path[-1])
    kind = m.AssistantMessage if isinstance(last, m.UserMessage) else m.UserMessage
    added = kind(
        id="added", parent_id=path[-1].id, created_at=1_700_000_000_000, parts=(TextPart(text=words),)
    )
    return msgspec.structs.replace(
        imported,
        messages=(*imported.messages, added),
        conversation=msgspec.structs.replace(imported.conversation, head_id="added"),
    )


def test_one_conversation_of_a_dump_does_not_take_the_others_along():
    dump = {
        "mode": "pglite",
        "schemaHash": "x",
        "data": {
            "topics": [{"id": "t1", "title": "One"}, {"id": "t2", "title": "Two"}],
            "messages": [
                {"id": "a", "role": "user", "content": "first", "topicId": "t1"},
                {"id": "b", "role": "user", "content": "second", "topicId": "t2"},
            ],
        },
    }
    data = json.dumps(dump).encode()
    both, _ = read(data, name="dump.json")
    writer = load_writer(find_format("lobehub"))
    assert writer.write(both).data == data
    alone = writer.write(both[:1]).data
    assert b"first" in alone
    assert b"second" not in alone
    grown = json.loads(writer.write([grow(both[0], "more"), both[1]]).data)
    assert [row["id"] for row in grown["data"]["messages"]] == ["a", "b", "added"]
    assert grown["data"]["messages"][2]["topicId"] == "t1"


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
@pytest.mark.parametrize("name", ["sharegpt", "openai_chat"])
def test_lines_go_back_with_their_line_ends(name, end):
    key = "conversations" if name == "sharegpt" else "messages"
    said = {"sharegpt": {"from": "human", "value": "x"}, "openai_chat": {"role": "user", "content": "x"}}[
        name
    ]
    lines = [json.dumps({"id": made, key: [said]}).encode() for made in ("a", "b", "c")]
    data = (end or b"\n").join(lines) + end
    found, _ = read(data, name="x.jsonl", format_name=name)
    writer = load_writer(find_format(name))
    assert writer.write(found).data == data
    grown = writer.write([found[0], grow(found[1], "more"), found[2]]).data
    assert grown.split(b"\n")[::2] == data.split(b"\n")[::2]
    assert b"more" in grown.split(b"\n")[1]


def test_one_more_answer_is_one_more_swipe():
    lines = [
        {"user_name": "U", "character_name": "C", "chat_metadata": {"integrity": "i"}},
        {"name": "U", "is_user": True, "mes": "q", "extra": {"odd": 1}},
        {"name": "C", "is_user": False, "mes": "a", "send_date": "2026-01-08@10h00m00s", "extra": {}},
    ]
    data = "\n".join(json.dumps(line) for line in lines).encode()
    (old,), _ = read(data, name="x.jsonl")
    other = m.AssistantMessage(id="n", parent_id=old.messages[0].id, parts=(TextPart(text="b"),))
    grown = msgspec.structs.replace(
        old,
        messages=(*old.messages, other),
        conversation=msgspec.structs.replace(old.conversation, head_id="n"),
    )
    made = written("sillytavern", grown).data
    assert made.split(b"\n")[:2] == data.split(b"\n")[:2]
    (new,), _ = read(made, name="x.jsonl")
    assert [message_text(one) for one in new.messages] == ["q", "a", "b"]
    assert said(new) == [("user", "q"), ("assistant", "b")]
    assert written("sillytavern", new).data == made
