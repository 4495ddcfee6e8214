"""Bodies that nobody uses any more are forgotten, but never one that is about to be used."""

import asyncio

from sqlalchemy import update

from triptych.model.conversations import Conversation
from triptych.model.ids import ConversationId, MessageId
from triptych.model.messages import UserMessage
from triptych.model.parts import BlobMedia, ImagePart
from triptych.repository import MessageAdded
from triptych.stores.sql import Store, schema
from triptych.stores.sql.blobs import GRACE_SECONDS


async def use(store, name, digest):
    conversation_id = ConversationId(name)
    await store.create(Conversation(id=conversation_id))
    picture = ImagePart(media=BlobMedia(digest=digest))
    await store.commit(
        conversation_id, [MessageAdded(message=UserMessage(id=MessageId("m"), parts=(picture,)))]
    )
    return conversation_id


async def an_hour_later(store):
    columns = schema.blobs.c
    older = update(schema.blobs).values(put_at=columns.put_at - GRACE_SECONDS - 1)
    await store._drive.write(lambda connection: connection.execute(older) and None)


def in_store(work, tmp_path):
    async def run():
        async with await Store.open(tmp_path / "a.db") as store:
            await work(store)

    asyncio.run(run())


def test_a_body_goes_with_its_last_user_when_it_is_old(tmp_path):
    async def work(store):
        own, shared, loose = await store.put_blobs([b"own", b"shared", b"loose"])
        first = await use(store, "first", own)
        second, third = await use(store, "second", shared), await use(store, "third", shared)
        await an_hour_later(store)
        for key in (first, second):
            await store.delete(key)
        assert await store.get_blobs([own, shared, loose]) == {shared: b"shared", loose: b"loose"}
        await store.delete(third)
        assert await store.get_blobs([own, shared, loose]) == {loose: b"loose"}

    in_store(work, tmp_path)


def test_a_body_that_was_just_put_again_survives_the_deletion_of_its_only_user(tmp_path):
    async def work(store):
        digest = (await store.put_blobs([b"a note"]))[0]
        old = await use(store, "old", digest)
        await an_hour_later(store)
        await store.put_blobs([b"a note"])
        await store.delete(old)
        await use(store, "new", digest)
        await an_hour_later(store)
        assert await store.get_blobs([digest]) == {digest: b"a note"}

    in_store(work, tmp_path)


def test_what_was_too_young_to_go_goes_at_a_later_opening(tmp_path):
    digests = []

    async def delete_young(store):
        digests.extend(await store.put_blobs([b"young"]))
        await store.delete(await use(store, "only", digests[0]))
        assert await store.get_blobs(digests) == {digests[0]: b"young"}
        await an_hour_later(store)

    async def look(store):
        assert await store.get_blobs(digests) == {}

    in_store(delete_young, tmp_path)
    in_store(look, tmp_path)
