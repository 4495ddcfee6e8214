"""A whole house for the browser: the real use cases and the real server, a store in memory, a scripted model."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from playwright.sync_api import Browser, Playwright
from tests.e2e.script import ATTACK, scripted_reply
from tests.server.running import running

from triptych.bootstrap.clock import SystemClock
from triptych.chat.session import Chat
from triptych.cli.receiving import page_importer
from triptych.context.tokens.counter import TokenCounter, best_counter
from triptych.model.diagnostics import Diagnostic
from triptych.repository import MessageAdded, Repository
from triptych.server.app import create_app
from triptych.server.shapes import ModelInfo
from triptych.stores.memory import MemoryStore
from triptych.testing.scripted import SCRIPTED, ScriptedProvider
from triptych.vault import FolderVault
from triptych.vault.search import VaultSearch

__all__ = ["CHROMIUM", "House", "launch", "open_house"]

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NOTES = Path(__file__).parents[2] / "examples/vault"
MODEL = ModelInfo(
    id="scripted:scripted",
    name="SmolLM2-135M",
    note=(
        "Answers come from SmolLM2-135M, a tiny model inside this program: it can copy a fact from a short note, "
        "and not much more. Choose another with --model openai:NAME --base-url URL."
    ),
)


class House(msgspec.Struct):
    """What a test needs of it."""

    address: str
    store: MemoryStore
    provider: ScriptedProvider
    notes: Path


def launch(playwright: Playwright) -> Browser:
    """Debian's Chromium, as root too."""
    return playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))


@contextmanager
def open_house(
    *,
    delay: float = 0.003,
    window: int = 32_768,
    repositories: tuple[Repository, ...] = (),
    diagnostics: tuple[Diagnostic, ...] = (),
) -> Iterator[House]:
    """Served on a free port until the end."""
    with TemporaryDirectory() as folder:
        notes = _copied_notes(Path(folder) / "vault")
        profile = msgspec.structs.replace(SCRIPTED, window=window)
        provider = ScriptedProvider(default=scripted_reply, delay=delay, profile=profile)
        store = MemoryStore()
        vault = FolderVault(notes)
        search = VaultSearch(vault, Path(folder) / "notes.index")
        with ThreadPoolExecutor(1) as elsewhere:  # the browser's driver has a loop in this thread
            elsewhere.submit(lambda: asyncio.run(_fill(store, repositories))).result()
            elsewhere.submit(lambda: asyncio.run(search.index())).result()
        chat = Chat(
            store=store,
            clock=SystemClock(),
            open_provider=lambda _: (provider, "scripted"),
            model="scripted:scripted",
            vault=vault,
            search=search,
            counter=TokenCounter(best_counter()),
        )
        app = create_app(
            chat, models=(MODEL,), vault_name="vault", diagnostics=diagnostics, importer=page_importer(chat)
        )
        with running(app) as address:
            yield House(address=address, store=store, provider=provider, notes=notes)
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(lambda: asyncio.run(search.close())).result()


async def _fill(store: MemoryStore, repositories: tuple[Repository, ...]) -> None:
    for repository in repositories:
        empty = msgspec.structs.replace(repository.conversation, head_id=None)
        await store.create(empty)
        added = [MessageAdded(message=message) for message in repository.messages]
        await store.commit(repository.conversation.id, added)


def _copied_notes(folder: Path) -> Path:
    shutil.copytree(NOTES, folder)
    (folder / "Attack.md").write_text(f"# Attack\n\n{ATTACK}", "utf-8")
    return folder
