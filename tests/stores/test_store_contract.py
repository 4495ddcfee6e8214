"""Every store keeps the contract."""

import asyncio

import pytest

from triptych.stores.memory import MemoryStore
from triptych.stores.sql import Store
from triptych.testing.store_contract import STORE_CHECKS

checks = pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)


@checks
def test_memory(check):
    async def run():
        async with MemoryStore() as store:
            await check(store)

    asyncio.run(run())


@checks
def test_sqlite(check, tmp_path):
    async def run():
        async with await Store.open(tmp_path / "triptych.db") as store:
            await check(store)

    asyncio.run(run())


@checks
def test_postgresql(check, postgres_url):
    async def run():
        async with await Store.open(postgres_url) as store:
            await check(store)

    asyncio.run(run())
