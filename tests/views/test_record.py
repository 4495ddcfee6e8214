import json

from hypothesis import given, settings
from tests.model.strategies import MESSAGE

from triptych.model.messages import ToolMessage, UserMessage
from triptych.model.parts import BlobMedia, ImagePart, InlineMedia, TextPart, ToolResultPart, UnknownPart
from triptych.views.record import from_record, to_record

KEYS = {"conversation_id": "c", "project_id": "p", "user_id": "u"}


@given(MESSAGE)
@settings(max_examples=300, deadline=None)
def test_a_message_comes_back_from_its_rows(message):
    record = to_record(message, **KEYS)
    assert from_record(record)[0] == message
    json.dumps([record.parts, record.extra, record.metadata])


def test_media_have_rows_of_their_own_also_inside_results():
    picture = ImagePart(media=InlineMedia("AAAA"), media_type="image/png")
    photo = ImagePart(media=BlobMedia("b2:00", size=3))
    message = ToolMessage(
        id="t", parts=(ToolResultPart(call_id="c", content=(picture, TextPart(text="x"), photo)),)
    )
    record = to_record(message, **KEYS)
    assert [(one.place, one.kind, one.address, one.size) for one in record.media] == [
        (0, "inline", "AAAA", None),
        (1, "blob", "b2:00", 3),
    ]
    assert "AAAA" not in json.dumps(record.parts)
    assert from_record(record)[0] == message


def test_a_foreign_part_that_looks_like_a_media_row_is_not_taken_for_one():
    trap = UnknownPart(raw={"type": "image", "media": {"kind": "row", "place": 1}})
    message = UserMessage(id="u", parts=(trap, ImagePart(media=BlobMedia("b2:00"))))
    assert from_record(to_record(message, **KEYS))[0] == message


def test_times_are_real_timestamps_and_keys_travel():
    record = to_record(UserMessage(id="u", created_at=1_700_000_000_123), **KEYS)
    assert record.created_at.isoformat() == "2023-11-14T22:13:20.123000+00:00"
    assert (record.conversation_id, record.project_id, record.user_id) == ("c", "p", "u")


def test_nothing_derived_is_stored():
    record = to_record(UserMessage(id="u", parts=(TextPart(text="hi"),)), **KEYS)
    assert not hasattr(record, "content")
    assert record.parts == [{"type": "text", "text": "hi"}]
