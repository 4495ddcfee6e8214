import msgspec
import pytest
from tests.formats.test_notebook_edits import talk

from triptych.errors import UsageError
from triptych.formats.conversation import native_conversation
from triptych.formats.export import (
    blob_digests,
    export_conversation,
    export_conversations,
    format_for,
    inline_blobs,
    restored_conversation,
)
from triptych.formats.read import read
from triptych.model.conversations import Conversation
from triptych.model.digest import digest_bytes
from triptych.model.messages import ToolMessage, UserMessage
from triptych.model.parts import BlobMedia, ImagePart, InlineMedia, ToolResultPart


def test_pictures_of_the_store_go_along_as_bytes():
    picture = BlobMedia(digest=digest_bytes(b"png"))
    image = ImagePart(media=picture, media_type="image/png")
    imported = native_conversation(
        Conversation(id="c"),
        [
            UserMessage(id="a", parts=(image,)),
            ToolMessage(id="t", parent_id="a", parts=(ToolResultPart(call_id="1", content=(image,)),)),
        ],
    )
    assert blob_digests(imported) == [picture.digest]
    inlined = inline_blobs(imported, {picture.digest: b"png"})
    assert inlined.messages[0].parts[0].media == InlineMedia(data="cG5n")
    assert inlined.messages[1].parts[0].content[0].media == InlineMedia(data="cG5n")
    assert "data:image/png;base64,cG5n" in export_conversation(inlined, "openai_chat").data.decode()


def test_a_stored_conversation_is_restored_with_its_document():
    (found,), _ = read(b'[{"role":"user","content":"x","odd":1}]', name="x.json")
    again = restored_conversation(found.conversation, found.messages, found.document)
    assert again.source == found.source
    assert export_conversation(again, "openai_chat").data == found.document
    other = restored_conversation(found.conversation, found.messages, b"another")
    assert other.source.format == ""
    assert b'"odd"' not in export_conversation(other, "openai_chat").data


def test_files_are_called_by_their_title():
    imported = talk()
    assert export_conversation(imported, "notebook").name == "Old.md"
    unnamed = msgspec.structs.replace(imported, conversation=Conversation(id="c1"))
    assert export_conversation(unnamed, "openwebui").name == "c1.json"


def test_only_some_formats_hold_several():
    assert export_conversations([talk(), talk()], "triptych_jsonl").data.count(b'"triptych"') == 2
    with pytest.raises(UsageError, match="one conversation"):
        export_conversations([talk(), talk()], "librechat")


def test_an_ending_may_tell_the_format():
    assert (format_for("a.MD"), format_for("a.jsonl")) == ("notebook", "triptych_jsonl")
    with pytest.raises(UsageError, match="openwebui"):
        format_for("a.json")
