"""Importing into a store: what is new is added, what is there stays, and nothing happens twice."""

import json

import msgspec
import pytest
from tests.formats.samples import SAMPLES, chatgpt_conversation, chatgpt_node, said
from typer.testing import CliRunner

from triptych.cli.main import build_app
from triptych.formats.plan import plan_import
from triptych.formats.read import read
from triptych.formats.saving import save_imported
from triptych.model.ids import ConversationId, ProjectId
from triptych.model.messages import UserMessage, message_text
from triptych.model.parts import TextPart
from triptych.ports.conversations import StoredConversation
from triptych.stores.memory import MemoryStore


def imported(conversation):
    return read(json.dumps([conversation]).encode())[0][0]


def longer():
    conversation = chatgpt_conversation()
    mapping = conversation["mapping"]
    mapping["a2"]["children"].append("u2")
    mapping["u2"] = chatgpt_node("u2", "a2", [], "user", said("And the nut?"))
    conversation["current_node"] = "u2"
    return conversation


def stored(item):
    return StoredConversation(conversation=item.conversation, messages=item.messages)


@pytest.mark.parametrize("name", SAMPLES)
def test_importing_the_same_file_twice_adds_nothing(name):
    item = read(SAMPLES[name], name=name)[0][0]
    first = plan_import(item, None)
    assert first.action == "create"
    assert {message.id for message in first.added} == {message.id for message in item.messages}
    second = plan_import(item, stored(item))
    assert (second.action, second.added, second.grown, second.document) == ("nothing", (), (), b"")


def test_parents_are_added_before_their_children():
    plan = plan_import(imported(chatgpt_conversation()), None)
    seen = set()
    for message in plan.added:
        assert message.parent_id is None or message.parent_id in seen
        seen.add(message.id)


def test_a_newer_export_adds_only_what_is_new_and_the_head_moves_on():
    plan = plan_import(imported(longer()), stored(imported(chatgpt_conversation())))
    assert plan.action == "extend"
    assert [message.id for message in plan.added] == ["u2"]
    assert plan.conversation.head_id == "u2"


def test_a_head_that_a_person_moved_to_another_branch_stays():
    item = imported(chatgpt_conversation())
    moved = msgspec.structs.replace(item.conversation, head_id="b1", title="My bolts")
    plan = plan_import(imported(longer()), StoredConversation(conversation=moved, messages=item.messages))
    assert plan.conversation.head_id == "b1"
    assert plan.conversation.title == "My bolts"


def test_a_reply_that_was_still_being_written_is_completed():
    item = imported(chatgpt_conversation())
    messages = tuple(
        msgspec.structs.replace(message, parts=message.parts[:0]) if message.id == "a2" else message
        for message in item.messages
    )
    plan = plan_import(item, StoredConversation(conversation=item.conversation, messages=messages))
    assert [message.id for message in plan.grown] == ["a2"]


def test_a_message_that_differs_stays_as_it_is_stored_and_is_reported():
    item = imported(chatgpt_conversation())
    edited = tuple(
        UserMessage(id=message.id, parts=(TextPart(text="Which nut?"),)) if message.id == "u1" else message
        for message in item.messages
    )
    plan = plan_import(item, StoredConversation(conversation=item.conversation, messages=edited))
    assert plan.action == "nothing"
    assert [(one.code, one.where) for one in plan.diagnostics] == [("differs_from_stored", "u1")]


async def save_twice(store):
    first = await save_imported(store, imported(chatgpt_conversation()), project_id=ProjectId("default"))
    again = await save_imported(store, imported(chatgpt_conversation()))
    more = await save_imported(store, imported(longer()))
    return first, again, more, await store.load(ConversationId("c-1"))


def test_the_store_holds_the_tree_the_head_and_the_source():
    import anyio

    store = MemoryStore()
    first, again, more, held = anyio.run(save_twice, store)
    assert [plan.action for plan in (first, again, more)] == ["create", "nothing", "extend"]
    assert {message.id for message in held.messages} == {"u1", "a1", "t1", "a2", "b1", "u2"}
    assert held.conversation.head_id == "u2"
    digest = held.conversation.metadata["source"]["document"]
    bodies = anyio.run(store.get_blobs, [digest])
    assert json.loads(bodies[digest]) == longer()


def run(*arguments, code=0):
    result = CliRunner().invoke(build_app(), ["import", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.stdout


def test_a_dry_run_prints_one_line_a_path_and_touches_no_database(tmp_path):
    chat, noise, data = tmp_path / "chat.json", tmp_path / "noise.bin", tmp_path / "data"
    chat.write_bytes(SAMPLES["chatgpt"])
    noise.write_bytes(b"\x00\xff")
    gone = tmp_path / "gone.json"
    lines = run(chat, noise, gone, "--dry-run", "--json", "--data", data, code=1).splitlines()
    first, second, third = map(json.loads, lines)
    assert {**third, "file": ""} == {**second, "file": "", "warnings": []}
    assert (first["file"], first["format"], first["messages"]) == (str(chat), "chatgpt", 5)
    assert (second["format"], second["conversations"], second["messages"]) == (None, 0, 0)
    assert not data.exists()


def test_importing_from_the_terminal_stores_once(tmp_path):
    chat, data = tmp_path / "chat.json", tmp_path / "data"
    chat.write_bytes(SAMPLES["chatgpt"])
    assert "1 new; 5 new messages" in run(chat, "--data", data)
    assert "1 with nothing new; 0 new messages" in run(chat, "--data", data)
    shown = CliRunner().invoke(build_app(), ["list", "--data", str(data)])
    assert "Bolts" in shown.stdout


def test_the_text_of_a_stored_import_is_what_was_said():
    store = MemoryStore()
    import anyio

    anyio.run(save_twice, store)
    held = anyio.run(store.load, ConversationId("c-1"))
    words = {message.id: message_text(message) for message in held.messages}
    assert words["u2"] == "And the nut?"
