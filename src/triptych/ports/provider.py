"""A model's server, as the use cases need it. A stream never raises: failure is an event."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol

import msgspec

from triptych.model.events import StreamEvent
from triptych.model.messages import Message
from triptych.model.profile import Profile
from triptych.model.tools import ToolDefinition
from triptych.wires.compile import CompileCache
from triptych.wires.payload import Payload

__all__ = ["ModelRequest", "Provider"]


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked: typed prompt messages, tools, and options such as ``max_tokens``.

    ``options`` knows ``max_tokens``, ``temperature``, ``top_p``, ``stop``, ``seed``, ``tool_choice``,
    ``response_schema``; what a wire does not have is left out and reported. ``cache`` makes the next request of the
    same conversation cheap; it belongs to who asks.
    """

    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    options: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    cache: CompileCache | None = None


class Provider(Protocol):
    """One vendor or server.

    ``prepare`` is pure and may raise ``UsageError`` (nothing to say); ``send`` opens the connection, yields
    events and, when its iterator is closed, really stops the server's work. ``warm`` has the server read a
    prompt ahead of the question, where that helps; it may do nothing.
    """

    @property
    def name(self) -> str:
        """The name in ``provider:model``."""
        ...

    def profile(self, model: str) -> Profile:
        """The facts about this model."""
        ...

    def prepare(self, request: ModelRequest) -> Payload:
        """A valid request body for this server."""
        ...

    def send(self, payload: Payload) -> AsyncIterator[StreamEvent]:
        """The reply as events."""
        ...

    async def warm(self, payload: Payload) -> None:
        """Read the prompt ahead of time."""
        ...

    async def models(self) -> list[str]:
        """The models that the server offers; empty when it does not say."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...
