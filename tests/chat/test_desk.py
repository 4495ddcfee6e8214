import asyncio
import gc

import pytest

from triptych.chat.desk import Desk
from triptych.model.conversations import Conversation
from triptych.testing.clock import StepClock

pytestmark = pytest.mark.anyio


async def desk_of(store, count, *, kept):
    for number in range(count):
        await store.create(Conversation(id=f"c{number}"))
    return Desk(store, StepClock(), kept=kept)


async def test_what_somebody_holds_stays_the_one_live_copy_however_many_are_opened(store):
    desk = await desk_of(store, 6, kept=2)
    held = await desk.open("c0")
    for number in range(1, 6):
        await desk.open(f"c{number}")
    assert await desk.open("c0") is held
    assert desk.known("c0") is held


async def test_one_that_nobody_holds_is_let_go_and_read_again(store):
    desk = await desk_of(store, 3, kept=1)
    await desk.open("c0")
    await desk.open("c1")
    gc.collect()
    assert desk.known("c0") is None
    assert len(desk) == 1


async def test_one_that_is_forgotten_is_read_again_even_when_it_is_held(store):
    desk = await desk_of(store, 2, kept=1)
    held = await desk.open("c0")
    await desk.open("c1")
    desk.forget("c0")
    assert await desk.open("c0") is not held


async def test_a_watcher_is_told_though_very_many_conversations_are_watched(chat):
    async def first_change(conversation_id):
        async for change_set in chat.watch(conversation_id):
            return change_set
        return None

    watching = []
    for _ in range(40):
        conversation = await chat.create()
        watching.append(asyncio.ensure_future(first_change(conversation.id)))
        await asyncio.sleep(0)
    await chat.rename(conversation.id, "The last one")
    assert (await asyncio.wait_for(watching[-1], 10)).changes
    for one in watching:
        one.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
