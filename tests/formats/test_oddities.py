"""What real files do wrong, one sentence each, and what we make of it."""

import json

from tests.formats.samples import (
    CLAUDE_ROOT,
    chatgpt_conversation,
    claude_code_record,
    claude_message,
    codex_record,
    said,
)

from triptych.formats.read import read
from triptych.formats.summary import summarize_conversation
from triptych.model.messages import AssistantMessage, SystemMessage, message_text
from triptych.model.parts import ImagePart, InlineMedia, ReasoningPart, ToolCallPart, UnknownPart


def one(value, format_name=None):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    conversations, diagnostics = read(data, name="chat.json", format_name=format_name)
    assert len(conversations) == 1, diagnostics
    return conversations[0]


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def codes(conversation):
    return {found.code for found in conversation.diagnostics}


def heads(conversation):
    return list(summarize_conversation(conversation).text_heads)


def parents(conversation):
    return {message.id: message.parent_id for message in conversation.messages}


def test_chatgpt_child_links_may_be_left_out():
    conversation = chatgpt_conversation()
    for node in conversation["mapping"].values():
        node["children"] = []
    read_back = one([conversation])
    assert parents(read_back) == parents(one([chatgpt_conversation()]))
    assert codes(read_back) == {"W_CHILD_UNLISTED"}


def test_chatgpt_nodes_without_a_message_are_taken_out_in_mid_tree():
    conversation = chatgpt_conversation()
    conversation["mapping"]["t1"]["message"] = None
    read_back = one([conversation])
    assert parents(read_back)["a2"] == "a1"
    assert "W_NULL_MESSAGE" in codes(read_back)


def test_chatgpt_an_unknown_content_type_is_kept_whole():
    conversation = chatgpt_conversation()
    content = {"content_type": "hologram", "scene": {"v": 1}}
    conversation["mapping"]["a2"]["message"]["content"] = content
    (message,) = [message for message in one([conversation]).messages if message.id == "a2"]
    assert message.parts == (UnknownPart(raw=content),)


def test_chatgpt_custom_instructions_are_hidden():
    conversation = chatgpt_conversation()
    content = {"content_type": "user_editable_context", "user_profile": "I build sheds."}
    conversation["mapping"]["u1"]["message"]["content"] = content
    (message,) = [message for message in one([conversation]).messages if message.id == "u1"]
    assert message.hidden
    assert message_text(message) == "I build sheds."


def test_chatgpt_a_missing_metadata_key_is_no_problem():
    conversation = chatgpt_conversation()
    for node in conversation["mapping"].values():
        if node["message"]:
            del node["message"]["metadata"]
    assert heads(one([conversation])) == heads(one([chatgpt_conversation()]))


def test_deepseek_has_a_mapping_too_but_is_not_taken_for_chatgpt():
    conversation = chatgpt_conversation() | {"inserted_at": "2026-02-03"}
    conversations, _ = read(json.dumps([conversation]).encode())
    assert not conversations


def test_claude_exports_of_old_are_lines():
    messages = [
        claude_message(name, None, who, said(name)) for name, who in (("a", "human"), ("b", "assistant"))
    ]
    for message in messages:
        del message["parent_message_uuid"]
        message["content"] = []
        message["text"] = message["uuid"]
    assert parents(one([{"uuid": "k", "chat_messages": messages}])) == {"a": None, "b": "a"}


def test_claude_two_first_messages_are_two_roots_and_the_newest_leaf_is_shown():
    old = claude_message("a", CLAUDE_ROOT, "human", {"type": "text", "text": "first"})
    new = claude_message("b", CLAUDE_ROOT, "human", {"type": "text", "text": "second"})
    new["created_at"] = "2026-02-03T11:00:00Z"
    read_back = one([{"uuid": "k", "chat_messages": [new, old]}])
    assert heads(read_back) == ["second"]
    assert codes(read_back) == {"W_ACTIVE_INFERRED"}


def openwebui(messages, current):
    return [{"id": "o", "chat": {"history": {"messages": messages, "currentId": current}}}]


def test_openwebui_a_reply_that_lost_its_links_is_found_through_its_parent():
    user = {"id": "u", "parentId": None, "childrenIds": ["a"], "role": "user", "content": "q", "timestamp": 1}
    read_back = one(openwebui({"u": user, "a": {"content": "r", "done": True}}, "a"))
    assert parents(read_back) == {"u": None, "a": "u"}
    assert heads(read_back) == ["q", "r"]
    assert codes(read_back) == {"W_MISSING_FIELD", "W_PARENT_INFERRED"}


def test_openwebui_a_pointer_to_a_deleted_message_shows_the_newest_leaf():
    user = {"id": "u", "parentId": None, "childrenIds": [], "role": "user", "content": "q", "timestamp": 1}
    read_back = one(openwebui({"u": user}, "gone"))
    assert heads(read_back) == ["q"]
    assert "W_ACTIVE_MISSING" in codes(read_back)


def test_librechat_trees_may_be_two_thousand_levels_deep():
    text = ""
    for number in reversed(range(2000)):
        text = (
            f'{{"messageId": "m{number}", "text": "t{number}", "isCreatedByUser": {str(number % 2 == 0).lower()}, '
            f'"children": [{text}]}}'
        )
    read_back = one(f'{{"conversationId": "l", "messagesTree": [{text}]}}'.encode())
    assert len(read_back.messages) == 2000
    assert parents(read_back)["m1999"] == "m1998"


def test_sillytavern_a_new_alternative_renames_no_message():
    header = {"user_name": "R", "character_name": "S", "chat_metadata": {"integrity": "i"}}
    hello = {"name": "S", "is_user": False, "mes": "Hello", "swipes": ["Hello"], "swipe_id": 0}
    answer = {"name": "R", "is_user": True, "mes": "Hi"}
    before = one(lines(header, hello, answer))
    after = one(lines(header, hello | {"swipes": ["Hello", "Good day"]}, answer))
    assert {message.id for message in before.messages} < {message.id for message in after.messages}
    assert heads(after) == ["Hello", "Hi"]


def test_claude_code_an_error_record_that_stole_the_next_prompt_is_put_right():
    session = lines(
        claude_code_record("u1", None, "user", "one"),
        {"type": "system", "subtype": "api_error", "uuid": "e", "parentUuid": "u1", "sessionId": "s"},
        claude_code_record("a1", "u1", "assistant", [{"type": "text", "text": "reply"}]),
        claude_code_record("u2", "e", "user", "two"),
    )
    read_back = one(session)
    assert heads(read_back) == ["one", "reply", "two"]
    assert codes(read_back) == {"W_FALSE_FORK"}


def test_claude_code_a_parent_that_was_never_written_is_the_record_before():
    session = lines(
        claude_code_record("u1", None, "user", "one"),
        claude_code_record("u2", "phantom", "user", "two"),
    )
    assert heads(one(session)) == ["one", "two"]
    assert codes(one(session)) == {"W_PARENT_MISSING"}


def test_claude_code_a_rewind_is_a_branch_and_the_latest_is_shown():
    session = lines(
        claude_code_record("u1", None, "user", "one"),
        claude_code_record("u2", None, "user", "one, better"),
    )
    assert heads(one(session)) == ["one, better"]


def test_claude_code_a_last_line_that_was_cut_off_is_reported():
    session = lines(claude_code_record("u1", None, "user", "one")) + b'{"type": "user", "uu'
    assert codes(one(session)) == {"W_TRUNCATED_TAIL"}


def test_claude_code_a_compaction_is_a_system_message_below_what_it_replaces():
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "c",
        "parentUuid": None,
        "logicalParentUuid": "u1",
        "sessionId": "s",
    }
    session = lines(
        claude_code_record("u1", None, "user", "one"),
        boundary,
        claude_code_record("u2", "c", "user", "So far: one.", isCompactSummary=True),
    )
    read_back = one(session)
    assert isinstance(read_back.messages[1], SystemMessage)
    assert parents(read_back)["u2"] == "u1"


def test_codex_says_every_turn_twice_and_it_counts_once():
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
    session = lines(
        codex_record("session_meta", id="x"),
        codex_record("response_item", **item),
        codex_record("event_msg", type="user_message", message="q"),
    )
    assert len(one(session).messages) == 1


def test_codex_old_rollouts_are_bare_items():
    session = lines(
        {"id": "x", "timestamp": "2025-02-03T10:00:00Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]},
    )
    assert heads(one(session)) == ["q"]


def test_responses_encrypted_reasoning_is_kept_and_said_to_be_opaque():
    items = [{"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "zz"}]
    read_back = one(items)
    (part,) = read_back.messages[0].parts
    assert isinstance(part, ReasoningPart)
    assert part.redacted
    assert part.private == {"openai": {"id": "r", "encrypted_content": "zz"}}
    assert "W_OPAQUE_CONTENT" in codes(read_back)


def test_openai_preference_rows_are_a_branch_with_the_preferred_one_shown():
    row = {
        "input": {"messages": [{"role": "user", "content": "q"}]},
        "preferred_output": [{"role": "assistant", "content": "good"}],
        "non_preferred_output": [{"role": "assistant", "content": "bad"}],
    }
    read_back = one(row)
    assert heads(read_back) == ["q", "good"]
    assert summarize_conversation(read_back).branch_points == 1


def test_openai_arguments_that_are_no_json_stay_as_the_model_wrote_them():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":'}}
    read_back = one([{"role": "assistant", "content": None, "tool_calls": [call]}])
    (part,) = read_back.messages[0].parts
    assert isinstance(part, ToolCallPart)
    assert part.arguments == '{"a":'
    assert codes(read_back) == {"W_BAD_JSON_ARGS", "W_TOOL_CALL_UNANSWERED"}


def test_openai_pictures_inside_a_request_are_inline():
    content = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]
    (part,) = one([{"role": "user", "content": content}]).messages[0].parts
    assert part == ImagePart(media=InlineMedia(data="iVBORw0KGgo="), media_type="image/png")


def test_a_longer_copy_of_a_list_keeps_the_ids_of_the_shorter_one():
    short = [{"role": "user", "content": "q"}]
    longer = [*short, {"role": "assistant", "content": "r"}]
    assert parents(one(short)).keys() < parents(one(longer)).keys()


def test_assistant_ui_nothing_below_a_missing_parent_is_dropped():
    thread = {
        "headId": "gone",
        "messages": [
            {"message": {"id": "b", "role": "assistant", "content": "B"}, "parentId": "a"},
            {"message": {"id": "a", "role": "user", "content": "A"}, "parentId": "lost"},
        ],
    }
    read_back = one(thread)
    assert heads(read_back) == ["A", "B"]
    assert codes(read_back) == {"W_ACTIVE_MISSING", "W_PARENT_MISSING"}


def test_one_unknown_part_does_not_sink_a_list():
    parts = [{"type": "hologram", "x": 1}, {"type": "text", "text": "still here"}]
    read_back = one([{"id": "a", "role": "assistant", "parts": parts}])
    assert heads(read_back) == ["still here"]
    assert read_back.messages[0].parts[0] == UnknownPart(raw=parts[0])


def test_lone_surrogates_and_nul_are_replaced_and_said_so():
    read_back = one(b'[{"role": "user", "content": "a\\ud800b\\u0000c"}]')
    assert message_text(read_back.messages[0]) == "a\ufffdb\ufffdc"
    assert "bad_text" in codes(read_back)


def test_every_reply_names_its_model():
    (reply,) = [message for message in one([chatgpt_conversation()]).messages if message.id == "a2"]
    assert isinstance(reply, AssistantMessage)
    assert (reply.provider, reply.model) == ("openai", "gpt-5")
