"""Looking into a turn over HTTP: the real use cases, a scripted model, a folder of notes with its index."""

from __future__ import annotations

import asyncio
import json
import time

import httpx2
import pytest
from starlette.testclient import TestClient
from tests.server.running import running

from triptych.bootstrap.clock import SystemClock
from triptych.chat.session import Chat
from triptych.context.tokens.counter import TokenCounter, best_counter
from triptych.server.app import create_app
from triptych.stores.memory import MemoryStore
from triptych.testing.scripted import ScriptedProvider
from triptych.vault import FolderVault
from triptych.vault.search import VaultSearch

NOTES = {
    "Heron.md": "---\ntags: [boat]\n---\n# Heron\n\nThe launch is on 12 May.\n",
    "Harbour.md": "# Harbour\n\nThe harbour gate closes at nine.\n",
}


@pytest.fixture
def app(tmp_path):
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text)
    vault = FolderVault(tmp_path)
    search = VaultSearch(vault, tmp_path.parent / f"{tmp_path.name}.index")
    asyncio.run(search.index())
    provider = ScriptedProvider(default="The launch is on 12 May.")
    chat = Chat(
        store=MemoryStore(),
        clock=SystemClock(),
        open_provider=lambda _: (provider, "scripted"),
        model="scripted:scripted",
        vault=vault,
        search=search,
        counter=TokenCounter(best_counter()),
    )
    yield create_app(chat)
    asyncio.run(search.close())


@pytest.fixture
def client(app):
    with TestClient(app, base_url="http://127.0.0.1:8321") as opened:
        yield opened


@pytest.fixture
def conversation(client):
    return f"/api/conversations/{client.post('/api/conversations', json={}).json()['id']}"


def ask(client, conversation, text, *references):
    body = {"text": text, "references": list(references)}
    assert client.post(f"{conversation}/messages", json=body).status_code == 202
    for _ in range(500):
        view = client.get(conversation).json()
        if not view["running"]:
            return view["rows"]
        time.sleep(0.01)
    raise AssertionError(view)


def sources(view):
    return {
        segment["key"]: segment["form"] for layer in view["layers"] for segment in layer.get("segments", ())
    }


HERON = {"kind": "note", "path": "Heron.md"}
SEARCH = {"kind": "search", "query": "When is the launch?"}


def test_a_preview_shows_what_would_be_sent_and_stores_nothing(client, conversation):
    body = {"text": "When?", "references": [HERON]}
    view = client.post(f"{conversation}/preview", json=body).json()
    assert sources(view)["note:Heron.md"] == "full"
    assert view["seen"] == {
        "totalBytes": view["seen"]["totalBytes"],
        "reusedBytes": 0,
        "firstDifference": None,
    }
    assert view["tokens"] == view["cost"]["tokens"]
    assert client.get(conversation).json()["rows"] == []


def test_a_past_turn_is_seen_as_it_was_sent_by_its_reply_and_the_newest_without_one(client, conversation):
    first = ask(client, conversation, "When?", HERON)[-1]["id"]
    ask(client, conversation, "And where?", HERON)
    newest = client.get(f"{conversation}/inspection").json()
    past = client.get(f"{conversation}/inspection", params={"messageId": first}).json()
    assert sources(past)["note:Heron.md"] == "full"
    assert sources(newest)["note:Heron.md"] == "kept"
    assert newest["seen"]["firstDifference"] is None
    assert newest["seen"]["reusedBytes"] >= past["seen"]["totalBytes"]


def test_a_source_that_left_takes_only_the_words_that_say_so(client, conversation):
    ask(client, conversation, "When?", HERON)
    body = {"text": "And the gate?", "references": [{"kind": "note", "path": "Harbour.md"}]}
    view = client.post(f"{conversation}/preview", json=body).json()
    turn = next(layer for layer in view["layers"] if layer["name"] == "turn")
    sizes = {segment["form"]: segment["tokens"] for segment in turn["segments"]}
    assert set(sizes) == {"full", "dropped"}
    assert sum(sizes.values()) == turn["tokens"]


def test_what_cannot_be_looked_into_is_said(client, conversation):
    assert client.get(f"{conversation}/inspection").status_code == 409
    assert client.get(f"{conversation}/inspection", params={"messageId": "nobody"}).status_code == 404
    assert client.get("/api/conversations/nowhere/inspection").status_code == 404
    assert client.post("/api/conversations/nowhere/preview", json={"text": "?"}).status_code == 404


def test_a_question_to_all_notes_is_answered_with_sources_and_their_lines(client, conversation):
    assert client.get("/api/status").json()["searches"] is True
    reply = ask(client, conversation, "When is the launch?", SEARCH)[-1]
    cited = [part for part in reply["parts"] if part["type"] == "source"]
    quoted = {"path": "Heron.md", "quote": "The launch is on 12 May.", "startLine": 6, "endLine": 6}
    assert cited[0].items() >= quoted.items()
    assert all(one["startLine"] <= one["endLine"] for one in cited)
    assert "search" in {
        key.partition(":")[0] for key in sources(client.get(f"{conversation}/inspection").json())
    }


def test_a_question_that_nothing_answers_is_sent_all_the_same_and_said(client, conversation):
    assert ask(client, conversation, "zzz qqq", {"kind": "search", "query": "zzz qqq"})[-1]["content"]
    preview = client.post(
        f"{conversation}/preview", json={"text": "x", "references": [{"kind": "search", "query": "qqq"}]}
    ).json()
    assert [one["code"] for one in preview["diagnostics"]] == ["nothing_found"]


def test_a_reader_who_comes_after_the_question_is_told_what_there_was_to_say(app):
    with running(app) as address:
        name = httpx2.post(f"{address}/api/conversations", json={}).json()["id"]
        body = {"text": "zzz qqq", "references": [{"kind": "search", "query": "zzz qqq"}]}
        httpx2.post(f"{address}/api/conversations/{name}/messages", json=body)
        with httpx2.stream("GET", f"{address}/api/conversations/{name}/events") as response:
            line = next(line for line in response.iter_lines() if line.startswith("data: "))
    view = json.loads(line.removeprefix("data: "))
    assert [one["code"] for one in view["diagnostics"]] == ["nothing_found"]
