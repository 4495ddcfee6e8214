import asyncio
import json

import pytest
from typer.testing import CliRunner

from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_store
from triptych.cli.doctoring import examined, is_row_file, mended
from triptych.cli.main import build_app
from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, UserMessage
from triptych.model.parts import TextPart
from triptych.repository import Repository

ROWS = [
    {"id": "u1", "role": "user", "content": "one", "createdAt": 1},
    {"id": "a1", "role": "assistant", "content": "first", "createdAt": 2, "parentId": "u1"},
    {"id": "u2", "role": "user", "content": "two", "createdAt": 3, "parentId": "gone"},
    {"id": "a2", "role": "assistant", "content": "second", "createdAt": 4, "parentId": "u2"},
]


def said(kind, name, parent, at):
    return kind(id=name, parent_id=parent, created_at=at, parts=(TextPart(text=name),))


def split_talk():
    """A later question that hangs below nothing though a conversation came before it."""
    return Repository.load(
        Conversation(id="c", title="Split"),
        [
            said(UserMessage, "u1", None, 1),
            said(AssistantMessage, "a1", "u1", 2),
            said(UserMessage, "u2", "gone", 3),
            said(AssistantMessage, "a2", "u2", 4),
        ],
    )[0]


def command(*words):
    return CliRunner().invoke(build_app(), ["doctor", *map(str, words)])


def test_a_repair_is_a_move_that_keeps_the_old_parent():
    talk = split_talk()
    seen = examined(talk)
    assert [issue.kind for issue in seen.diagnosis.issues] == ["segment-split"]
    changes = mended(talk, seen.diagnosis)
    assert talk.get("u2").parent_id == "a1"
    assert changes[0].old_parent_id is None
    assert not examined(talk).diagnosis.patch


def test_a_file_of_rows_is_repaired_into_a_copy(tmp_path):
    file, out = tmp_path / "rows.json", tmp_path / "fixed.json"
    file.write_text(json.dumps({"messages": ROWS}))
    done = command(file, "--repair", "--out", out)
    assert done.exit_code == 0
    assert "segment-split" in done.output
    assert json.loads(out.read_text())["messages"][2]["parentId"] == "a1"
    assert json.loads(file.read_text())["messages"] == ROWS


def test_a_chat_of_another_program_is_judged_and_copied_in_its_own_format(tmp_path):
    file, out = tmp_path / "chat.json", tmp_path / "copy.json"
    talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    file.write_text(json.dumps(talk))
    done = command(file, "--repair", "--out", out)
    assert done.exit_code == 0
    assert json.loads(out.read_text()) == talk


def test_what_is_wrong_with_the_file_of_a_chat_is_told(tmp_path):
    file = tmp_path / "chat.json"
    file.write_text('[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hel')
    done = command(file)
    assert done.exit_code == 0
    assert "W_TRUNCATED_TAIL" in done.output
    codes = [note["code"] for note in json.loads(command(file, "--json").output)["diagnostics"]]
    assert "W_TRUNCATED_TAIL" in codes


def test_a_stored_conversation_is_repaired_where_it_is(tmp_path):
    settings = Settings(data=tmp_path)

    async def put():
        async with open_store(settings) as store:
            await store.create(Conversation(id="c", title="Split"))
            fresh = Repository(Conversation(id="c", title="Split"))
            changes = [change for message in split_talk().messages for change in fresh.append(message)]
            await store.commit("c", changes)

    async def parents():
        async with open_store(settings) as store:
            return {message.id: message.parent_id for message in (await store.load("c")).messages}

    asyncio.run(put())
    done = command("c", "--repair", "--data", tmp_path)
    assert "Made 1 changes." in done.output
    assert asyncio.run(parents())["u2"] == "a1"


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        ({"messages": ROWS}, True),
        (ROWS, True),
        ([{"role": "user", "content": "x"}], False),
        ({}, False),
        (3, False),
    ],
)
def test_rows_are_told_from_exports(value, rows):
    assert is_row_file(value) is rows
