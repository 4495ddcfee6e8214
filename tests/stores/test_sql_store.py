"""What is special about a database: files, versions, damage, a full disk, other processes."""

import asyncio
import shutil
import sqlite3
import subprocess
import sys

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from triptych.errors import StoreError, UsageError
from triptych.model.conversations import DEFAULT_PROJECT, DEFAULT_USER, Conversation
from triptych.model.ids import ConversationId, MessageId
from triptych.model.messages import UserMessage
from triptych.model.parts import TextPart
from triptych.repository import MessageAdded, MessageRemoved, MessageUpdated
from triptych.stores.sql import Store, schema, writing
from triptych.stores.sql.migrate import NEWEST_REVISION
from triptych.stores.sql.writing import LARGEST_CHANGE

ONE = ConversationId("one")


def said(name, length=10):
    return UserMessage(id=MessageId(name), parts=(TextPart(text="x" * length),))


def run(work):
    return asyncio.run(work)


async def filled(path, names="abc"):
    async with await Store.open(path) as store:
        await store.create(Conversation(id=ONE, title="kept"))
        for name in names:
            await store.commit(ONE, [MessageAdded(message=said(name))])


async def names_in(path):
    async with await Store.open(path) as store:
        stored = await store.load(ONE)
        return [message.id for message in stored.messages]


def test_what_was_committed_is_there_after_reopening(tmp_path):
    run(filled(tmp_path / "a.db"))
    assert run(names_in(tmp_path / "a.db")) == ["a", "b", "c"]


def test_a_url_and_a_path_name_the_same_file(tmp_path):
    run(filled(tmp_path / "a.db"))
    assert run(names_in(f"sqlite:///{tmp_path}/a.db")) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "body", [b"this is a note, not a database" * 100, b"SQLite format 3\0" + b"?" * 5000]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path, body):
    path = tmp_path / "note.md"
    path.write_bytes(body)
    with pytest.raises(StoreError, match=r"note\.md") as caught:
        run(Store.open(path))
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == body


def test_a_database_of_another_program_is_refused(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("create table songs(name)")
    other.close()
    with pytest.raises(StoreError, match="another program"):
        run(Store.open(path))


def test_a_newer_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "a.db"
    run(filled(path))
    with sqlite3.connect(path) as later:
        later.execute("update alembic_version set version_num = '9999'")
    with pytest.raises(StoreError, match="newer Triptych"):
        run(Store.open(path))
    assert later.execute("select count(*) from messages").fetchone() == (3,)
    later.close()


def test_a_folder_and_a_missing_folder_are_refused(tmp_path):
    with pytest.raises(StoreError, match="is a folder"):
        run(Store.open(tmp_path))
    with pytest.raises(StoreError, match="cannot be opened"):
        run(Store.open(tmp_path / "nowhere" / "a.db"))


def test_a_file_that_may_not_be_written_is_refused(tmp_path):
    path = tmp_path / "a.db"
    run(filled(path))

    async def write():
        async with await Store.open(path) as store:
            await store._drive.write(lambda connection: connection.exec_driver_sql("PRAGMA query_only = ON"))
            with pytest.raises(StoreError, match="cannot be written"):
                await store.commit(ONE, [MessageAdded(message=said("d"))])

    run(write())
    assert run(names_in(path)) == ["a", "b", "c"]


def test_a_full_disk_refuses_one_change_set_and_loses_nothing(tmp_path):
    path = tmp_path / "a.db"
    run(filled(path))

    async def fill():
        async with await Store.open(path) as store:
            pages = await store._drive.write(
                lambda connection: connection.exec_driver_sql("PRAGMA page_count").scalar()
            )
            await store._drive.write(
                lambda connection: connection.exec_driver_sql(
                    f"PRAGMA max_page_count = {pages + 20}"
                ).scalar()
            )
            with pytest.raises(StoreError, match="disk is full"):
                await store.commit(ONE, [MessageAdded(message=said("big", 1_000_000))])
            await store.commit(ONE, [MessageAdded(message=said("small"))])

    run(fill())
    assert run(names_in(path)) == ["a", "b", "c", "small"]


def test_a_text_that_no_database_can_hold_is_refused_in_a_sentence(tmp_path):
    async def work():
        async with await Store.open(tmp_path / "a.db") as store:
            with pytest.raises(StoreError, match="surrogate"):
                await store.create(Conversation(id=ONE, title="half \ud800 of a pair"))
            await store.create(Conversation(id=ONE, title="nul \x00 inside"))
            assert (await store.load(ONE)).conversation.title == "nul \x00 inside"

    run(work())


def test_after_close_every_use_is_refused(tmp_path):
    async def work():
        store = await Store.open(tmp_path / "a.db")
        await store.close()
        with pytest.raises(StoreError, match="closed"):
            await store.load(ONE)
        await store.close()

    run(work())


def test_damaged_rows_are_told_and_the_rest_is_read(tmp_path):
    path = tmp_path / "a.db"
    run(filled(path))
    with sqlite3.connect(path) as damage:
        damage.execute("""update messages set parts = '[{"type":"text"}]' where id = 'b'""")
        damage.execute("update conversations set record = '{'")
    damage.close()

    async def load():
        async with await Store.open(path) as store:
            return await store.load(ONE), await store.conversations(DEFAULT_PROJECT, DEFAULT_USER)

    stored, listed = run(load())
    assert [message.id for message in stored.messages] == ["a", "b", "c"]
    assert stored.conversation.title == "kept" == listed[0].title
    assert "conversation_unreadable" in {one.code for one in stored.diagnostics}
    assert len(stored.diagnostics) > 1


def test_two_processes_may_write_and_a_follower_hears_the_other(tmp_path):
    path = tmp_path / "a.db"

    async def work():
        async with await Store.open(path) as here, await Store.open(path) as there:
            await here.create(Conversation(id=ONE))
            feed = there.follow(ONE)
            waiting = asyncio.ensure_future(anext(feed))
            await asyncio.sleep(0.05)
            await here.commit(ONE, [MessageAdded(message=said("a"))])
            number, changes = await asyncio.wait_for(waiting, 30)
            assert (number, changes[0].message.id) == (1, "a")
            await there.commit(ONE, [MessageAdded(message=said("b"))])
            assert (await asyncio.wait_for(anext(feed), 30))[0] == 2
            assert await here.newest(ONE) == 2

    run(work())


def test_followers_end_when_the_store_is_closed(tmp_path):
    async def work():
        store = await Store.open(tmp_path / "a.db")
        await store.create(Conversation(id=ONE))
        waiting = asyncio.ensure_future(anext(store.follow(ONE), None))
        await asyncio.sleep(0.05)
        await store.close()
        assert await asyncio.wait_for(waiting, 30) is None

    run(work())


def test_the_feed_forgets_old_sets_and_keeps_the_newest(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "KEPT_CHANGES", 8)
    monkeypatch.setattr(writing, "_PRUNE_EVERY", 4)

    async def work():
        async with await Store.open(tmp_path / "a.db") as store:
            await store.create(Conversation(id=ONE))
            await store.commit(ONE, [MessageAdded(message=said("a"))])
            for place in range(29):
                change = MessageUpdated(message=said("a", place), before=said("a"))
                last = await store.commit(ONE, [change])
            feed = store.follow(ONE)
            assert [(await anext(feed))[0] for _ in range(10)] == list(range(21, 31))
            assert last == 30

    run(work())


def test_a_set_as_big_as_an_import_is_a_gap_in_the_feed(tmp_path):
    async def work():
        async with await Store.open(tmp_path / "a.db") as store:
            await store.create(Conversation(id=ONE))
            for name, length in (("a", 1), ("big", LARGEST_CHANGE), ("b", 1)):
                await store.commit(ONE, [MessageAdded(message=said(name, length))])
            feed = store.follow(ONE)
            assert [(await anext(feed))[0] for _ in range(2)] == [1, 3]
            assert len((await store.load(ONE)).messages) == 3

    run(work())


def test_a_message_may_come_back_under_its_id_after_it_was_removed(tmp_path):
    async def work():
        async with await Store.open(tmp_path / "a.db") as store:
            await store.create(Conversation(id=ONE))
            await store.commit(ONE, [MessageAdded(message=said("a")), MessageRemoved(message=said("a"))])
            await store.commit(ONE, [MessageAdded(message=said("a", 3), position=0)])
            assert (await store.load(ONE)).messages == (said("a", 3),)

    run(work())


def test_postgresql_without_a_server_says_so():
    pytest.importorskip("asyncpg")
    with pytest.raises(StoreError, match="database"):
        run(Store.open("postgresql://nobody@127.0.0.1:1/none"))
    with pytest.raises(UsageError, match="postgresql://"):
        run(Store.open("postgresql://host:port/name"))


def scripts():
    config = Config()
    config.set_main_option("script_location", "triptych.stores.sql:migrations")
    return ScriptDirectory.from_config(config)


def test_the_program_knows_its_newest_migration():
    assert scripts().get_heads() == [NEWEST_REVISION]


def test_migrations_lead_to_the_tables_of_the_schema(tmp_path):
    run(filled(tmp_path / "a.db"))
    engine = create_engine(f"sqlite:///{tmp_path}/a.db")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.METADATA) == []
        assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
    engine.dispose()


def test_a_copy_of_the_folder_is_a_backup(tmp_path):
    run(filled(tmp_path / "a.db"))
    shutil.copy(tmp_path / "a.db", tmp_path / "b.db")
    assert run(names_in(tmp_path / "b.db")) == ["a", "b", "c"]


def test_every_commit_is_durable_and_checked(tmp_path):
    async def work():
        async with await Store.open(tmp_path / "a.db") as store:
            return await store._drive.write(
                lambda connection: [
                    connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                    for name in ("journal_mode", "synchronous", "foreign_keys")
                ]
            )

    assert run(work()) == ["wal", 2, 1]


OPENER = """
import asyncio, sys
from triptych.model.conversations import Conversation
from triptych.model.ids import ConversationId
from triptych.stores.sql import Store
async def main():
    async with await Store.open(sys.argv[1]) as store:
        await store.create(Conversation(id=ConversationId(sys.argv[2])))
asyncio.run(main())
"""


def test_several_programs_may_make_the_file_at_the_same_time(tmp_path):
    path = tmp_path / "a.db"
    running = [subprocess.Popen([sys.executable, "-c", OPENER, str(path), f"c{one}"]) for one in range(2)]
    assert [one.wait(60) for one in running] == [0, 0]

    async def listed():
        async with await Store.open(path) as store:
            return await store.conversations(DEFAULT_PROJECT, DEFAULT_USER)

    assert {one.id for one in run(listed())} == {"c0", "c1"}
