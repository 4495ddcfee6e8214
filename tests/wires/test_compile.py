import copy
import sys

import msgspec
import pytest

from triptych import wires
from triptych.errors import UsageError
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import TextPart, ToolCallPart, ToolResultPart
from triptych.model.tools import ToolDefinition


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


WORKSHOP = [
    user("a", "find the plane"),
    calls("b", "call_1"),
    ToolMessage(
        id="c",
        parts=(ToolResultPart(call_id="call_1", name="lookup", content=(TextPart(text="on the shelf"),)),),
    ),
    AssistantMessage(id="d", parts=(TextPart(text="It is on the shelf."),)),
    user("e", "and the chisel?"),
]


def converted(monkeypatch):
    """How many messages each conversion was given from now on."""
    module = sys.modules["triptych.wires.compile"]
    sizes, convert = [], module._WIRES["anthropic"].convert_messages
    monkeypatch.setattr(
        module._WIRES["anthropic"],
        "convert_messages",
        lambda messages, profile: sizes.append(len(messages)) or convert(messages, profile),
    )
    return sizes


@pytest.mark.parametrize("made", [list, copy.deepcopy], ids=["the same objects", "equal values"])
def test_with_a_cache_only_what_is_new_is_worked_on(made, monkeypatch):
    cache = wires.CompileCache()
    wires.compile(made(WORKSHOP), "anthropic", cache=cache)
    sizes = converted(monkeypatch)
    more = [AssistantMessage(id="f", parts=(TextPart(text="Beside it."),)), user("g", "thanks")]
    payload = wires.compile(made([*WORKSHOP, *more]), "anthropic", cache=cache)
    assert sum(sizes) < len(WORKSHOP)
    assert payload == wires.compile([*WORKSHOP, *more], "anthropic")


@pytest.mark.parametrize("place", range(3))
def test_a_changed_prefix_is_not_taken_from_the_cache(place):
    cache = wires.CompileCache()
    wires.compile(WORKSHOP, "anthropic", cache=cache)
    changed = [*WORKSHOP]
    changed[place] = msgspec.structs.replace(changed[place], parts=(TextPart(text="otherwise"),))
    assert wires.compile(changed, "anthropic", cache=cache) == wires.compile(changed, "anthropic")


def test_another_profile_does_not_take_from_the_cache():
    cache = wires.CompileCache()
    for name in ("anthropic", "openai_chat", "mistral", "anthropic"):
        assert wires.compile(WORKSHOP, name, cache=cache) == wires.compile(WORKSHOP, name)


HAMMER = ToolDefinition(
    name="hammer", description="Drives a nail.", parameters={"type": "object", "properties": {}}
)


@pytest.mark.parametrize("wire", wires.WIRES)
@pytest.mark.parametrize(
    ("choice", "tools", "left_out"),
    [
        ("auto", (), False),
        ("required", (), True),
        ("required", (HAMMER,), False),
        ({"name": "hammer"}, (HAMMER,), False),
        ({"name": "saw"}, (HAMMER,), True),
        ({"type": "function", "function": {"name": "saw"}}, (HAMMER,), True),
        ("saw", (), True),
    ],
)
def test_a_choice_that_no_offered_tool_can_follow_is_left_out_and_said(wire, choice, tools, left_out):
    payload = wires.compile([user("a", "go")], wire, tools=tools, options={"tool_choice": choice})
    said = [change.sentence for change in payload.report if "choice of a tool" in change.sentence]
    assert bool(said) == left_out
    assert "saw" not in msgspec.json.encode(payload.body).decode()
