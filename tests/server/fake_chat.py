"""The use cases over repositories in memory, with replies from a script: what the server is tested against."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import msgspec

from triptych.chat.media import shown_picture
from triptych.chat.watch import ChangeSet
from triptych.errors import UsageError
from triptych.model.conversations import Conversation, Project
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import BlobDigest, ConversationId, MessageId, ProjectId
from triptych.model.messages import AssistantMessage, Message, UserMessage
from triptych.model.parts import ReferencePart, TextPart
from triptych.model.status import STREAMING, Complete, Incomplete
from triptych.ports.vault import Note, NoteInfo
from triptych.repository import Change, Repository
from triptych.stores.memory import MemoryStore
from triptych.stores.said import said_in

Script = Callable[[str], Sequence[str]]


class Turn(msgspec.Struct, frozen=True):
    user_id: str
    reply_id: str


class FakeVault:
    def __init__(self, files: dict[str, str | bytes]) -> None:
        self.files = files

    async def notes(self) -> list[NoteInfo]:
        return [self._info(path) for path in sorted(self.files) if path.endswith(".md")]

    async def read(self, path: str) -> tuple[Note | None, tuple[Diagnostic, ...]]:
        text = self.files.get(path)
        if not isinstance(text, str):
            return None, (
                Diagnostic(code="note_missing", message=f"The note {path} is not there.", where=path),
            )
        return Note(info=self._info(path), text=text, body=text), ()

    async def read_bytes(self, path: str) -> tuple[bytes | None, tuple[Diagnostic, ...]]:
        data = self.files.get(path)
        if data is None:
            return None, (Diagnostic(code="file_missing", message=f"{path} is not there.", where=path),)
        return data.encode() if isinstance(data, str) else data, ()

    async def resolve(self, link: str, source: str | None = None) -> str | None:
        return next((path for path in self.files if path.removesuffix(".md").endswith(link)), None)

    def _info(self, path: str) -> NoteInfo:
        title = path.rpartition("/")[2].removesuffix(".md")
        return NoteInfo(path=path, title=title, size=len(self.files[path]), modified_at=len(path))


class FakeChat:
    """One process's worth of conversations. ``pause`` is the time between two pieces of a reply, in seconds."""

    def __init__(
        self, script: Script, files: dict[str, str | bytes] | None = None, pause: float = 0.0
    ) -> None:
        self.vault = FakeVault(files or {})
        self.pause = pause
        self.model = "scripted:tiny"
        self.search: Any = None
        self.warmed: list[Any] = []
        self._script = script
        self.asked: list[tuple[tuple[str, ...], bool]] = []
        self.blobs = MemoryStore()
        self._repositories: dict[str, Repository] = {}
        self._projects: dict[str, Project] = {"default": Project(id=ProjectId("default"), name="Notes")}
        self._watchers: dict[str, list[asyncio.Queue[ChangeSet | None]]] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._numbers: dict[str, int] = {}
        self._counter = itertools.count(1)

    async def running(self, conversation_id: str) -> bool:
        return conversation_id in self._runs

    async def diagnostics(self, conversation_id: str) -> tuple[Diagnostic, ...]:
        return ()

    async def choose_model(self, conversation_id: str, model: str) -> None:
        repository = await self.open(conversation_id)
        self._tell(conversation_id, repository.describe(model=model))

    async def projects(self) -> list[Project]:
        return list(self._projects.values())

    async def put_project(self, project: Project) -> None:
        self._projects[project.id] = project

    async def delete_project(self, project_id: str) -> None:
        if project_id == "default":
            raise UsageError("The default project cannot be deleted.")
        self._projects.pop(project_id, None)

    async def conversations(
        self, project_id: str, limit: int = 100, before: int | None = None, words: str = ""
    ) -> list[Conversation]:
        said = [
            one for one in self._repositories.values() if said_in(words, one.conversation.title, one.messages)
        ]
        mine = [one.conversation for one in said if one.conversation.project_id == project_id]
        newest = sorted(mine, key=lambda one: -one.updated_at)
        return [one for one in newest if before is None or one.updated_at < before][:limit]

    async def create(
        self, project_id: str = "default", title: str = "", model: str | None = None
    ) -> Conversation:
        now = self._now()
        conversation = Conversation(
            id=ConversationId(f"c{now}"),
            project_id=ProjectId(project_id),
            title=title,
            model=model,
            created_at=now,
            updated_at=now,
        )
        self.add(Repository(conversation))
        return conversation

    def add(self, repository: Repository) -> None:
        self._repositories[repository.conversation.id] = repository

    async def open(self, conversation_id: str) -> Repository:
        if conversation_id not in self._repositories:
            raise UsageError("There is no such conversation.")
        return self._repositories[conversation_id]

    async def rename(self, conversation_id: str, title: str) -> None:
        repository = await self.open(conversation_id)
        self._tell(conversation_id, repository.describe(title=title, updated_at=self._now()))

    async def delete(self, conversation_id: str) -> None:
        await self.stop(conversation_id)
        self._repositories.pop(conversation_id)
        for queue in self._watchers.pop(conversation_id, []):
            queue.put_nowait(None)

    async def send(
        self,
        conversation_id: str,
        text: str,
        references: Sequence[Any] = (),
        *,
        directives: Sequence[str] = (),
        dated: bool = False,
    ) -> Turn:
        repository = await self.open(conversation_id)
        user = self._user(text, references, repository.head_id)
        self.asked.append((tuple(directives), dated))
        self._tell(conversation_id, repository.append(user))
        return self._answer(repository, user.id, text)

    async def edit(
        self,
        conversation_id: str,
        message_id: str,
        text: str,
        references: Sequence[Any] | None = None,
        *,
        answer: bool = True,
    ) -> Turn | None:
        repository = await self.open(conversation_id)
        old = repository.get(MessageId(message_id))
        kept = tuple(part for part in old.parts if isinstance(part, ReferencePart))
        given = kept if references is None else tuple(ReferencePart(reference=one) for one in references)
        now = self._now()
        changes = repository.edit(old.id, (TextPart(text=text), *given), new_id=MessageId(f"m{now}"), now=now)
        self._tell(conversation_id, changes)
        return self._answer(repository, MessageId(f"m{now}"), text) if answer else None

    async def regenerate(self, conversation_id: str, message_id: str) -> Turn:
        repository = await self.open(conversation_id)
        self._tell(conversation_id, repository.regenerate(MessageId(message_id)))
        head = repository.get(repository.head_id or MessageId(message_id))
        return self._answer(repository, head.id, "".join(getattr(part, "text", "") for part in head.parts))

    async def switch(self, conversation_id: str, message_id: str) -> None:
        repository = await self.open(conversation_id)
        self._tell(conversation_id, repository.switch(MessageId(message_id)))

    async def favor(self, conversation_id: str, message_id: str, *, favorite: bool) -> None:
        repository = await self.open(conversation_id)
        marked = msgspec.structs.replace(repository.get(MessageId(message_id)), favorite=favorite)
        self._tell(conversation_id, repository.update(marked))

    async def picture(self, conversation_id: str, digest: str) -> tuple[bytes, str] | None:
        return await shown_picture(
            (await self.open(conversation_id)).messages, BlobDigest(digest), self.blobs
        )

    async def remove(self, conversation_id: str, message_id: str, splice: bool = False) -> None:
        repository = await self.open(conversation_id)
        self._tell(conversation_id, repository.remove(MessageId(message_id), splice=splice))

    async def warm(self, conversation_id: str, references: Sequence[Any]) -> None:
        self.search: Any = None
        self.warmed.extend(references)

    async def inspect(self, conversation_id: str, message_id: str | None = None) -> None:
        raise UsageError("Nothing was sent to a model there yet.")

    async def preview(
        self, conversation_id: str, text: str, references: Sequence[Any] = (), **directives: Any
    ) -> None:
        raise UsageError("Nothing was sent to a model there yet.")

    async def stop(self, conversation_id: str) -> bool:
        run = self._runs.get(conversation_id)
        if run is None or run.done():
            return False
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        return True

    async def watch(self, conversation_id: str) -> AsyncIterator[ChangeSet]:
        queue: asyncio.Queue[ChangeSet | None] = asyncio.Queue()
        self._watchers.setdefault(conversation_id, []).append(queue)
        while (change_set := await queue.get()) is not None:
            yield change_set

    def _now(self) -> int:
        return 1_700_000_000_000 + next(self._counter)

    def _user(self, text: str, references: Sequence[Any], parent: MessageId | None) -> UserMessage:
        now = self._now()
        parts = (TextPart(text=text), *(ReferencePart(reference=one) for one in references))
        return UserMessage(
            id=MessageId(f"m{now}"), parent_id=parent, parts=parts, created_at=now, updated_at=now
        )

    def _answer(self, repository: Repository, parent: MessageId, text: str) -> Turn:
        now = self._now()
        reply = AssistantMessage(
            id=MessageId(f"m{now}"),
            parent_id=parent,
            status=STREAMING,
            model="tiny",
            created_at=now,
            updated_at=now,
        )
        name = repository.conversation.id
        self._tell(name, repository.append(reply))
        self._runs[name] = asyncio.create_task(self._write(repository, reply, text))
        return Turn(user_id=parent, reply_id=reply.id)

    async def _write(self, repository: Repository, reply: AssistantMessage, text: str) -> None:
        replace, name = msgspec.structs.replace, repository.conversation.id
        written, current = "", reply
        status: Any = Complete()
        try:
            for piece in self._script(text):
                await asyncio.sleep(self.pause)
                written += piece
                current = replace(current, parts=(TextPart(text=written),), updated_at=self._now())
                self._tell(name, repository.update(current))
        except asyncio.CancelledError:
            status = Incomplete(reason="stopped")
        except RuntimeError as error:
            status = Incomplete(reason="error", error=str(error))
        self._runs.pop(name, None)
        self._tell(name, repository.update(replace(current, status=status)))

    def _tell(self, conversation_id: str, changes: tuple[Change, ...]) -> None:
        number = self._numbers[conversation_id] = self._numbers.get(conversation_id, 0) + 1
        for queue in self._watchers.get(conversation_id, []):
            queue.put_nowait(ChangeSet(number=number, changes=changes, running=conversation_id in self._runs))


def conversation_of(length: int, conversation_id: str = "long") -> Repository:
    """A plain conversation of so many messages."""
    conversation = Conversation(id=ConversationId(conversation_id), title="A long one", updated_at=1)
    parent: MessageId | None = None
    messages: list[Message] = []
    for number in range(length):
        kind = AssistantMessage if number % 2 else UserMessage
        name = MessageId(f"{conversation_id}-{number}")
        words = "A line about the harbour, the tide and the boats. " * (1 + number % 7)
        text = f"Message number {number + 1}.\n\n{words}"
        messages.append(
            kind(
                id=name,
                parent_id=parent,
                parts=(TextPart(text=text),),
                created_at=1_700_000_000_000 + number,
                updated_at=1_700_000_000_000 + number,
            )
        )
        parent = name
    return Repository.load(msgspec.structs.replace(conversation, head_id=parent), messages)[0]
