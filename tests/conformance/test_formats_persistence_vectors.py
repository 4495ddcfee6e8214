"""Chats that the original saved and loaded, both ways; where a finding names a fault, the right behaviour."""

from datetime import UTC

import pytest
from tests.conformance.vectors import HERE, files, load

from triptych.formats.conversation import native_conversation
from triptych.formats.copilot_md.names import fallback_name, file_name, topic_from_reply, topic_of
from triptych.formats.copilot_md.reading import model_of_key, read_note
from triptych.formats.copilot_md.writing import write_note
from triptych.model import references as r
from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, UserMessage, message_text
from triptych.model.parts import ReferencePart, TextPart

pytestmark = pytest.mark.skipif(not HERE, reason="../shared/vectors is not there")

VECTORS = files("copilot/persistence") if HERE else []
SAVED = [path for path in VECTORS if "direction" not in load(path)]
LOADED = [path for path in VECTORS if load(path).get("direction") == "load_only"]


def named(path):
    return path.stem


def contexts(vector, index):
    """The notes of a message: the recording holds null for them, so they are told by the text that it saved."""
    reference = read_note(vector["markdown"].encode(), zone=UTC, notes=vault(vector)).messages
    return [part for part in reference[index].parts if isinstance(part, ReferencePart)]


def vault(vector):
    return (vector.get("input") or {}).get("vault") or vector.get("vault") or {}


def typed(vector):
    messages = []
    shown = [item for item in vector["messages"] if item["isVisible"]]
    stamps = iter(vector["reloaded"])
    for index, item in enumerate(shown):
        time = item["timestamp"] or next(stamps)["timestamp"] or {"epoch": 0}
        parts = [TextPart(text=item["message"])] if item["message"] else []
        kind = UserMessage if item["sender"] == "user" else AssistantMessage
        if item.get("context"):
            parts += contexts(vector, index)
        parent = messages[-1].id if messages else None
        messages.append(kind(id=f"m{index}", parent_id=parent, created_at=time["epoch"], parts=tuple(parts)))
    return messages


def epoch_of(vector):
    return read_note(vector["markdown"].encode(), zone=UTC).conversation.created_at


def conversation_of(vector, messages):
    key = vector["input"]["settings"]["model_key"]
    return Conversation(id="c", model=model_of_key(key), head_id=messages[-1].id, created_at=epoch_of(vector))


def written(vector):
    messages = typed(vector)
    if messages and not vector["messages"][0]["timestamp"]:
        messages = [
            type(m)(id=m.id, parent_id=m.parent_id, parts=m.parts, created_at=epoch_of(vector))
            for m in messages
        ]
    return write_note(native_conversation(conversation_of(vector, messages), messages), zone=UTC)


def test_the_vectors_are_there():
    print(f"{len(SAVED)} saved, {len(LOADED)} loaded")
    assert SAVED
    assert LOADED


@pytest.mark.parametrize("path", SAVED, ids=named)
def test_a_chat_is_written_in_the_bytes_of_the_original(path):
    vector = load(path)
    if vector.get("markdown") is None:
        with pytest.raises(Exception, match="nothing to write"):
            write_note(native_conversation(Conversation(id="c"), []))
        return
    made = written(vector)
    if vector["input"]["settings"]["topic_reply"] and vector["name"] not in {
        "topic_generation_fails",
        "topic_empty",
    }:
        made_body = made.data.decode().partition("\n---\n")[2]
        assert made_body == vector["markdown"].partition("\n---\n")[2]
        return
    if vector.get("findings") and made.data.decode() != vector["markdown"]:
        assert {loss.field for loss in made.losses} & {"text", "reference"}
        return
    assert made.data.decode() == vector["markdown"]


@pytest.mark.parametrize("path", SAVED, ids=named)
def test_a_file_gets_the_name_that_the_original_gave_it(path):
    vector = load(path)
    settings = vector["input"]["settings"]
    if not vector.get("path") or vector["path"].startswith("copilot/copilot-conversations-old/"):
        return
    said = [item["message"] for item in vector["messages"] if item["sender"] == "user" and item["isVisible"]]
    topic = topic_of(said[0] if said else "")
    reply = settings["topic_reply"]
    if reply and reply != "THROW":
        topic = topic_from_reply(reply) or topic
    time = epoch_of(vector)
    name = file_name(topic, time, UTC, settings["filename_template"])
    expected = fallback_name(time) if settings["name_too_long"] else name
    if vector.get("findings") and vector["path"].rpartition("/")[2] != expected:
        return
    assert vector["path"] == f"{settings['root']}/copilot-conversations/{expected}"


def plain(reference):
    match reference:
        case r.WebTabReference(url=url):
            return ("webTabs", url)
        case r.UrlReference(url=url):
            return ("urls", url)
        case r.TagReference(tag=tag):
            return ("tags", tag)
        case r.FolderReference(path=path):
            return ("folders", path)
        case _:
            return ("notes", reference.path)


def flat(context):
    lists = context or {}
    return sorted(
        (key, item["url"] if isinstance(item, dict) else item)
        for key, items in lists.items()
        for item in items
    )


def compared(imported, expected):
    unresolved = {one.where for one in imported.diagnostics if one.code == "W_UNRESOLVED_REFERENCE"}
    assert [message_text(m, "") for m in imported.messages] == [item["message"] for item in expected]
    assert [isinstance(m, UserMessage) for m in imported.messages] == [
        i["sender"] == "user" for i in expected
    ]
    for message, item in zip(imported.messages, expected, strict=True):
        stamp = item["timestamp"]["epoch"] if item["timestamp"] else 0
        assert message.created_at // 1000 == stamp // 1000
        found = [plain(p.reference) for p in message.parts if isinstance(p, ReferencePart)]
        assert sorted(one for one in found if one[1] not in unresolved) == flat(item["context"])


@pytest.mark.parametrize("path", [p for p in SAVED if not load(p).get("findings")] if HERE else [], ids=named)
def test_a_saved_chat_is_read_as_the_original_reads_it(path):
    vector = load(path)
    if vector.get("markdown") is not None:
        compared(read_note(vector["markdown"].encode(), zone=UTC, notes=vault(vector)), vector["reloaded"])


@pytest.mark.parametrize(
    "path", [p for p in LOADED if not load(p).get("findings")] if HERE else [], ids=named
)
def test_a_file_is_read_as_the_original_reads_it(path):
    vector = load(path)
    compared(read_note(vector["markdown"].encode(), zone=UTC, notes=vault(vector)), vector["messages"])


@pytest.mark.parametrize("path", VECTORS, ids=named)
def test_an_untouched_file_goes_back_in_the_same_bytes(path):
    text = load(path).get("markdown")
    if text is not None:
        assert write_note(read_note(text.encode(), zone=UTC), zone=UTC).data.decode() == text
