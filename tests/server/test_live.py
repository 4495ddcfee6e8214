from __future__ import annotations

import json
import threading
import time

import httpx2
import msgspec
import pytest
from tests.server.fake_chat import FakeChat, conversation_of
from tests.server.running import GRACE, running

from triptych.flow.patches import Patch, apply_patches
from triptych.server.app import create_app


def events(response):
    """The events of a stream, one after the other."""
    name, number = "", ""
    for line in response.iter_lines():
        if line.startswith("id: "):
            number = line[4:]
        elif line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield number, name, json.loads(line[6:])


@pytest.fixture
def address():
    with running(create_app(FakeChat(lambda text: [*f"You said: {text}"], pause=0.002))) as found:
        yield found


def start(address):
    return httpx2.post(f"{address}/api/conversations", json={}).json()["id"]


def follow(address, name, last=None):
    headers = {"last-event-id": last} if last else {}
    return httpx2.stream("GET", f"{address}/api/conversations/{name}/events", headers=headers, timeout=10)


def apply(rows, patches):
    """What the page does with patches."""
    rows[:] = apply_patches(rows, [msgspec.convert(patch, Patch) for patch in patches])


def until_settled(stream, rows=()):
    """The events up to the one after which the reply is complete, and the rows then."""
    seen, drawn = [], list(rows)
    for event in stream:
        seen.append(event)
        apply(drawn, event[2]["patches"])
        if len(drawn) == 2 and drawn[1].get("status", {"state": "complete"})["state"] == "complete":
            return seen, drawn[1]["parts"][0]["text"]
    raise AssertionError(seen)


def test_a_reply_is_seen_as_it_is_written(address):
    name = start(address)
    with follow(address, name) as response:
        stream = events(response)
        _, kind, view = next(stream)
        assert (kind, view["rows"]) == ("snapshot", [])
        httpx2.post(f"{address}/api/conversations/{name}/messages", json={"text": "tide"})
        seen, text = until_settled(stream)
    assert [kind for _, kind, _ in seen] == ["patch"] * len(seen)
    assert len(seen) > 5
    assert text == "You said: tide"


def test_a_reader_that_comes_back_is_told_what_it_missed(address):
    name = start(address)
    with follow(address, name) as response:
        stream = events(response)
        next(stream)
        httpx2.post(f"{address}/api/conversations/{name}/messages", json={"text": "tide"})
        last, _, first = next(stream)
    time.sleep(0.2)
    rows = []
    apply(rows, first["patches"])
    with follow(address, name, last) as response:
        seen, text = until_settled(events(response), rows)
    assert seen[0][1] == "patch"
    assert text == "You said: tide"


def test_a_place_of_another_life_gets_a_snapshot(address):
    name = start(address)
    with follow(address, name, "0a0b0c0d.7") as response:
        assert next(events(response))[1] == "snapshot"


def test_two_readers_see_the_same(address):
    name = start(address)
    with follow(address, name) as one, follow(address, name) as other:
        streams = [events(one), events(other)]
        for stream in streams:
            next(stream)
        httpx2.post(f"{address}/api/conversations/{name}/messages", json={"text": "tide"})
        first, second = (until_settled(stream) for stream in streams)
    assert first == second


def test_a_deleted_conversation_ends_its_streams_and_is_404_afterwards(address):
    name = start(address)
    with follow(address, name) as response:
        stream = events(response)
        next(stream)
        httpx2.delete(f"{address}/api/conversations/{name}")
        assert list(stream) == []
    assert httpx2.get(f"{address}/api/conversations/{name}/events").status_code == 404


def test_a_server_with_open_streams_stops_at_once_and_cleanly():
    ended, connected = [], threading.Barrier(6)
    with running(create_app(FakeChat(lambda _: []))) as address:
        name = start(address)

        def read():
            with follow(address, name) as response:
                stream = events(response)
                next(stream)
                connected.wait(20)
                ended.append(list(stream))

        readers = [threading.Thread(target=read) for _ in range(5)]
        for reader in readers:
            reader.start()
        connected.wait(20)
        before = time.monotonic()
    assert time.monotonic() - before < GRACE / 2
    for reader in readers:
        reader.join(5)
    assert ended == [[]] * 5


def test_ten_thousand_messages_come_in_one_snapshot():
    chat = FakeChat(lambda _: [])
    chat.add(conversation_of(10_000))
    with running(create_app(chat)) as address, follow(address, "long") as response:
        _, _, view = next(events(response))
    assert len(view["rows"]) == 10_000


def test_what_is_in_no_row_is_said_when_it_changes_and_only_then(address):
    name = start(address)
    base = f"{address}/api/conversations/{name}"
    with follow(address, name) as response:
        stream = events(response)
        assert next(stream)[2]["elsewhere"] == {}
        httpx2.post(f"{base}/messages", json={"text": "one"})
        seen, _ = until_settled(stream)
        assert not any("elsewhere" in event[2] for event in seen)
        httpx2.post(f"{base}/messages/{httpx2.get(base).json()['rows'][0]['id']}/edit", json={"text": "two"})
        told = next(event[2]["elsewhere"] for event in stream if "elsewhere" in event[2])
    assert {place["reason"] for place in told.values()} == {"inactive_branch"}
    assert len(told) == 2
