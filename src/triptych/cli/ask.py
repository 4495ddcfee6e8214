"""One question in, one answer out: what ``triptych ask`` does, without its options."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_chat
from triptych.chat.session import Chat, Turn
from triptych.chat.watch import ChangeSet
from triptych.cli.options import existing_project
from triptych.errors import UsageError
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import ConversationId, ProjectId
from triptych.model.messages import AssistantMessage, Message, message_text
from triptych.model.references import NoteReference, Reference, SearchReference
from triptych.model.status import Incomplete
from triptych.repository import Repository

__all__ = ["Question", "ask_once", "attached_notes"]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What to ask, with what, where; ``stream`` is given each piece of the answer as it comes."""

    text: str
    notes: tuple[str, ...] = ()
    search: bool = False
    project_id: str = "default"
    conversation_id: str | None = None
    save: bool = True
    stream: Callable[[str], None] | None = None


async def ask_once(settings: Settings, question: Question) -> dict[str, Any]:
    """The answer with what it cost and rested on; ``failure`` is a sentence when the model failed."""
    async with open_chat(settings, save=question.save) as chat:
        await _require_notes(chat, question.notes)
        conversation_id = await _conversation(chat, question)
        gathered = _Gathered(chat, conversation_id, question.stream)
        references: list[Reference] = [NoteReference(path=path) for path in question.notes]
        if question.search and chat.search is not None:
            await chat.search.index()
            references.append(SearchReference(query=question.text))
        turn, found = await gathered.sent(question.text, references)
        repository = await chat.open(conversation_id)
        return _answer(repository, turn, found, conversation_id if question.save else None)


async def _require_notes(chat: Chat, paths: Iterable[str]) -> None:
    """A note that was named and cannot be read is a wrong word: no model is asked without it."""
    if (vault := chat.vault) is None:
        return
    for path in paths:
        note, found = await vault.read(await vault.resolve(path) or path)
        if note is None:
            raise UsageError(f"--note {path}: {found[0].message if found else 'it cannot be read.'}")


async def _conversation(chat: Chat, question: Question) -> ConversationId:
    if question.conversation_id is not None:
        return (await chat.open(ConversationId(question.conversation_id))).conversation.id
    if question.save:
        await existing_project(chat, question.project_id)
    return (await chat.create(ProjectId(question.project_id if question.save else "default"))).id


class _Gathered:
    """Watches a turn until its reply has ended."""

    def __init__(
        self, chat: Chat, conversation_id: ConversationId, stream: Callable[[str], None] | None
    ) -> None:
        self._chat = chat
        self._id = conversation_id
        self._stream = stream
        self._shown = 0

    async def sent(self, text: str, references: list[Reference]) -> tuple[Turn, list[Diagnostic]]:
        found: list[Diagnostic] = []
        watch = self._chat.watch(self._id)
        watching = anext_task(watch)
        turn = await self._chat.send(self._id, text, references)
        while True:
            change_set = await watching
            found.extend(change_set.diagnostics)
            self._show(await self._reply(turn))
            if not change_set.running and not await self._chat.running(self._id):
                return turn, found
            watching = anext_task(watch)

    async def _reply(self, turn: Turn) -> Message | None:
        repository = await self._chat.open(self._id)
        return repository.get(turn.reply_id) if turn.reply_id in repository else None

    def _show(self, reply: Message | None) -> None:
        if reply is None or self._stream is None:
            return
        text = message_text(reply)
        if len(text) > self._shown:
            self._stream(text[self._shown :])
            self._shown = len(text)


def anext_task(watch: Any) -> Any:
    """Begin to wait for the next change set now, so that none is missed."""
    import asyncio

    async def take() -> ChangeSet:
        return await anext(watch)

    return asyncio.ensure_future(take())


def _answer(
    repository: Repository, turn: Turn, found: list[Diagnostic], conversation_id: ConversationId | None
) -> dict[str, Any]:
    reply = repository.get(turn.reply_id)
    assert isinstance(reply, AssistantMessage)  # noqa: S101 # the run that made it says so
    status = reply.status
    failure = (
        (status.error or f"The answer ended early ({status.reason}).")
        if isinstance(status, Incomplete)
        else None
    )
    if isinstance(status, Incomplete) and status.reason == "length":
        failure = None
    return {
        "answer": message_text(reply),
        "model": reply.model,
        "provider": reply.provider,
        "usage": msgspec.to_builtins(reply.usage) if reply.usage is not None else None,
        "attached": attached_notes(repository, turn),
        "conversationId": conversation_id,
        "diagnostics": [msgspec.to_builtins(one) for one in found],
        "failure": failure,
    }


def attached_notes(repository: Repository, turn: Turn) -> list[dict[str, Any]]:
    """What went into the turn: path, how it went in (``full``, ``kept``, ``changes``, ``error``), tokens."""
    envelopes = repository.envelopes(turn.user_id)
    layers = envelopes[-1].layers if envelopes else ()
    return [
        {
            "path": segment.key.partition(":")[2],
            "state": segment.form,
            "tokens": (segment.detail or {}).get("tokens", 0),
        }
        for layer in layers
        if layer.name == "turn"
        for segment in layer.segments
        if segment.form != "dropped"
    ]
