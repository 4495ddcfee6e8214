"""The law of our JSONL: whatever goes in comes out, and any bytes are read."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.conversations import conversations

from triptych.formats.conversation import ImportedConversation, Source
from triptych.formats.read import read
from triptych.formats.triptych_jsonl import write
from triptych.model.digest import digest_bytes


@given(st.lists(conversations(), max_size=3, unique_by=lambda one: one.conversation.id))
@settings(max_examples=80, deadline=None)
def test_any_conversations_written_and_read_back_are_equal(several):
    data = write(several).data
    again, found = read(data, format_name="triptych_jsonl")
    assert [(one.conversation, one.messages) for one in again] == [
        (o.conversation, o.messages) for o in several
    ]
    assert not found or not several
    assert write(again).data == data


@given(
    conversations(),
    st.binary(max_size=40) | st.text(max_size=20).map(lambda t: t.encode("utf-8", "surrogatepass")),
)
@settings(max_examples=60, deadline=None)
def test_the_document_of_another_format_comes_along(imported, document):
    source = Source(format="openwebui", id="x", document=digest_bytes(document), version="2", lines=True)
    whole = ImportedConversation(
        conversation=imported.conversation, messages=imported.messages, source=source, document=document
    )
    (again,), _ = read(write([whole]).data, format_name="triptych_jsonl")
    if document:
        assert (again.source, again.document) == (source, document)


@given(st.binary(max_size=200), conversations(largest=3), st.integers(0, 500))
@settings(max_examples=100, deadline=None)
def test_a_damaged_file_is_read_as_far_as_it_goes(noise, imported, place):
    data = write([imported]).data
    read(data[:place] + noise + data[place:], format_name="triptych_jsonl")


def test_a_cut_file_says_that_messages_are_missing():
    from tests.formats.test_notebook_edits import talk

    data = write([talk()]).data
    (again,), _ = read(data[: data.rindex(b'{"message"')])
    assert [one.code for one in again.diagnostics] == ["W_TRUNCATED_TAIL"]
    assert len(again.messages) == 4
