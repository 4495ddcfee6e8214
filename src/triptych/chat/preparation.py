"""Preparing a turn: which model answers, what it may read, and the request it is given. Nothing is stored here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from triptych.chat.bench import Bench
from triptych.chat.media import inline_media
from triptych.chat.open_conversation import OpenConversation
from triptych.chat.plan import Room, shorten_sources
from triptych.chat.projects import layout_of, project_context
from triptych.chat.references import NoteFolder, Reach
from triptych.chat.transcript import read_transcript
from triptych.chat.turn import Prepared, prepare_turn
from triptych.context.envelope import Layout
from triptych.context.envelope.marks import with_marks
from triptych.context.tokens.counter import TokenCounter
from triptych.model.conversations import Project
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import ConversationId, EnvelopeId, MessageId, UserId
from triptych.model.messages import UserMessage
from triptych.model.profile import Profile
from triptych.ports.clock import Clock
from triptych.ports.pages import Pages
from triptych.ports.provider import ModelRequest, Provider
from triptych.ports.search import Search
from triptych.ports.store import Store
from triptych.wires.payload import Payload

__all__ = ["OpenProvider", "Preparation", "Request"]

OpenProvider = Callable[[str], tuple[Provider, str]]
"""``provider:name`` to the provider and the model's name; an unknown one is a ``UsageError``."""

_RESERVE = 512


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that is ready to be sent: to whom, what was prepared, and the body."""

    provider: Provider
    model: str
    prepared: Prepared
    payload: Payload


class Preparation(msgspec.Struct, frozen=True, kw_only=True):
    """What every turn of a chat is prepared with.

    Attributes:
        model: answers where neither the conversation nor its project names one.
        options: for every request; a project's parameters are laid over them.
    """

    store: Store
    clock: Clock
    open_provider: OpenProvider
    model: str
    user_id: UserId
    counter: TokenCounter
    system: str
    layout: Layout
    vault: NoteFolder | None = None
    pages: Pages | None = None
    search: Search | None = None
    options: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])

    async def request(
        self, opened: OpenConversation, user: UserMessage, told: Sequence[Diagnostic] = ()
    ) -> Request:
        """The whole request of a turn, of which the person is ``told`` something already."""
        provider, model = await self.provider_of(opened)
        prepared = await self.prepared(opened, user, provider.profile(model), told)
        payload = await self._payload(opened, provider, model, prepared)
        return Request(provider=provider, model=model, prepared=prepared, payload=payload)

    async def provider_of(self, opened: OpenConversation) -> tuple[Provider, str]:
        """The conversation's own model, else its project's, else the default."""
        own = opened.repository.conversation.model
        project = None if own is not None else await self._project(opened)
        return self.open_provider(own or (project.model if project is not None else None) or self.model)

    async def _project(self, opened: OpenConversation) -> Project | None:
        wanted = opened.repository.conversation.project_id
        return next((one for one in await self.store.projects(self.user_id) if one.id == wanted), None)

    async def bench(self, opened: OpenConversation, profile: Profile) -> Bench:
        """Everything that turns of this conversation are prepared with, its project's context included."""
        project = await self._project(opened)
        reach = self._reach(opened, project)
        context = await project_context(project, reach)
        system = "\n\n".join(text for text in (self.system, context.text) if text)
        room = Room(profile.window, min(profile.max_output or _RESERVE, _RESERVE))
        counter = self.counter.with_factor(profile.token_factor)
        shared, cut = shorten_sources(context.sources, counter.text(system), room.for_project, counter)
        return Bench(
            opened=opened,
            system=system,
            shared=tuple(shared),
            layout=layout_of(project, self.layout),
            noted=(*context.diagnostics, *cut),
            room=room,
            counter=counter,
            reach=reach,
            blobs=self.store,
        )

    async def prepared(
        self,
        opened: OpenConversation,
        user: UserMessage,
        profile: Profile,
        told: Sequence[Diagnostic] = (),
    ) -> Prepared:
        """The prompt and the envelope of a turn."""
        envelope_id = EnvelopeId(self.clock.new_id())
        bench = await self.bench(opened, profile)
        bench = msgspec.structs.replace(bench, noted=(*told, *bench.noted))
        return await prepare_turn(bench, user, envelope_id=envelope_id, now=self.clock.now())

    def _reach(self, opened: OpenConversation, project: Project | None) -> Reach:
        """What a turn of this conversation may read: other conversations, and passages, only of its own project."""
        own = opened.repository.conversation.project_id

        async def transcript(wanted: ConversationId, message_id: MessageId | None) -> tuple[str, str] | None:
            return await read_transcript(self.store, own, wanted, message_id)

        return Reach(
            vault=self.vault,
            pages=self.pages,
            search=self.search,
            transcript=transcript,
            within=project.include if project is not None else (),
            without=project.exclude if project is not None else (),
        )

    async def _payload(
        self, opened: OpenConversation, provider: Provider, model: str, prepared: Prepared
    ) -> Payload:
        project = await self._project(opened)
        options = self.options | ((project.parameters if project is not None else None) or {})
        messages = await inline_media(with_marks(prepared.messages, provider.profile(model)), self.store)
        return provider.prepare(
            ModelRequest(model=model, messages=messages, options=options, cache=opened.compiled)
        )
