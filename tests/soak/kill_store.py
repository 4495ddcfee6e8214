"""Kill a writing process at a random moment, again and again: no acknowledged commit may be missing.

A warm parent forks a child that streams replies into the store and says on a pipe which commit was acknowledged.
The parent kills it with signal 9, opens the database, settles what was interrupted, and compares it with what the
same script makes in memory. Run: ``python tests/soak/kill_store.py --rounds 500``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import select
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from pathlib import Path

import msgspec

from triptych.model.conversations import DEFAULT_USER, Conversation
from triptych.model.ids import ConversationId, MessageId
from triptych.model.messages import AssistantMessage, UserMessage
from triptych.model.parts import TextPart
from triptych.model.status import COMPLETE, STREAMING, Incomplete, Streaming
from triptych.repository import Repository
from triptych.stores.sql import Store, schema  # noqa: F401 # the parent is warm: all is imported before the fork

INTERRUPTED = Incomplete(reason="interrupted")
STEPS = 12


def script(conversation, seed):
    """Change sets without end: a question, a reply that grows, the end of the reply; with the state after each."""
    words = random.Random(seed)
    repository = Repository(conversation)
    turn = 0
    while True:
        head = repository.head_id
        yield (
            repository.append(UserMessage(id=MessageId(f"u{turn}"), parent_id=head, parts=said(words, 30))),
            repository,
        )
        reply = AssistantMessage(id=MessageId(f"a{turn}"), parent_id=repository.head_id, status=STREAMING)
        yield repository.append(reply), repository
        for _ in range(STEPS):
            text = "".join(part.text for part in reply.parts) + said(words, 40)[0].text
            reply = msgspec.structs.replace(reply, parts=(TextPart(text=text),))
            yield repository.update(reply), repository
        yield repository.update(msgspec.structs.replace(reply, status=COMPLETE)), repository
        turn += 1


def said(words, many):
    return (TextPart(text=" ".join(f"{words.random():.6f}" for _ in range(many))),)


async def write(path, conversation, seed, acknowledge):
    """The child: commit and acknowledge until killed."""
    async with await Store.open(path) as store:
        await store.create(conversation)
        os.write(acknowledge, b"0\n")
        for changes, _ in script(conversation, seed):
            number = await store.commit(conversation.id, changes)
            os.write(acknowledge, b"%d\n" % number)


def child(path, conversation, seed, acknowledge):
    try:
        asyncio.run(write(path, conversation, seed, acknowledge))
    except BaseException:  # noqa: BLE001 # told on stderr, then the exit code says it
        traceback.print_exc()
    os._exit(3)


def killed_writer(path, conversation, seed, moment):
    """Fork a writer and kill it; the last number that it acknowledged.

    ``moment`` counts seconds from its first word, or, when negative, from the fork: then it may die while it opens.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        child(path, conversation, seed, writing)
    os.close(writing)
    said, until = b"", time.monotonic() + (30 if moment >= 0 else -moment)
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([reading], [], [], left)
        piece = os.read(reading, 65536) if ready else b""
        if ready and not piece:
            break
        until = until if said or moment < 0 else time.monotonic() + moment
        said += piece
    os.kill(process, signal.SIGKILL)
    while piece := os.read(reading, 65536):
        said += piece
    os.close(reading)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status), f"the writer ended by itself: {status}"
    lines = said.split(b"\n")[:-1]
    return int(lines[-1]) if lines else None


async def check(path, conversation, seed, acknowledged):
    """What is there is what the script says after the last acknowledged commit, or one more."""
    async with await Store.open(path) as store:
        settled = await store.settle_interrupted(1)
        stored = await store.load(conversation.id)
        newest = await store.newest(conversation.id)
        counts = await store.counts(DEFAULT_USER)
    if acknowledged is None and stored is None:
        return 0, sum(many for _, many in counts.values())
    committed = newest - len(settled)
    least = acknowledged or 0
    assert least <= committed <= least + 1, f"acknowledged {acknowledged}, found {committed}"
    wanted = []
    for _, (_, repository) in zip(range(committed), script(conversation, seed), strict=False):
        wanted = [settled_message(message) for message in repository.messages]
    assert list(stored.messages) == wanted, f"after {committed} commits the messages differ"
    assert stored.diagnostics == ()
    return len(wanted), sum(many for _, many in counts.values())


def settled_message(message):
    if isinstance(message, AssistantMessage) and isinstance(message.status, Streaming):
        return msgspec.structs.replace(message, status=INTERRUPTED, updated_at=1)
    return message


def sound(path):
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    database.close()


def soak(path, rounds, seed=0):
    """Kill that many writers of one database; the number of messages that survived."""
    moments = random.Random(seed)
    survived = 0
    for place in range(rounds):
        conversation = Conversation(id=ConversationId(f"round-{place}"))
        acknowledged = killed_writer(path, conversation, place, moments.uniform(-0.02, 0.1))
        there, everything = asyncio.run(check(path, conversation, place, acknowledged))
        survived += there
        assert everything == survived, "earlier conversations keep all their messages"
        sound(path)
    return survived


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        survived = soak(Path(folder) / "triptych.db", asked.rounds, asked.seed)
    print(f"{asked.rounds} kills, {survived} messages survived, {time.monotonic() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
