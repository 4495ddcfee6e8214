import pytest

from triptych import wires
from triptych.errors import UsageError
from triptych.model.messages import AssistantMessage, UserMessage
from triptych.model.parts import TextPart, ToolCallPart


def user(name, text):
    return UserMessage(id=name, parts=(TextPart(text=text),))


def calls(name, *ids):
    return AssistantMessage(
        id=name, parts=tuple(ToolCallPart(call_id=one, name="lookup", arguments="{}") for one in ids)
    )


def test_an_open_call_gets_a_marked_result_before_the_next_words():
    payload = wires.compile(
        [user("a", "find it"), calls("b", "call_1"), user("c", "never mind")], to="openai_chat"
    )
    roles = [item["role"] for item in payload.body["messages"]]
    assert roles == ["user", "assistant", "tool", "user"]
    assert payload.body["messages"][2]["content"].startswith("[No result:")
    assert [change.rule for change in payload.report] == ["missing-result"]
    assert wires.lint(payload.body, wire="openai-chat") == []


def test_a_request_without_any_word_of_a_person_is_refused():
    with pytest.raises(UsageError, match="nothing to send"):
        wires.compile([], to="openai_chat")


def test_strict_refuses_instead_of_repairing():
    with pytest.raises(UsageError, match="missing-result"):
        wires.compile([user("a", "find it"), calls("b", "call_1")], to="openai_chat", strict=True)
