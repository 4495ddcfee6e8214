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
from triptych.model.reply import reduce_events
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
