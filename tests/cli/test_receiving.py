"""A file dropped on the page: read and stored through a chat that is in use."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import zipfile

import pytest

from triptych.bootstrap.clock import SystemClock
from triptych.chat.session import Chat
from triptych.cli.receiving import page_importer
from triptych.context.tokens.counter import TokenCounter, best_counter
from triptych.model.conversations import Project
from triptych.model.ids import ConversationId, ProjectId
from triptych.stores.memory import MemoryStore
from triptych.testing.scripted import ScriptedProvider


@pytest.fixture
def provider():
    return ScriptedProvider(default="word " * 400, delay=0.005)


@pytest.fixture
def chat(provider):
    return Chat(
        store=MemoryStore(),
        clock=SystemClock(),
        open_provider=lambda _: (provider, "scripted"),
        model="scripted:scripted",
        counter=TokenCounter(best_counter()),
    )


def node(name, parent, role, text, *, at, children=()):
    message = {
        "id": name,
        "author": {"role": role},
        "create_time": at,
        "content": {"content_type": "text", "parts": [text]},
    }
    return {"id": name, "parent": parent, "children": list(children), "message": message}


def walk(*more):
    """An export of ChatGPT with one conversation: a question with two answers, and what came later."""
    nodes = [
        {"id": "root", "parent": None, "children": ["q"], "message": None},
        node("q", "root", "user", "Which way is north?", at=1.0, children=["a", "b"]),
        node("a", "q", "assistant", "Up the path.", at=2.0),
        node("b", "q", "assistant", "Ask the gulls.", at=3.0, children=[one["id"] for one in more[:1]]),
        *more,
    ]
    last = more[-1]["id"] if more else "b"
    conversation = {
        "title": "A walk",
        "create_time": 1.0,
        "update_time": 9.0,
        "conversation_id": "walk",
        "current_node": last,
        "mapping": {one["id"]: one for one in nodes},
    }
    return json.dumps([conversation])


LATER = node("c", "b", "user", "And east?", at=4.0)


def test_an_export_is_summed_up_and_a_second_time_adds_nothing(chat, tmp_path):
    export = tmp_path / "conversations.json"
    export.write_text(walk())

    async def work():
        receive = page_importer(chat)
        first, second = await receive(export, "default"), await receive(export, "default")
        return first, second, await chat.conversations()

    first, second, listed = asyncio.run(work())
    assert (first.format, first.conversations, first.messages, first.branches) == ("chatgpt", 1, 3, 1)
    assert first.title == "ChatGPT export"
    assert (first.created, first.extended, first.added) == (1, 0, 3)
    assert (second.created, second.extended, second.added) == (0, 0, 0)
    assert [(one.id, one.title) for one in listed] == [(first.conversation_id, "A walk")]


def test_a_newer_export_of_an_open_conversation_is_seen_at_once(chat, tmp_path):
    export = tmp_path / "conversations.json"

    async def work():
        receive = page_importer(chat)
        export.write_text(walk())
        await receive(export, "default")
        name = (await chat.conversations())[0].id
        watching = asyncio.create_task(ended(chat, name))
        before = len((await chat.open(name)).messages)
        await asyncio.sleep(0)
        export.write_text(walk(LATER))
        told = await receive(export, "default")
        await asyncio.wait_for(watching, 30)
        return before, told, len((await chat.open(name)).messages)

    before, told, after = asyncio.run(work())
    assert (before, told.extended, told.added, after) == (3, 1, 1, 4)


async def ended(chat, name):
    async for _ in chat.watch(name):
        pass


def test_a_conversation_in_which_a_reply_is_being_written_is_left_out_with_the_reason(chat, tmp_path):
    export = tmp_path / "conversations.json"

    async def work():
        receive = page_importer(chat)
        export.write_text(walk())
        await receive(export, "default")
        name = (await chat.conversations())[0].id
        await chat.send(name, "Go on")
        export.write_text(walk(LATER))
        told = await receive(export, "default")
        running = await chat.running(name)
        await chat.close()
        return told, running

    told, running = asyncio.run(work())
    assert running
    assert told.added == 0
    assert told.skipped == (
        ("A walk", "A reply is being written in this conversation; import it again afterwards."),
    )


def test_new_conversations_go_to_the_project_that_is_shown(chat, tmp_path):
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("conversations.json", walk())

    async def work():
        await chat.put_project(Project(id=ProjectId("garden"), name="Garden"))
        told = await page_importer(chat)(tmp_path / "export.zip", "garden")
        return told, await chat.conversations(ProjectId("garden")), await chat.conversations()

    told, garden, others = asyncio.run(work())
    assert (told.created, len(garden), others) == (1, 1, [])


@pytest.mark.parametrize("data", [b"", b"\x00\xff\xfe", b"{", b'{"a": 1}', b"PK\x03\x04 broken"])
def test_what_is_no_chat_is_said_and_stores_nothing(chat, tmp_path, data):
    (tmp_path / "thing.bin").write_bytes(data)

    async def work():
        return await page_importer(chat)(tmp_path / "thing.bin", "default"), await chat.conversations()

    told, listed = asyncio.run(work())
    assert (told.format, told.added, listed) == (None, 0, [])
    assert told.skipped or told.warnings


def test_a_database_is_read_in_one_thread(chat, tmp_path):
    database = sqlite3.connect(tmp_path / "logs.db")
    with database:
        database.execute("create table conversations (id text primary key, name text, model text)")
        database.execute(
            "create table responses (id text primary key, model text, prompt text, system text, response text, "
            "conversation_id text, datetime_utc text)"
        )
        database.execute("insert into conversations values ('c', 'Tides', 'm')")
        for number in range(3):
            values = (f"r{number}", f"asked {number}", f"told {number}", f"2026-01-0{number + 1}T10:00:00")
            database.execute("insert into responses values (?, 'm', ?, null, ?, 'c', ?)", values)
    database.close()
    told = asyncio.run(page_importer(chat)(tmp_path / "logs.db", "default"))
    assert (told.format, told.conversations, told.added) == ("llm_logs", 1, 6)


def test_a_conversation_that_is_not_there_yet_is_brought_in_without_being_read(chat):
    async def bring(store, user_id):
        return False

    asyncio.run(chat.bring_in(ConversationId("nowhere"), bring))
