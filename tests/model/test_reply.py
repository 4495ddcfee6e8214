from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.model.events import (
    Failure,
    Finish,
    PartDelta,
    PartEnd,
    PartStart,
    PartUpdate,
    ReplyStart,
    UsageReport,
)
from triptych.model.parts import ReasoningPart, TextPart, ToolCallPart
from triptych.model.reply import Reply, ReplyBuilder, reduce_event, reduce_events
from triptych.model.status import READY, CallStreaming, Complete, Incomplete
from triptych.model.usage import Usage


def test_interleaved_parts_grow_where_they_started():
    reply = reduce_events(
        [
            ReplyStart(model="m"),
            PartStart(index=0, part=ReasoningPart()),
            PartDelta(index=0, text="hm"),
            PartStart(index=1, part=TextPart(text="")),
            PartDelta(index=1, text="yes"),
            PartDelta(index=0, text="m"),
            PartUpdate(index=0, part=ReasoningPart(text="hmm", private={"anthropic": {"signature": "s"}})),
            Finish(status=Complete()),
        ]
    )
    assert reply.parts == (
        ReasoningPart(text="hmm", private={"anthropic": {"signature": "s"}}),
        TextPart(text="yes"),
    )
    assert reply.model == "m"
    assert reply.status == Complete()


def test_a_call_is_ready_when_it_ends():
    call = ToolCallPart(call_id="c", name="f", state=CallStreaming())
    reply = reduce_events([PartStart(index=0, part=call), PartDelta(index=0, text="{}"), PartEnd(index=0)])
    assert reply.parts == (ToolCallPart(call_id="c", name="f", arguments="{}", state=READY),)


def test_a_stream_that_just_ends_was_interrupted():
    reply = reduce_events([PartStart(index=0, part=TextPart(text="par"))])
    assert reply.status == Incomplete(reason="interrupted")
    assert reply.parts == (TextPart(text="par"),)


def test_a_failure_keeps_what_there_is_and_the_first_end_wins():
    failure = Failure(message="gone", retryable=True)
    reply = reduce_events([PartStart(index=0, part=TextPart(text="a")), failure, Finish(status=Complete())])
    assert reply.status == Incomplete(reason="error", error="gone")
    assert reply.failure == failure
    assert reply.parts == (TextPart(text="a"),)


def test_later_usage_replaces_field_by_field():
    reply = reduce_events(
        [UsageReport(usage=Usage(input_tokens=5, output_tokens=1)), UsageReport(usage=Usage(output_tokens=9))]
    )
    assert reply.usage == Usage(input_tokens=5, output_tokens=9)


def test_a_delta_for_a_part_that_never_started_is_ignored():
    assert reduce_events([PartDelta(index=3, text="x")]).parts == ()


EVENTS = st.one_of(
    st.builds(ReplyStart, model=st.none() | st.just("m")),
    st.builds(
        PartStart,
        index=st.integers(0, 3),
        part=st.sampled_from(
            [TextPart(text=""), ReasoningPart(), ToolCallPart(call_id="c", name="f", state=CallStreaming())]
        ),
    ),
    st.builds(PartDelta, index=st.integers(-1, 4), text=st.text(max_size=3)),
    st.builds(PartEnd, index=st.integers(0, 3)),
    st.builds(Finish, status=st.sampled_from([Complete(), Incomplete(reason="length")])),
    st.builds(Failure, message=st.just("gone")),
)


@given(st.lists(EVENTS, max_size=15), st.sets(st.integers(0, 15)))
@settings(max_examples=300, deadline=None)
def test_the_builder_gives_what_single_steps_give_whenever_it_is_looked_at(events, looks):
    builder, stepped = ReplyBuilder(), Reply()
    for place, event in enumerate(events):
        builder.feed(event)
        stepped = reduce_event(stepped, event)
        if place in looks:
            assert builder.reply == stepped
    assert builder.reply == stepped
