"""The use cases of a chat: what a page, a terminal or an application calls.

Every change is on disk before it is acknowledged: the user's message before a model is called, the reply while it
streams. One reply at a time is written in a conversation; different conversations go on side by side.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import nullcontext
from typing import Any

import msgspec

from triptych.chat.autosave import Autosave
from triptych.chat.desk import Desk
from triptych.chat.directives import with_date
from triptych.chat.inspection import Inspection, inspect_turn
from triptych.chat.making import empty_reply, titled, user_message, with_sources
from triptych.chat.media import shown_picture, stored_pictures
from triptych.chat.open_conversation import OpenConversation
from triptych.chat.preparation import OpenProvider, Preparation, Request
from triptych.chat.projects import nearest_project
from triptych.chat.references import NoteFolder
from triptych.chat.run import stream_reply
from triptych.chat.variables import variables_of
from triptych.chat.watch import ChangeSet
from triptych.context.envelope.held import checked_layout
from triptych.context.tokens.counter import TokenCounter
from triptych.errors import StoreError, TriptychError, UsageError
from triptych.model.conversations import DEFAULT_PROJECT, DEFAULT_USER, Conversation, Project
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import BlobDigest, ConversationId, MessageId, ProjectId, RunId, UserId
from triptych.model.messages import AssistantMessage, UserMessage
from triptych.model.parts import ReferencePart, TextPart
from triptych.model.references import Reference
from triptych.ports.clock import Clock
from triptych.ports.pages import Pages
from triptych.ports.runs import Run
from triptych.ports.search import Search
from triptych.ports.store import Store
from triptych.repository import Change, Repository

__all__ = ["BringIn", "Chat", "ChatStats", "OpenProvider", "Turn"]

Operation = Callable[[Repository], Sequence[Change]]

BringIn = Callable[[Store, UserId], Awaitable[bool]]
"""Brings the store up to a conversation of a user that was read elsewhere; whether that changed anything."""

SYSTEM = (
    "You answer questions about the notes that are given to you. "
    "Say what the notes say, briefly; if they do not say it, say so."
)


class Turn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn that has begun: the ids of the user's message and of the reply that is being written."""

    user_id: MessageId
    reply_id: MessageId


class ChatStats(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The current project, and for each project its conversations and messages."""

    project_id: ProjectId
    projects: list[Project]
    conversations_by_project: dict[str, int]
    messages_by_project: dict[str, int]


class Chat:
    """Conversations of one user over one store, one folder of notes and any number of models."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        open_provider: OpenProvider,
        model: str,
        vault: NoteFolder | None = None,
        pages: Pages | None = None,
        search: Search | None = None,
        counter: TokenCounter,
        user_id: UserId = DEFAULT_USER,
        system: str = SYSTEM,
        options: dict[str, Any] | None = None,
        layout: str = "append",
    ) -> None:
        self.vault = vault
        self.search = search
        self.model = model
        self.user_id = user_id
        self._store = store
        self._clock = clock
        self._open_provider = open_provider
        self._preparation = Preparation(
            store=store,
            clock=clock,
            open_provider=open_provider,
            model=model,
            user_id=user_id,
            counter=counter,
            system=system,
            layout=checked_layout(layout),
            vault=vault,
            pages=pages,
            search=search,
            options=options or {},
        )
        self._desk = Desk(store, clock)
        self._tasks: set[asyncio.Task[Any]] = set()
        self.autosave: Autosave | None = None

    # -- conversations and projects ------------------------------------------------------------------------

    async def start(self) -> list[ConversationId]:
        """Mark replies that a crash cut off as interrupted; the conversations that had some."""
        return await self._store.settle_interrupted(self._clock.now())

    async def close(self) -> None:
        """Stop what runs, keep what there is, let everything go."""
        for opened in self._desk.open_ones():
            await self._stopped(opened)
            opened.watchers.end()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.autosave is not None:
            await self.autosave.flush()

    async def projects(self) -> list[Project]:
        """All projects, the default one first."""
        return await self._store.projects(self.user_id)

    async def put_project(self, project: Project) -> None:
        """Add or change a project."""
        await self._store.put_project(project)

    async def project_for(self, path: str) -> Project | None:
        """The project of the vault file that a person works in; it is stored when it is new or has changed."""
        found = None if self.vault is None else await nearest_project(self.vault, path)
        if found is None:
            return None
        known = next((one for one in await self.projects() if one.id == found.id), None)
        now = self._clock.now()
        dated = msgspec.structs.replace(
            found,
            user_id=self.user_id,
            created_at=known.created_at if known is not None else now,
            updated_at=known.updated_at if known is not None else now,
        )
        if dated != known:
            await self.put_project(msgspec.structs.replace(dated, updated_at=now))
        return dated

    async def delete_project(self, project_id: ProjectId) -> None:
        """Delete a project with its conversations."""
        for opened in self._desk.open_ones():
            if opened.repository.conversation.project_id == project_id:
                await self.delete(opened.repository.conversation.id)
        await self._store.delete_project(project_id)

    async def conversations(
        self,
        project_id: ProjectId = DEFAULT_PROJECT,
        *,
        limit: int = 100,
        before: int | None = None,
        words: str = "",
    ) -> list[Conversation]:
        """The history of one project, newest first, or those of it that have the words in them; never another's."""
        return await self._store.conversations(
            project_id, self.user_id, limit=limit, before=before, words=words
        )

    async def create(
        self, project_id: ProjectId = DEFAULT_PROJECT, *, title: str = "", model: str | None = None
    ) -> Conversation:
        """A new conversation. An unknown model is refused before anything is stored."""
        if model is not None:
            self._open_provider(model)
        now = self._clock.now()
        conversation = Conversation(
            id=ConversationId(self._clock.new_id()),
            project_id=project_id,
            user_id=self.user_id,
            title=title,
            model=model,
            created_at=now,
            updated_at=now,
        )
        await self._store.create(conversation)
        return conversation

    async def open(self, conversation_id: ConversationId) -> Repository:
        """The live conversation, to be read."""
        return (await self._desk.open(conversation_id)).repository

    async def picture(self, conversation_id: ConversationId, digest: BlobDigest) -> tuple[bytes, str] | None:
        """The bytes and the media type of a stored picture; None when no message of this conversation shows it."""
        repository = await self.open(conversation_id)
        return await shown_picture(repository.messages, digest, self._store)

    async def running(self, conversation_id: ConversationId) -> bool:
        """Whether a reply is being written."""
        return (await self._desk.open(conversation_id)).run is not None

    async def diagnostics(self, conversation_id: ConversationId) -> tuple[Diagnostic, ...]:
        """What had to be mended when the conversation was read."""
        return (await self._desk.open(conversation_id)).diagnostics

    async def rename(self, conversation_id: ConversationId, title: str) -> None:
        """Give it another title."""
        opened = await self._desk.open(conversation_id)
        before = opened.repository.conversation
        await self._write(opened, lambda repository: repository.describe(title=title))
        if self.autosave is not None:
            await self.autosave.rename(before)

    async def choose_model(self, conversation_id: ConversationId, model: str) -> None:
        """Answer with another model from the next turn on."""
        self._open_provider(model)
        await self.change(conversation_id, lambda repository: repository.describe(model=model))

    async def delete(self, conversation_id: ConversationId) -> None:
        """Delete a conversation; a reply that is being written is stopped first."""
        opened = await self._desk.open(conversation_id)
        await self._stopped(opened)
        async with opened.lock:
            await self._store.delete(conversation_id)
            self._desk.forget(conversation_id)
        if self.autosave is not None:
            await self.autosave.delete(conversation_id)

    async def stats(self, project_id: ProjectId = DEFAULT_PROJECT) -> ChatStats:
        """Counts over all projects."""
        counts = await self._store.counts(self.user_id)
        return ChatStats(
            project_id=project_id,
            projects=await self.projects(),
            conversations_by_project={name: one for name, (one, _) in counts.items()},
            messages_by_project={name: one for name, (_, one) in counts.items()},
        )

    async def watch(self, conversation_id: ConversationId) -> AsyncGenerator[ChangeSet, None]:
        """Change sets from now on, batched; ends when the conversation is deleted or the chat is closed."""
        opened = await self._desk.open(conversation_id)
        async for change_set in opened.watchers.watch():
            yield change_set

    async def change(self, conversation_id: ConversationId, operation: Operation) -> Sequence[Change]:
        """Do any operation of the repository, in memory and on disk; the changes that it made."""
        return await self._write(await self._desk.open(conversation_id), operation)

    async def bring_in(self, conversation_id: ConversationId, bring: BringIn) -> None:
        """Store a conversation that was read elsewhere, new or grown; whoever looks at it sees it afresh.

        ``UsageError`` while a reply is being written in it.
        """
        opened = self._desk.known(conversation_id)
        if opened is not None and opened.run is not None:
            raise UsageError("A reply is being written in this conversation; import it again afterwards.")
        async with opened.lock if opened is not None else nullcontext():
            changed = await bring(self._store, self.user_id)
            if changed:
                await self._desk.read_again(conversation_id)

    # -- turns ---------------------------------------------------------------------------------------------

    async def send(
        self,
        conversation_id: ConversationId,
        text: str,
        references: Sequence[Reference] = (),
        *,
        active: str | None = None,
        directives: Sequence[str] = (),
        dated: bool = False,
    ) -> Turn:
        """Store the user's message and start the reply. When this returns, the message is on disk.

        ``active`` is the path of the note that the person is working in, for variables such as ``{activeNote}``.
        A turn that cannot be sent (a selection too large for the window) is refused; what was written stays.
        ``directives`` are asked of this answer beside the words ("answer in French"); with ``dated`` one of them is
        today's date (UTC). They are kept with the message and stand behind its words, never in the system text.
        """
        if not text.strip() and not references:
            raise UsageError("There is nothing to send; write something or attach a note.")
        opened = await self._ready(conversation_id)
        await self._preparation.provider_of(opened)
        meant, told = await variables_of(text, self.vault, active=active, attached=references)
        attached = (*references, *(one for one in meant if one not in references))
        pictures, noted = await stored_pictures(attached, self.vault, self._store)
        asked = with_date(directives, self._clock.now()) if dated else tuple(directives)
        user = user_message(
            self._clock, opened.repository.head_id, text, attached, pictures=pictures, directives=asked
        )
        await self._write(
            opened, lambda repository: (*repository.append(user), *titled(self._clock, repository, text))
        )
        return await self._answer(opened, user, told=(*told, *noted))

    async def edit(
        self,
        conversation_id: ConversationId,
        message_id: MessageId,
        text: str,
        references: Sequence[Reference] | None = None,
        *,
        answer: bool = True,
    ) -> Turn | None:
        """Say a user message otherwise and have it answered; None when nothing changed, or without ``answer``.

        What was attached stays, unless ``references`` replaces it. An edited reply is only stored. A question that
        is not answered yet is answered with ``regenerate``.
        """
        opened = await self._ready(conversation_id)
        old = opened.repository.get(message_id)
        kept = tuple(part for part in old.parts if not isinstance(part, TextPart))
        if references is not None:
            kept = tuple(ReferencePart(reference=one) for one in references)
        new_id, now = MessageId(self._clock.new_id()), self._clock.now()
        parts = (*kept, TextPart(text=text))
        changes = await self._write(
            opened, lambda repository: repository.edit(message_id, parts, new_id=new_id, now=now)
        )
        fresh = opened.repository.get(new_id) if changes else None
        return await self._answer(opened, fresh) if answer and isinstance(fresh, UserMessage) else None

    async def regenerate(self, conversation_id: ConversationId, message_id: MessageId) -> Turn:
        """Answer again, beside the earlier answer; attached notes are read afresh."""
        opened = await self._ready(conversation_id)
        question = opened.repository.question_of(message_id)
        user = opened.repository.get(question) if question is not None else None
        if not isinstance(user, UserMessage):
            raise UsageError("Before this message there is no question that could be answered again.")
        return await self._answer(opened, user, lambda repository: repository.regenerate(message_id))

    async def switch(self, conversation_id: ConversationId, message_id: MessageId) -> None:
        """Show another branch."""
        opened = await self._ready(conversation_id)
        await self._write(opened, lambda repository: repository.switch(message_id))

    async def remove(
        self, conversation_id: ConversationId, message_id: MessageId, *, splice: bool = False
    ) -> None:
        """Delete a message with all below it, or alone."""
        opened = await self._ready(conversation_id)
        await self._write(opened, lambda repository: repository.remove(message_id, splice=splice))

    async def favor(self, conversation_id: ConversationId, message_id: MessageId, *, favorite: bool) -> None:
        """Mark a message, or take the mark away."""
        await self.change(
            conversation_id,
            lambda repository: repository.update(
                msgspec.structs.replace(repository.get(message_id), favorite=favorite)
            ),
        )

    async def stop(self, conversation_id: ConversationId) -> bool:
        """Stop the reply that is being written; False when there is none. What there is of it stays."""
        return await self._stopped(await self._desk.open(conversation_id))

    async def finished(self, conversation_id: ConversationId) -> None:
        """Wait until no reply is being written."""
        opened = await self._desk.open(conversation_id)
        if opened.run is not None:
            await asyncio.wait({opened.run})

    async def warm(self, conversation_id: ConversationId, references: Sequence[Reference]) -> None:
        """Have the model read what is attached before the question comes. Nothing is stored."""
        opened = await self._desk.open(conversation_id)
        user, scratch = self._scratch_turn(opened, "", references)
        request = await self._preparation.request(scratch, user)
        await request.provider.warm(request.payload)

    async def inspect(
        self, conversation_id: ConversationId, message_id: MessageId | None = None
    ) -> Inspection:
        """What a past turn gave to the model: the newest one, or that of the named message."""
        opened = await self._desk.open(conversation_id)
        provider, model = await self._preparation.provider_of(opened)
        bench = await self._preparation.bench(opened, provider.profile(model))
        runs = await self._store.runs(conversation_id)
        return await inspect_turn(bench, provider.profile(model), runs, message_id)

    async def preview(
        self,
        conversation_id: ConversationId,
        text: str,
        references: Sequence[Reference] = (),
        *,
        directives: Sequence[str] = (),
        dated: bool = False,
    ) -> Inspection:
        """What a turn would give to the model, before it is sent. Nothing is stored."""
        opened = await self._desk.open(conversation_id)
        provider, model = await self._preparation.provider_of(opened)
        asked = with_date(directives, self._clock.now()) if dated else directives
        user, scratch = self._scratch_turn(opened, text, references, asked)
        prepared = await self._preparation.prepared(scratch, user, provider.profile(model))
        scratch.texts = scratch.texts | prepared.texts
        scratch.repository.attach_envelope(prepared.envelope)
        bench = await self._preparation.bench(scratch, provider.profile(model))
        return await inspect_turn(bench, provider.profile(model), (), user.id)

    # -- inside --------------------------------------------------------------------------------------------

    async def _ready(self, conversation_id: ConversationId) -> OpenConversation:
        opened = await self._desk.open(conversation_id)
        if opened.run is not None:
            raise UsageError("A reply is being written in this conversation; stop it first.")
        return opened

    async def _write(self, opened: OpenConversation, operation: Operation) -> Sequence[Change]:
        """Do it in memory and on disk. When the disk refuses, memory is dropped: the disk is the truth."""
        async with opened.lock:
            changes = operation(opened.repository)
            try:
                await opened.write(changes)
            except StoreError:
                self._desk.forget(opened.repository.conversation.id)
                raise
        if changes:
            self._saved(opened)
        return changes

    def _saved(self, opened: OpenConversation) -> None:
        """Let the file follow; while a reply is being written it waits for the end."""
        if self.autosave is not None and opened.run is None:
            self.autosave.changed(opened.repository.conversation.id)

    async def _answer(
        self,
        opened: OpenConversation,
        user: UserMessage,
        first: Operation = lambda _: (),
        told: Sequence[Diagnostic] = (),
    ) -> Turn:
        """Prepare the request, store the empty reply (after what has to come ``first``), start the run."""
        request = await self._preparation.request(opened, user, told)
        prepared, provider = request.prepared, request.provider
        reply = empty_reply(self._clock, user, provider.name, request.model, prepared.envelope)
        await self._store.put_blobs(text.encode("utf-8", "surrogatepass") for text in prepared.texts.values())
        opened.texts |= prepared.texts
        opened.stop.clear()
        await self._write(
            opened,
            lambda repository: (
                *first(repository),
                *repository.attach_envelope(prepared.envelope),
                *repository.append(reply),
            ),
        )
        if prepared.diagnostics:
            opened.watchers.notify((), prepared.diagnostics)
        self._begin(opened, self._run(opened, reply, request))
        return Turn(user_id=user.id, reply_id=reply.id)

    def _begin(self, opened: OpenConversation, run: Any) -> None:
        task: asyncio.Task[None] = asyncio.create_task(run)
        opened.run = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        opened.watchers.run_state(running=True)

    async def _run(
        self,
        opened: OpenConversation,
        reply: AssistantMessage,
        request: Request,
    ) -> None:
        try:
            run = await self._recorded(opened, reply, request)
            done = await stream_reply(
                opened,
                reply,
                request.provider.send(request.payload),
                self._clock,
                lambda ended: with_sources(ended, request.prepared),
            )
            outcome = msgspec.to_builtins(done.status)
            await self._store.put_run(
                msgspec.structs.replace(run, ended_at=self._clock.now(), outcome=outcome)
            )
        except TriptychError as problem:
            await self._broken(opened, reply, str(problem))
        finally:
            opened.run = None
            opened.watchers.run_state(running=False)
            self._saved(opened)

    async def _recorded(self, opened: OpenConversation, reply: AssistantMessage, request: Request) -> Run:
        payload = request.payload
        (digest,) = await self._store.put_blobs([msgspec.json.encode(payload.body)])
        run = Run(
            id=reply.run_id or RunId(""),
            conversation_id=opened.repository.conversation.id,
            message_id=reply.id,
            provider=request.provider.name,
            model=payload.model,
            started_at=self._clock.now(),
            envelope_id=reply.envelope_id,
            payload=digest,
            report=tuple(msgspec.to_builtins(repair) for repair in payload.report),
        )
        await self._store.put_run(run)
        return run

    async def _broken(self, opened: OpenConversation, reply: AssistantMessage, reason: str) -> None:
        """The store or the core failed under a run: show it, and read the conversation again next time."""
        note = Diagnostic(code="run_failed", message=reason, severity="error", where=reply.id)
        opened.watchers.notify((), (note,))
        self._desk.forget(opened.repository.conversation.id)

    async def _stopped(self, opened: OpenConversation) -> bool:
        run = opened.run
        if run is None:
            return False
        opened.stop.set()
        await asyncio.wait({run})
        return True

    def _scratch_turn(
        self,
        opened: OpenConversation,
        text: str,
        references: Sequence[Reference],
        directives: Sequence[str] = (),
    ) -> tuple[UserMessage, OpenConversation]:
        """A copy of the conversation with one more user message, for looking ahead."""
        user = user_message(self._clock, opened.repository.head_id, text, references, directives=directives)
        messages = opened.repository.messages
        envelopes = [one for message in messages for one in opened.repository.envelopes(message.id)]
        scratch, _ = Repository.load(opened.repository.conversation, [*messages, user], envelopes)
        copy = OpenConversation(scratch, self._store, ())
        copy.texts = opened.texts
        return user, copy
