"""The page with its chat: what ``triptych serve`` does."""

from __future__ import annotations

import sys

import anyio

from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_chat
from triptych.chat.session import Chat
from triptych.cli.options import own_version
from triptych.cli.receiving import page_importer
from triptych.model.references import NoteReference
from triptych.server.app import create_app
from triptych.server.run import serve
from triptych.server.shapes import ModelInfo

__all__ = ["DEMO_NOTE", "DEMO_QUESTION", "begin_demo", "serve_chat"]

DEMO_NOTE = "Balloon launch.md"
DEMO_QUESTION = "What is the launch date?"
TINY = (
    "SmolLM2-135M runs inside this program and needs no key. It is tiny: it can copy a fact from a short note, "
    "and not much more. Choose another with --model, for example --model openai:NAME --base-url URL for any "
    "OpenAI-compatible server, or --model local:FILE.gguf."
)


async def serve_chat(settings: Settings, host: str, port: int, *, demo: bool = False) -> None:
    """Serve until a signal; with ``demo`` a first conversation is ready and a taken port is no matter."""
    async with open_chat(settings) as chat:
        if demo:
            await begin_demo(chat)
        app = create_app(
            chat,
            version=own_version(),
            models=(_model_info(settings.model),),
            vault_name=settings.vault.resolve().name if settings.vault is not None else None,
            importer=page_importer(chat),
            hosts=None if host in {"0.0.0.0", "::"} else _known_hosts(host),  # noqa: S104 # compared, not bound
        )
        async with anyio.create_task_group() as group:
            group.start_soon(_keep_index, chat, settings)
            await serve(app, host, port, seek=demo, ready=_tell)
            group.cancel_scope.cancel()


async def _keep_index(chat: Chat, settings: Settings) -> None:
    """Index the notes, then follow what changes, for as long as the page is served."""
    if chat.search is None or settings.vault is None:
        return
    from triptych.vault.search.watch import keep_fresh

    await chat.search.index()
    await keep_fresh(chat.search, settings.vault)


async def begin_demo(chat: Chat) -> None:
    """The first conversation of a fresh demo: a question about a short note, asked and being answered."""
    if chat.vault is None or await chat.conversations():
        return
    note, _ = await chat.vault.read(DEMO_NOTE)
    if note is not None:
        conversation = await chat.create()
        await chat.send(conversation.id, DEMO_QUESTION, [NoteReference(path=DEMO_NOTE)])


def _known_hosts(host: str) -> frozenset[str]:
    from triptych.server.guards import LOOPBACK_HOSTS

    return LOOPBACK_HOSTS | {host}


def _model_info(model: str) -> ModelInfo:
    if model == "local":
        return ModelInfo(id=model, name="SmolLM2-135M, inside this program", note=TINY)
    return ModelInfo(id=model, name=model)


def _tell(address: str) -> None:
    sys.stdout.write(f"Triptych is at {address}  (Ctrl-C ends it)\n")
    sys.stdout.flush()
