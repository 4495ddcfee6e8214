"""A chat with its store, its notes and its models, opened and closed as one."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from triptych.bootstrap.clock import SystemClock
from triptych.bootstrap.settings import Settings
from triptych.chat.session import Chat
from triptych.context.envelope.held import checked_layout
from triptych.context.tokens.counter import TokenCounter, best_counter
from triptych.errors import StoreError, UsageError
from triptych.model.digest import digest_text
from triptych.ports.provider import Provider
from triptych.ports.store import Store

if TYPE_CHECKING:
    from triptych.vault import FolderVault
    from triptych.vault.search import VaultSearch

__all__ = ["Providers", "index_place", "open_chat", "open_search", "open_store", "open_vault"]


class Providers:
    """Each ``provider:name`` opened once and kept until the end."""

    def __init__(self, base_url: str | None = None) -> None:
        self._base_url = base_url
        self._open: dict[str, tuple[Provider, str]] = {}

    def open(self, name: str) -> tuple[Provider, str]:
        """The provider and the model's own name; an unknown one is a ``UsageError``."""
        if name not in self._open:
            from triptych.providers.registry import open_provider

            self._open[name] = open_provider(name, base_url=self._base_url)
        return self._open[name]

    async def close(self) -> None:
        """Close every one that was opened."""
        for provider, _ in self._open.values():
            await provider.close()
        self._open.clear()


@asynccontextmanager
async def open_store(settings: Settings, *, save: bool = True) -> AsyncGenerator[Store]:
    """The durable store or, without ``save``, one in memory that leaves nothing behind."""
    store = await _durable(settings) if save else _fleeting()
    try:
        yield store
    finally:
        await store.close()


async def _durable(settings: Settings) -> Store:
    from triptych.stores.sql import Store as SqlStore

    if settings.database_url is None:
        _make_folder(settings.data)
    return await SqlStore.open(settings.database)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"{folder} is a file; give --data a folder.") from None
    except OSError as problem:
        raise StoreError(f"The data folder {folder} cannot be made: {problem.strerror}.") from problem


def _fleeting() -> Store:
    from triptych.stores.memory import MemoryStore

    return MemoryStore()


def open_vault(settings: Settings) -> FolderVault | None:
    """The folder of notes, when one was chosen; kept chats that lie in it are no notes."""
    if settings.vault is None:
        return None
    from triptych.vault import FolderVault

    return FolderVault(settings.vault, ignore=_kept_chats(settings))


def _kept_chats(settings: Settings) -> tuple[str, ...]:
    if settings.chats is None or settings.vault is None:
        return ()
    chats, vault = settings.chats.resolve(), settings.vault.resolve()
    return (f"{chats.relative_to(vault).as_posix()}/",) if chats.is_relative_to(vault) else ()


def index_place(settings: Settings) -> Path:
    """The index of a vault: a file beside the database that can be thrown away at any time."""
    name = digest_text(str((settings.vault or Path()).resolve())).removeprefix("b2:")[:16]
    return settings.data / f"notes-{name}.index"


@asynccontextmanager
async def open_search(settings: Settings, vault: FolderVault | None) -> AsyncGenerator[VaultSearch | None]:
    """The index of the vault; None without one."""
    if vault is None:
        yield None
        return
    from triptych.vault.search import VaultSearch

    _make_folder(settings.data)
    search = VaultSearch(vault, index_place(settings))
    try:
        yield search
    finally:
        await search.close()


@asynccontextmanager
async def open_chat(settings: Settings, *, save: bool = True) -> AsyncGenerator[Chat]:
    """A chat that is ready; replies that a crash cut off are marked before anything else happens."""
    from triptych.vault.web import WebPages

    providers, clock = Providers(settings.base_url), SystemClock()
    providers.open(settings.model)
    vault = open_vault(settings)
    async with open_store(settings, save=save) as store, open_search(settings, vault) as search:
        chat = Chat(
            store=store,
            clock=clock,
            open_provider=providers.open,
            model=settings.model,
            vault=vault,
            search=search,
            pages=WebPages(clock),
            counter=TokenCounter(best_counter()),
            layout=checked_layout(settings.layout),
        )
        if save and settings.chats is not None:
            from triptych.bootstrap.notebook import open_autosave

            chat.autosave = open_autosave(chat, clock, settings.chats, settings.data / "recovered")
        await chat.start()
        try:
            yield chat
        finally:
            await chat.close()
            await providers.close()
