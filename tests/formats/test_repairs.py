"""What readers put right where a file is broken, incomplete, or says a thing in a rarer way."""

import json

import pytest
from tests.formats.samples import (
    ARGUMENTS,
    claude_code_record,
    claude_message,
    codex_record,
    librechat_message,
)
from tests.formats.test_oddities import codes, heads, lines, one, parents

from triptych.formats.folding import fold, path_to
from triptych.formats.read import read
from triptych.formats.summary import summarize_conversation
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import AudioPart, FilePart, ProviderMedia, ToolCallPart, ToolResultPart


def roles(conversation):
    return list(summarize_conversation(conversation).roles)


def spoken(text):
    return [{"type": "text", "text": text}]


def item(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return codex_record("response_item", type="message", role=role, content=[{"type": kind, "text": text}])


# Logs


def test_a_record_that_broke_off_and_was_written_again_on_the_same_line_is_read():
    again = json.dumps(item("assistant", "whole"))
    for cut in (30, 70, 110):
        log = lines(codex_record("session_meta", id="x"), item("user", "q"))
        log += f"{again[:cut]}{again}\n".encode() + lines(item("user", "next"))
        read_back = one(log)
        assert heads(read_back) == ["q", "whole", "next"]
        assert codes(read_back) == {"W_BAD_LINE"}


def boundary(**more):
    return {"type": "system", "subtype": "compact_boundary", "uuid": "c", "sessionId": "s", **more}


def test_claude_code_a_boundary_that_names_nothing_follows_the_record_before():
    summary = claude_code_record("s1", "c", "user", "So far: one.", isCompactSummary=True)
    side = claude_code_record("x1", None, "user", "a side task", isSidechain=True)
    for link in ({"parentUuid": None}, {"parentUuid": None, "logicalParentUuid": "never written"}, {}):
        log = lines(claude_code_record("u1", None, "user", "one"), side, boundary(**link), summary)
        read_back = one(log)
        assert heads(read_back) == ["one", "So far: one."]
        assert codes(read_back) == {"W_COMPACTION_STITCHED"}


def test_claude_code_a_summary_without_a_boundary_is_joined_too():
    summary = claude_code_record("s1", None, "user", "So far: one.", isCompactSummary=True)
    read_back = one(lines(claude_code_record("u1", None, "user", "one"), summary))
    assert roles(read_back) == ["user", "system"]
    assert codes(read_back) == {"W_COMPACTION_STITCHED"}


def test_claude_code_a_log_that_begins_with_a_summary_has_nothing_to_join():
    summary = claude_code_record("s1", None, "user", "So far: one.", isCompactSummary=True)
    read_back = one(lines(summary, claude_code_record("u1", "s1", "user", "two")))
    assert parents(read_back) == {"s1": None, "u1": "s1"}
    assert not codes(read_back)


def test_claude_code_no_silent_record_steals_a_prompt():
    for kind in ("system", "progress", "attachment"):
        for meta in (False, True):
            log = lines(
                claude_code_record("u1", None, "user", "one"),
                claude_code_record("a1", "u1", "assistant", spoken("reply")),
                {"type": kind, "uuid": "h", "parentUuid": "u1", "sessionId": "s"},
                claude_code_record("u2", "h", "user", "from the hook", isMeta=meta),
                claude_code_record("u3", "u2", "user", "two"),
            )
            read_back = one(log)
            assert parents(read_back)["u2"] == "a1"
            assert heads(read_back)[:2] == ["one", "reply"]
            assert codes(read_back) == {"W_FALSE_FORK"}


def test_thinking_of_which_only_the_signature_is_there_is_opaque():
    block = {"type": "thinking", "thinking": "", "signature": "c2ln"}
    read_back = one([{"role": "assistant", "content": [block, *spoken("Done.")]}])
    assert codes(read_back) == {"W_OPAQUE_CONTENT"}
    block["thinking"] = "Think."
    assert not codes(one([{"role": "assistant", "content": [block, *spoken("Done.")]}]))


# Tool results


def test_a_late_result_stands_right_after_its_call():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ARGUMENTS}}
    chat = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "Hurry up."},
        {"role": "tool", "tool_call_id": "c", "content": "M8x40"},
        {"role": "assistant", "content": "Here."},
    ]
    read_back = one(chat)
    assert roles(read_back) == ["user", "assistant", "tool", "user", "assistant"]
    assert not codes(read_back)


def test_a_call_id_that_is_used_again_stays_with_its_own_turn():
    def turn(number, parent):
        call = AssistantMessage(
            id=f"a{number}", parent_id=parent, parts=(ToolCallPart(call_id="c", name="f"),)
        )
        answer = ToolMessage(id=f"t{number}", parent_id=call.id, parts=(ToolResultPart(call_id="c"),))
        return [call, answer]

    messages = [UserMessage(id="u"), *turn(1, "u"), *turn(2, "t1")]
    assert fold(messages).results == {"a1": ["t1"], "a2": ["t2"]}


def test_results_at_the_very_beginning_are_shown():
    chat = [
        {"role": "tool", "tool_call_id": "c", "content": "M8x40"},
        {"role": "tool", "tool_call_id": "d", "content": "M6x20"},
        {"role": "assistant", "content": "Two bolts."},
    ]
    read_back = one(chat)
    assert roles(read_back) == ["tool", "tool", "assistant"]
    assert codes(read_back) == {"W_ORPHAN_TOOL_RESULT"}
    folded = fold(read_back.messages)
    assert len(path_to(folded, read_back.conversation.head_id)) == 3


# LangChain


def said(kind, name, text):
    return {"type": kind, "content": text, "id": name}


def snapshot(number, *messages):
    config = {"configurable": {"thread_id": "t", "checkpoint_id": str(number)}}
    return {"values": {"messages": list(messages)}, "config": config, "parent_config": None}


H1, A1 = said("human", "h1", "one"), said("ai", "a1", "first")
H2, A2 = said("human", "h2", "two"), said("ai", "a2", "second")


def test_langchain_a_message_that_stands_twice_in_a_list_is_read_once():
    read_back = one([H1, A1, H1, H2])
    assert heads(read_back) == ["one", "first", "two"]
    assert codes(read_back) == {"W_DUPLICATE_RECORD"}


def test_langgraph_a_state_that_was_trimmed_is_tied_to_what_was_before():
    for later in ([H2, A2], [A1, H2, A2], [H1, H2, A2]):
        read_back = one([snapshot(2, *later), snapshot(1, H1, A1, H2)])
        assert heads(read_back) == ["one", "first", "two", "second"]
        assert len(read_back.messages) == 4
        assert not codes(read_back)


def test_langgraph_what_follows_an_edited_message_follows_the_edited_one():
    edited = said("ai", "a1", "first, better")
    read_back = one([snapshot(2, H1, edited, H2), snapshot(1, H1, A1, H2)])
    assert heads(read_back) == ["one", "first, better", "two"]
    assert summarize_conversation(read_back).branch_points == 1
    assert codes(read_back) == {"W_DUPLICATE_ID"}


def test_langgraph_a_single_state_is_a_history_of_one():
    read_back = one(snapshot(1, H1, A1))
    assert heads(read_back) == ["one", "first"]
    assert read_back.conversation.id == "t"


# Fields that are spelt or missing in other ways


def test_a_message_without_an_id_is_read_and_said_to_have_none():
    claude = claude_message("", None, "human", {"type": "text", "text": "q"})
    libre = librechat_message("", None, "q", user=True)
    del libre["messageId"]
    thread = {"message": {"role": "user", "content": "q"}, "parentId": None}
    for value in (
        [{"uuid": "k", "chat_messages": [claude]}],
        {"conversationId": "l", "messages": [libre]},
        {"version": "2.0", "title": "t", "messages": [{"role": "user", "content": "q"}]},
        [{"message_tree_id": "t", "prompt": {"text": "q", "role": "prompter"}}],
        {"headId": None, "messages": [thread]},
    ):
        (read_back,), diagnostics = read(json.dumps(value).encode())
        assert heads(read_back) == ["q"]
        assert codes(read_back) | {found.code for found in diagnostics} == {"W_MISSING_FIELD"}


def test_the_same_file_in_both_lists_of_claude_is_one():
    message = claude_message("a", None, "human", {"type": "text", "text": "q"})
    message["files"] = [{"file_uuid": "f", "file_name": "bolt.png"}]
    message["files_v2"] = [{"file_uuid": "f", "file_name": "bolt.png"}, {"file_uuid": "g", "file_name": "x"}]
    (read_back,) = one([{"uuid": "k", "chat_messages": [message]}]).messages
    assert [part.name for part in read_back.parts if isinstance(part, FilePart)] == ["bolt.png", "x"]


def test_librechat_sounds_are_sounds():
    content = [{"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}]
    message = librechat_message("a", None, "", user=True, content=content)
    read_back = one({"conversationId": "l", "messages": [message]})
    (part,) = read_back.messages[0].parts
    assert isinstance(part, AudioPart)
    assert part.media_type == "audio/wav"
    assert not codes(read_back)


def test_anthropic_a_file_in_a_container_is_a_file():
    content = [{"type": "container_upload", "file_id": "file_1"}, {"type": "tool_result", "tool_use_id": "t"}]
    read_back = one([{"role": "user", "content": content[:1]}, {"role": "user", "content": content[1:]}])
    assert read_back.messages[0].parts == (
        FilePart(media=ProviderMedia(family="anthropic", file_id="file_1")),
    )
    assert codes(read_back) == {"W_ORPHAN_TOOL_RESULT"}


def request(*parts):
    return {"kind": "request", "parts": list(parts)}


def test_pydantic_ai_every_kind_of_content_is_known():
    content = [
        {"kind": "text-content", "content": "Look at"},
        {"kind": "cache-point", "ttl": "5m"},
        {"kind": "structured-content", "content": "[1]"},
        {"kind": "uploaded-file", "file_id": "f", "provider_name": "openai"},
    ]
    speech = {"part_kind": "speech", "speaker": "user", "transcript": "aloud"}
    feedback = {"part_kind": "retry-feedback", "content": "Try again."}
    read_back = one(
        [
            request({"part_kind": "user-prompt", "content": content}, speech, feedback),
            {"kind": "response", "parts": [{**speech, "speaker": "assistant"}]},
        ]
    )
    assert heads(read_back) == ["Look at [1] aloud Try again.", "aloud"]
    assert not codes(read_back)


def test_pydantic_ai_old_calls_without_an_id_are_paired_by_their_tool():
    calls = [
        {"part_kind": "tool-call", "tool_name": name, "args": {}, "tool_call_id": None} for name in ("f", "g")
    ]
    answer = {"part_kind": "tool-return", "tool_name": "f", "content": "r", "tool_call_id": None}
    read_back = one([{"kind": "response", "parts": calls}, request(answer)])
    (lost,) = [found for found in read_back.diagnostics if found.code == "W_TOOL_CALL_UNANSWERED"]
    assert lost.detail == {"call": "g"}


def test_sillytavern_without_a_swipe_id_the_shown_text_says_which_alternative_it_is():
    header = {"user_name": "R", "character_name": "S", "chat_metadata": {}}
    line = {"name": "S", "is_user": False, "mes": "Hi", "swipes": ["Hello", "Hi"]}
    read_back = one(lines(header, line))
    assert sorted(message.parts[0].text for message in read_back.messages) == ["Hello", "Hi"]
    assert heads(read_back) == ["Hi"]
    assert not codes(read_back)
    read_back = one(lines(header, line | {"mes": "Hey"}))
    assert len(read_back.messages) == 3
    assert codes(read_back) == {"W_SWIPE_INDEX"}


def test_sillytavern_a_tool_that_did_not_answer_is_unanswered():
    called = {"id": "c", "name": "find", "parameters": ARGUMENTS}
    line = {
        "name": "S",
        "is_user": False,
        "is_system": True,
        "mes": "",
        "extra": {"tool_invocations": [called]},
    }
    assert codes(one(lines({"chat_metadata": {}}, line))) == {"W_TOOL_CALL_UNANSWERED"}


def test_a_first_row_without_turns_does_not_hide_the_others():
    turns = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "r"}]
    for empty in ({"id": "a", "conversations": None}, {"id": "a"}, {"conversations": "none"}):
        conversations, diagnostics = read(json.dumps([empty, {"id": "b", "conversations": turns}]).encode())
        assert [heads(found) for found in conversations] == [["q", "r"]]
        assert [found.code for found in diagnostics] == ["W_CONVERSATION_SKIPPED"]


def test_a_design_chat_is_not_taken_for_a_list_of_empty_messages():
    chat = {"project": {}, "messages": [{"role": "user", "contentBlocks": [{"type": "text", "text": "q"}]}]}
    conversations, diagnostics = read(json.dumps(chat).encode())
    assert not conversations
    assert [found.code for found in diagnostics] == ["W_CONVERSATION_SKIPPED"]


# Which branch is shown


def test_what_the_program_itself_would_show_is_no_guess():
    def thread(name, parent):
        message = {"id": name, "role": "user" if parent is None else "assistant", "content": name}
        return {"message": message, "parentId": parent}

    messages = [thread("u", None), thread("a", "u"), thread("b", "u")]
    for head, shown in (({}, "b"), ({"headId": "a"}, "a")):
        read_back = one({**head, "messages": messages})
        assert read_back.conversation.head_id == shown
        assert not codes(read_back)


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [
        (None, "a"),
        ({"activeBranchIndex": 7}, "a"),
        ({"activeBranchIndex": 1}, "b"),
        ({"activeBranchIndex": 2}, "a"),
    ],
)
def test_lobehub_shows_the_branch_that_its_resolver_chooses(metadata, shown):
    user = {"id": "u", "role": "user", "content": "q", "metadata": metadata}
    when = 1_770_000_000_000
    replies = [
        {"id": name, "role": "assistant", "content": name, "parentId": "u", "createdAt": when}
        for name in "ab"
    ]
    read_back = one({"version": "2.0", "title": "t", "messages": [user, *replies]})
    assert read_back.conversation.head_id == shown
    assert not codes(read_back)
