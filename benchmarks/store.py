"""What a durable append costs: our store against one bare sqlite3 transaction with the same settings.

``python benchmarks/store.py [--json]``. The peer writes one row of the same size in one transaction with
WAL and ``synchronous=FULL``, on the same disk, turn by turn with ours, so that both meet the same noise.
An append of ours is a change set of a message and the moved head: the message row, the conversation row and
the feed row, numbered, in one transaction, seen from the event loop.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

import msgspec

from triptych.model.codec import encode_message
from triptych.model.conversations import Conversation
from triptych.model.ids import ConversationId, MessageId
from triptych.model.messages import AssistantMessage, UserMessage
from triptych.model.parts import TextPart
from triptych.model.status import STREAMING
from triptych.repository import Repository
from triptych.stores.sql import Store

APPENDS = 1500
TEXT = "A message of a usual length, about as long as a person writes. " * 10


def bare(path):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE messages(id TEXT PRIMARY KEY, parent TEXT, role TEXT, record TEXT)")
    return database


def bare_append(database, message, parent):
    database.execute("BEGIN IMMEDIATE")
    database.execute(
        "INSERT INTO messages VALUES (?, ?, 'user', ?)",
        (message.id, parent, encode_message(message).decode()),
    )
    database.execute("COMMIT")


def quantiles(times):
    ordered = sorted(times)
    return {"p50": statistics.median(ordered) * 1e3, "p95": ordered[int(len(ordered) * 0.95)] * 1e3}


async def appends(folder):
    database = bare(folder / "bare.db")
    mine, theirs = [], []
    repository = Repository(Conversation(id=ConversationId("c")))
    async with await Store.open(folder / "store.db") as store:
        await store.create(repository.conversation)
        for place in range(APPENDS):
            message = UserMessage(
                id=MessageId(f"m{place}"), parent_id=repository.head_id, parts=(TextPart(text=TEXT),)
            )
            changes = repository.append(message)
            start = time.perf_counter()
            await store.commit(repository.conversation.id, changes)
            mine.append(time.perf_counter() - start)
            start = time.perf_counter()
            bare_append(database, message, message.parent_id)
            theirs.append(time.perf_counter() - start)
        load = await timed(store.load(repository.conversation.id), 5)
    database.close()
    return quantiles(mine[100:]), quantiles(theirs[100:]), load


async def checkpoints(folder):
    """A reply of 20 kB that is being written, stored again and again."""
    times = []
    repository = Repository(Conversation(id=ConversationId("c")))
    async with await Store.open(folder / "checkpoint.db") as store:
        await store.create(repository.conversation)
        reply = AssistantMessage(id=MessageId("a"), status=STREAMING)
        await store.commit(ConversationId("c"), repository.append(reply))
        for place in range(300):
            reply = msgspec.structs.replace(reply, parts=(TextPart(text=TEXT * (1 + place // 10)),))
            changes = repository.update(reply) or repository.update(
                msgspec.structs.replace(reply, updated_at=place)
            )
            start = time.perf_counter()
            await store.commit(ConversationId("c"), changes)
            times.append(time.perf_counter() - start)
    return quantiles(times)


async def bulk(folder):
    """An import: 10,000 messages in one change set."""
    repository = Repository(Conversation(id=ConversationId("c")))
    messages = [
        UserMessage(
            id=MessageId(f"m{place}"),
            parent_id=MessageId(f"m{place - 1}") if place else None,
            parts=(TextPart(text=TEXT),),
        )
        for place in range(10_000)
    ]
    changes = repository.append_many(messages)
    async with await Store.open(folder / "bulk.db") as store:
        await store.create(repository.conversation)
        written = await timed(store.commit(ConversationId("c"), changes), 1)
        read = await timed(store.load(ConversationId("c")), 1)
    return written, read


async def timed(work, _many):
    start = time.perf_counter()
    await work
    return (time.perf_counter() - start) * 1e3


async def measure():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mine, theirs, load = await appends(folder)
        checkpoint = await checkpoints(folder)
        written, read = await bulk(folder)
    return {
        "append": mine,
        "bare": theirs,
        "ratio": mine["p50"] / theirs["p50"],
        "checkpoint": checkpoint,
        "load1500": load,
        "commit10000": written,
        "load10000": read,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = asyncio.run(measure())
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{'milliseconds':<42}{'p50':>8}{'p95':>8}")
    for name, key in (
        ("durable append, triptych (message and head)", "append"),
        ("one bare sqlite3 transaction, same settings", "bare"),
        ("checkpoint of a reply of up to 20 kB", "checkpoint"),
    ):
        print(f"{name:<44}{found[key]['p50']:>6.3f}{found[key]['p95']:>8.3f}")
    print(f"append / bare sqlite3: {found['ratio']:.2f}x (to hold: <= 3x, and p50 <= 1 ms)")
    print(f"load of {APPENDS} messages: {found['load1500']:.0f} ms")
    print(
        f"10,000 messages in one change set: write {found['commit10000']:.0f} ms, load {found['load10000']:.0f} ms"
    )


if __name__ == "__main__":
    main()
