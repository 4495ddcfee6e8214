import pytest
from hypothesis import given, settings
from tests.model.strategies import MESSAGE, replace

from triptych.errors import UsageError
from triptych.model.codec import decode_message, encode_message
from triptych.model.digest import content_digest, digest_json, digest_text, path_digest
from triptych.model.messages import AssistantMessage, UserMessage
from triptych.model.parts import ReferencePart, TextPart, ToolCallPart
from triptych.model.references import NoteReference
from triptych.model.status import STREAMING, Answered, Incomplete


@given(MESSAGE)
@settings(deadline=None)
def test_the_digest_survives_writing_and_moving(message):
    moved = replace(message, id="other", parent_id="elsewhere", created_at=9, favorite=True)
    read, _ = decode_message(encode_message(message))
    assert content_digest(message) == content_digest(moved) == content_digest(read)


def test_the_digest_covers_role_text_and_references():
    said = {
        content_digest(UserMessage(id="a", parts=(TextPart(text="x"),))),
        content_digest(UserMessage(id="a", parts=(TextPart(text="y"),))),
        content_digest(AssistantMessage(id="a", parts=(TextPart(text="x"),))),
        content_digest(UserMessage(id="a", parts=(ReferencePart(reference=NoteReference(path="n")),))),
        content_digest(UserMessage(id="a", parts=(ReferencePart(reference=NoteReference(path="m")),))),
    }
    assert len(said) == 5


def test_the_digest_does_not_cover_status_or_the_state_of_a_call():
    call = ToolCallPart(call_id="c", name="f", arguments="{}")
    asked = AssistantMessage(id="a", parts=(call,))
    answered = AssistantMessage(
        id="a", parts=(replace(call, state=Answered()),), status=Incomplete(reason="stopped")
    )
    assert content_digest(asked) == content_digest(answered)


def test_a_streaming_message_has_no_digest():
    with pytest.raises(UsageError):
        content_digest(AssistantMessage(id="a", status=STREAMING))


def test_key_order_does_not_matter():
    assert digest_json({"a": 1, "b": 2}) == digest_json({"b": 2, "a": 1})


def test_path_digests_tell_order():
    one, two = digest_text("1"), digest_text("2")
    assert path_digest([one, two]) != path_digest([two, one])
