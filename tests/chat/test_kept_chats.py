"""Chats kept as Markdown beside the store: the whole way through the composition root."""

import asyncio

import pytest

from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_chat
from triptych.model.messages import message_text

pytestmark = pytest.mark.anyio


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "note.md").write_text("A note.", "utf-8")
    return Settings(
        data=tmp_path / "data",
        vault=tmp_path / "vault",
        model="scripted:echo",
        chats=tmp_path / "vault" / "chats",
    )


def files(settings):
    return sorted(path for path in settings.chats.rglob("*.md"))


async def said(chat, conversation_id, text):
    await chat.send(conversation_id, text)
    await chat.finished(conversation_id)
    await asyncio.sleep(0)
    await chat.autosave.flush()


async def test_a_conversation_is_one_file_that_follows_it(settings):
    async with open_chat(settings) as chat:
        conversation = await chat.create()
        await said(chat, conversation.id, "hello there")
        await said(chat, conversation.id, "and again")
        (file,) = files(settings)
        assert "hello there" in file.read_text("utf-8")
        assert "and again" in file.read_text("utf-8")
        await chat.rename(conversation.id, "Another title")
        (renamed,) = files(settings)
        assert "Another title" in renamed.name
        await chat.delete(conversation.id)
        assert files(settings) == [] or all("trash" in str(path) for path in files(settings))


async def test_opening_is_no_change_and_makes_no_second_file(settings):
    async with open_chat(settings) as chat:
        conversation = await chat.create()
        await said(chat, conversation.id, "hello")
    (file,) = files(settings)
    before = file.read_bytes(), file.stat().st_mtime_ns
    async with open_chat(settings) as chat:
        await chat.open(conversation.id)
        await chat.autosave.flush()
    assert files(settings) == [file]
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


async def test_a_hand_edit_comes_back_as_a_branch(settings):
    async with open_chat(settings) as chat:
        conversation = await chat.create()
        await said(chat, conversation.id, "hello")
        (file,) = files(settings)
        file.write_text(file.read_text("utf-8").replace("hello", "good morning"), "utf-8")
        await chat.autosave.save(conversation.id)
        texts = {message_text(message) for message in (await chat.open(conversation.id)).messages}
        assert {"hello", "good morning"} <= texts


async def test_kept_chats_are_no_notes(settings):
    async with open_chat(settings) as chat:
        conversation = await chat.create()
        await said(chat, conversation.id, "a very rare word: zweibelfisch")
        assert [note.path for note in await chat.vault.notes()] == ["note.md"]
        await chat.search.index()
        assert await chat.search.query("zweibelfisch") == []
