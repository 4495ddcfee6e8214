"""What is special about PostgreSQL: wake-ups between processes and lost connections."""

import asyncio

from triptych.model.conversations import Conversation
from triptych.model.ids import ConversationId, MessageId
from triptych.model.messages import UserMessage
from triptych.repository import MessageAdded
from triptych.stores.sql import Store

ONE = ConversationId("one" * 5000)


def test_a_follower_hears_another_process_even_after_its_connections_were_cut(postgres_url):
    async def work():
        async with await Store.open(postgres_url) as here, await Store.open(postgres_url) as there:
            await here.create(Conversation(id=ONE))
            feed = there.follow(ONE)

            async def said(name):
                await here.commit(ONE, [MessageAdded(message=UserMessage(id=MessageId(name)))])
                number, changes = await asyncio.wait_for(anext(feed), 30)
                return number, changes[0].message.id

            assert await said("a") == (1, "a")
            await here._drive.write(
                lambda connection: connection.exec_driver_sql(
                    "select pg_terminate_backend(pid) from pg_stat_activity "
                    "where pid <> pg_backend_pid() and datname = current_database()"
                ).all()
            )
            assert await said("b") == (2, "b")
            assert await said("c") == (3, "c")

    asyncio.run(work())


def test_two_programs_may_make_the_tables_at_the_same_time(postgres_url):
    async def work():
        stores = await asyncio.gather(*(Store.open(postgres_url) for _ in range(4)))
        for store in stores:
            await store.close()

    asyncio.run(work())
