import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.strategies import ANY_JSON, JSON, MESSAGE, replace

from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.origins import Council, Dispatch, Signal, Supervisor, Task, TaskCallback
from triptych.model.parts import (
    ErrorPart,
    ImagePart,
    ReasoningPart,
    SourcePart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UrlMedia,
)
from triptych.model.status import Incomplete
from triptych.model.usage import Performance, Usage
from triptych.views.display import from_row, to_row

ORIGINS = st.sampled_from(
    [
        Supervisor(),
        Task(title="t"),
        TaskCallback(),
        Council(),
        Dispatch(internal=True),
        Dispatch(),
        Signal(signal="x"),
    ]
)
ROW = st.dictionaries(
    st.sampled_from(
        [
            "id",
            "role",
            "parentId",
            "content",
            "parts",
            "tools",
            "reasoning",
            "metadata",
            "usage",
            "performance",
            "status",
            "createdAt",
            "imageList",
            "error",
            "search",
            "plugin",
            "pluginState",
            "tool_call_id",
            "hidden",
            "origin",
            "topicId",
            "meta",
            "activeChildId",
            "traceId",
        ]
    ),
    JSON
    | st.sampled_from(
        ["user", "assistant", "tool", "task", "2024-01-02T03:04:05Z", [{"type": "text", "text": "x"}]]
    ),
    max_size=8,
).map(lambda row: {"id": "a", "role": "user"} | row)


@given(MESSAGE, st.none() | ORIGINS)
@settings(max_examples=400, deadline=None)
def test_a_message_comes_back_from_its_row(message, origin):
    message = message if origin is None else replace(message, origin=origin)
    assert from_row(to_row(message))[0] == message


@given(ROW)
@settings(max_examples=600, deadline=None)
def test_a_foreign_row_keeps_every_key_it_had(row):
    shown = to_row(from_row(row)[0])
    if isinstance(row["id"], str):
        assert {key: shown.get(key) for key in row} == row
        assert from_row(shown)[0] == from_row(to_row(from_row(shown)[0]))[0]


@given(ANY_JSON)
@settings(max_examples=300, deadline=None)
def test_reading_a_row_is_total(value):
    message, _ = from_row(value)
    to_row(message)


def test_parts_are_the_truth_and_the_fields_are_derived():
    row = to_row(
        AssistantMessage(
            id="a",
            parent_id="u",
            created_at=5,
            parts=(
                ReasoningPart(text="hm", duration=20),
                TextPart(text="one"),
                ToolCallPart(call_id="c1", name="look", arguments='{"q":1}', namespace="web"),
                TextPart(text="two"),
                SourcePart(url="https://example.org", title="T"),
                ErrorPart(message="broke", code="E"),
            ),
            status=Incomplete(reason="stopped"),
            model="m",
            provider="p",
            usage=Usage(input_tokens=3, output_tokens=4, cached_input_tokens=1),
            performance=Performance(time_to_first_token=9.0),
        )
    )
    assert row["content"] == "one\n\ntwo"
    assert row["reasoning"] == {"content": "hm", "duration": 20}
    assert row["tools"] == [
        {"id": "c1", "identifier": "web", "apiName": "look", "arguments": '{"q":1}', "type": "default"}
    ]
    assert row["search"] == {"citations": [{"url": "https://example.org", "title": "T"}]}
    assert row["error"] == {"type": "E", "message": "broke"}
    assert row["status"] == {"state": "incomplete", "reason": "stopped"}
    assert row["usage"] == {
        "totalInputTokens": 3,
        "totalOutputTokens": 4,
        "inputCachedTokens": 1,
        "totalTokens": 7,
    }
    assert row["performance"] == {"ttft": 9.0}
    assert [part["type"] for part in row["parts"]] == [
        "reasoning",
        "text",
        "toolCall",
        "text",
        "source",
        "error",
    ]
    assert (row["parentId"], row["createdAt"], row["model"]) == ("u", 5, "m")


def test_a_tool_result_shows_what_it_answers():
    row = to_row(
        ToolMessage(
            id="t",
            parts=(
                ToolResultPart(
                    call_id="c", name="look", content=(TextPart(text="42"),), is_error=True, state={"n": 1}
                ),
            ),
        )
    )
    assert row["tool_call_id"] == "c"
    assert row["content"] == "42"
    assert row["pluginState"] == {"n": 1}
    assert row["pluginError"] == {"message": "42"}


def test_a_row_without_parts_is_read_by_its_fields():
    message, found = from_row(
        {
            "id": "a",
            "role": "assistant",
            "content": "hello",
            "reasoning": {"content": "hm"},
            "tools": [
                {"id": "c", "identifier": "web", "apiName": "look", "arguments": "{}", "type": "default"}
            ],
            "imageList": [{"id": "i", "url": "https://example.org/a.png", "alt": "a"}],
            "createdAt": "2024-01-01T00:00:00.000Z",
            "topicId": "t9",
        }
    )
    assert message.parts == (
        ReasoningPart(text="hm"),
        TextPart(text="hello"),
        ImagePart(media=UrlMedia("https://example.org/a.png"), alt="a"),
        ToolCallPart(call_id="c", name="look", namespace="web", arguments="{}"),
    )
    assert message.created_at == 1_704_067_200_000
    assert message.extra["topicId"] == "t9"
    assert not found


@pytest.mark.parametrize(
    ("origin", "role", "metadata"),
    [
        (Task(), "task", None),
        (TaskCallback(), "taskCallback", None),
        (Supervisor(), "assistant", {"isSupervisor": True}),
        (Dispatch(internal=True), "assistant", {"agentDispatch": {"visibility": "internal"}}),
        (
            Signal(signal="tool-stdout", sequence=2),
            "assistant",
            {"signal": {"type": "tool-stdout", "sequence": 2}},
        ),
    ],
)
def test_origins_are_shown_as_other_programs_tell_them(origin, role, metadata):
    row = to_row(AssistantMessage(id="a", origin=origin))
    assert row["role"] == role
    assert row.get("metadata") == metadata
    bare = {key: item for key, item in row.items() if key != "origin"}
    assert from_row(bare)[0].origin == origin


def test_changing_one_face_leaves_the_others_alone():
    message = UserMessage(id="u", parts=(TextPart(text="hi"),))
    row = to_row(message)
    row["content"] = "changed by a page"
    row["parts"][0]["text"] = "changed by a page"
    assert message == UserMessage(id="u", parts=(TextPart(text="hi"),))
    assert to_row(message)["content"] == "hi"
