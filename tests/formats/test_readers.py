"""What every reader does with a small whole chat of its format."""

import json
from pathlib import Path

import pytest
from tests.formats.samples import FIRST, SAMPLES, SECOND, chatgpt_conversation

from triptych.formats.conversation import raw_records, record_paths
from triptych.formats.read import read
from triptych.formats.registry import FORMATS
from triptych.formats.summary import summarize, summarize_conversation
from triptych.model.codec import decode_message, encode_message
from triptych.model.messages import AssistantMessage, ToolMessage, message_text
from triptych.model.parts import ToolCallPart, ToolResultPart

NAMES = list(SAMPLES)
RECORDS = {
    "chatgpt": 5,
    "claude_ai": 3,
    "openwebui": 3,
    "librechat": 3,
    "lobehub": 5,
    "sillytavern": 4,
    "openai_chat": 5,
    "anthropic": 5,
    "openai_responses": 6,
    "claude_code": 5,
    "codex": 4,
    "ai_sdk": 2,
    "assistant_ui": 3,
    "langchain": 4,
    "pydantic_ai": 5,
    "gemini": 6,
    "gemini takeout": 1,
    "llm_logs": 2,
    "llm_logs store": 2,
    "sharegpt": 4,
    "oasst": 3,
}
QUIET = {"W_ACTIVE_INFERRED", "W_GROUPED_BY_TIME", "W_LOSSY_SOURCE"}


def read_sample(name):
    return read(SAMPLES[name], name=f"{name}.json")


@pytest.mark.parametrize("name", NAMES)
def test_a_chat_is_recognised_by_its_content_and_read_without_complaint(name):
    conversations, diagnostics = read_sample(name)
    assert [one.source.format for one in conversations] == [name.partition(" ")[0]]
    assert not diagnostics
    assert {one.code for one in conversations[0].diagnostics} <= QUIET


@pytest.mark.parametrize("name", NAMES)
def test_the_shown_path_leads_from_the_question_to_the_answer(name):
    (conversation,), _ = read_sample(name)
    summary = summarize_conversation(conversation)
    heads = [head for head, role in zip(summary.text_heads, summary.roles, strict=True) if role != "system"]
    assert heads[0] == FIRST
    assert SECOND in heads


@pytest.mark.parametrize("name", NAMES)
def test_every_call_finds_its_result(name):
    (conversation,), _ = read_sample(name)
    parts = [
        part
        for message in conversation.messages
        if isinstance(message, AssistantMessage | ToolMessage)
        for part in message.parts
    ]
    calls = [part.call_id for part in parts if isinstance(part, ToolCallPart)]
    results = [part.call_id for part in parts if isinstance(part, ToolResultPart)]
    assert sorted(calls) == sorted(results)


@pytest.mark.parametrize("name", NAMES)
def test_every_message_knows_its_records(name):
    (conversation,), _ = read_sample(name)
    for message in conversation.messages:
        assert record_paths(message)
        assert None not in raw_records(conversation, message)


@pytest.mark.parametrize("name", NAMES)
def test_every_record_is_in_a_message(name):
    (conversation,), _ = read_sample(name)
    paths = {path for message in conversation.messages for path in record_paths(message)}
    assert len(paths) == RECORDS[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_record_that_is_no_object_is_reported_and_the_others_stay(name):
    value = (
        json.loads(SAMPLES[name]) if name not in ("sillytavern", "claude_code", "codex", "oasst") else None
    )
    holder = {
        "openai_chat": lambda: value,
        "anthropic": lambda: value["messages"],
        "openai_responses": lambda: value,
        "ai_sdk": lambda: value,
        "assistant_ui": lambda: value["messages"],
        "langchain": lambda: value,
        "pydantic_ai": lambda: value,
        "gemini": lambda: value["chunkedPrompt"]["chunks"],
        "gemini takeout": lambda: value,
        "llm_logs": lambda: value,
        "sharegpt": lambda: value[0]["conversations"],
        "lobehub": lambda: value["messages"],
        "claude_ai": lambda: value[0]["chat_messages"],
        "librechat": lambda: value["messagesTree"],
    }.get(name)
    if holder is None:
        return
    whole = read_sample(name)[0][0]
    holder().insert(1, 7)
    (conversation,), diagnostics = read(json.dumps(value).encode(), name=f"{name}.json")
    codes = {one.code for one in (*conversation.diagnostics, *diagnostics)}
    assert codes & {"W_RECORD_SKIPPED", "W_UNKNOWN_RECORD"}
    assert len(conversation.messages) == len(whole.messages)


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_the_same_when_the_file_is_read_again(name):
    first, _ = read_sample(name)
    second, _ = read_sample(name)
    assert first == second


@pytest.mark.parametrize("name", NAMES)
def test_messages_survive_the_codec(name):
    (conversation,), _ = read_sample(name)
    for message in conversation.messages:
        assert decode_message(encode_message(message)) == (message, ())


@pytest.mark.parametrize("name", NAMES)
def test_a_mark_or_utf16_at_the_beginning_changes_nothing_that_is_said(name):
    (plain,), _ = read_sample(name)
    text = SAMPLES[name].decode()
    for data in (b"\xef\xbb\xbf" + SAMPLES[name], text.encode("utf-16")):
        (marked,), _ = read(data, name=f"{name}.json")
        assert marked.messages == plain.messages


def test_every_format_with_a_reader_has_a_sample_here():
    ours = {"triptych_jsonl", "notebook", "copilot_md"}
    readable = {known.name for known in FORMATS if known.reader} - ours
    assert readable == {name.partition(" ")[0] for name in NAMES}


def test_every_format_with_a_reader_has_a_page():
    pages = {path.stem for path in (Path(__file__).parents[2] / "docs" / "formats").glob("*.md")}
    assert {known.name for known in FORMATS if known.reader} <= pages


def test_an_unreadable_file_gives_zeros_and_a_finding():
    conversations, diagnostics = read(b"\x00\x01\x02 not a chat", name="noise")
    line = summarize("noise", None, [], diagnostics)
    assert not conversations
    assert line == {
        "file": "noise",
        "format": None,
        "conversations": 0,
        "messages": 0,
        "roots": 0,
        "branch_points": 0,
        "active_path_roles": [],
        "active_path_text_heads": [],
        "warnings": ["W_CONVERSATION_SKIPPED"],
        "hidden": 0,
    }


def test_a_file_that_was_cut_off_gives_what_it_holds():
    whole = json.dumps([chatgpt_conversation("c-1"), chatgpt_conversation("c-2")]).encode()
    conversations, diagnostics = read(whole[:-900])
    assert [one.conversation.title for one in conversations] == ["Bolts", "Bolts"]
    assert len(conversations[0].messages) == 5
    assert 0 < len(conversations[1].messages) < 5
    codes = {one.code for item in conversations for one in item.diagnostics} | {
        one.code for one in diagnostics
    }
    assert "W_TRUNCATED_TAIL" in codes


def test_a_bad_entry_does_not_sink_its_neighbours():
    good = json.dumps(chatgpt_conversation("c-2"))
    conversations, diagnostics = read(f'[{{"mapping": nonsense}}, {good}, 7]'.encode(), format_name="chatgpt")
    assert [one.conversation.id for one in conversations] == ["c-2"]
    assert [one.code for one in diagnostics].count("W_RECORD_SKIPPED") == 2


def test_the_richer_copy_of_a_conversation_wins_and_keeps_its_place():
    poor, rich = chatgpt_conversation("c-1"), chatgpt_conversation("c-1")
    del poor["mapping"]["b1"]
    other = chatgpt_conversation("c-2")
    conversations, diagnostics = read(json.dumps([poor, other, rich]).encode())
    assert [one.conversation.id for one in conversations] == ["c-1", "c-2"]
    assert len(conversations[0].messages) == len(conversations[1].messages)
    assert [one.code for one in diagnostics] == ["W_DUPLICATE_CONVERSATION"]


def test_a_users_record_with_results_and_words_becomes_two_messages_and_counts_as_one():
    (conversation,), _ = read_sample("anthropic")
    half = next(message for message in conversation.messages if isinstance(message, ToolMessage))
    whole = next(message for message in conversation.messages if message.parent_id == half.id)
    assert message_text(whole) == "And longer?"
    summary = summarize_conversation(conversation)
    assert summary.messages == len(conversation.messages) - 1
    assert "tool" not in summary.roles
