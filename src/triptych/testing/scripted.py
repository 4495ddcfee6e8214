"""A model that says what it was told to say: the provider of tests and of demonstrations without a model.

A script is a list of replies, one for each request, in order. A reply is text, events, or a function of the
payload that gives either. Text arrives word by word; a ``delay`` before each piece leaves time to stop, to kill, or
to watch. Every request is recorded.

Opened by name: ``scripted`` or ``scripted:echo`` repeats the last words of the user; ``scripted:say:TEXT`` always says
the text; ``scripted:FILE.json`` reads a list of replies, each a text or ``{"text", "delay", "failure"}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import anyio
import msgspec

from triptych.errors import UsageError
from triptych.model.events import (
    Failure,
    Finish,
    PartDelta,
    PartEnd,
    PartStart,
    ReplyStart,
    StreamEvent,
    UsageReport,
)
from triptych.model.ids import CallId
from triptych.model.parts import TextPart, ToolCallPart
from triptych.model.profile import Profile
from triptych.model.status import CallStreaming, Complete
from triptych.model.usage import Usage
from triptych.ports.provider import ModelRequest
from triptych.wires.compile import compile as compile_payload
from triptych.wires.payload import Payload

__all__ = [
    "SCRIPTED",
    "ScriptedProvider",
    "ScriptedReply",
    "call_events",
    "echo",
    "open_scripted",
    "text_events",
]

SCRIPTED = Profile(
    name="scripted", wire="openai_chat", family="openai", window=32_768, max_output=4_096, media=("image",)
)
"""What a scripted model can do: all that Chat Completions allows."""

ScriptedReply = str | Sequence[StreamEvent] | Callable[[Payload], "str | Sequence[StreamEvent]"]
_WORDS = re.compile(r"\s*\S+|\s+")


def text_events(text: str, *, model: str = "scripted") -> list[StreamEvent]:
    """A reply of prose, word by word, with a usage that counts the words."""
    words = _WORDS.findall(text)
    return [
        ReplyStart(model=model),
        PartStart(index=0, part=TextPart(text="")),
        *(PartDelta(index=0, text=word) for word in words),
        PartEnd(index=0),
        UsageReport(usage=Usage(output_tokens=len(words))),
        Finish(status=Complete()),
    ]


def call_events(
    name: str, arguments: dict[str, Any], *, call_id: str = "call_1", text: str = ""
) -> list[StreamEvent]:
    """A reply that asks for a tool, after some prose when there is any."""
    written = json.dumps(arguments, ensure_ascii=False)
    prose = text_events(text)[:-2] if text else [ReplyStart(model="scripted")]
    index = 1 if text else 0
    call = ToolCallPart(call_id=CallId(call_id), name=name, state=CallStreaming())
    return [
        *prose,
        PartStart(index=index, part=call),
        *(PartDelta(index=index, text=piece) for piece in _WORDS.findall(written)),
        PartEnd(index=index),
        Finish(status=Complete(reason="toolCalls")),
    ]


def echo(payload: Payload) -> str:
    """The last words of the user, said back."""
    users = [one for one in payload.body.get("messages", []) if one.get("role") == "user"]
    content = users[-1].get("content", "") if users else ""
    if isinstance(content, str):
        return content
    return "\n\n".join(part.get("text", "") for part in content if part.get("type") == "text")


class ScriptedProvider:
    """The fake of ``ports.provider``.

    Attributes:
        requests: what ``prepare`` was asked for, in order.
        sent: the payloads that were sent, in order.
        warmed: the payloads that were to be read ahead.
        stopped: for each stream that was closed before its end, how many events it had given.
        closed: whether ``close`` was called.
    """

    def __init__(
        self,
        replies: Iterable[ScriptedReply] = (),
        *,
        default: ScriptedReply | None = None,
        delay: float = 0.0,
        name: str = "scripted",
        model: str = "scripted",
        profile: Profile = SCRIPTED,
    ) -> None:
        self._replies = list(replies)
        self._default = default
        self._delay = delay
        self._name = name
        self._model = model
        self._profile = profile
        self.requests: list[ModelRequest] = []
        self.sent: list[Payload] = []
        self.warmed: list[Payload] = []
        self.stopped: list[int] = []
        self.closed = False

    @property
    def name(self) -> str:
        """The name in ``provider:model``."""
        return self._name

    def profile(self, model: str) -> Profile:  # noqa: ARG002 # the port asks for a model
        """The same facts for every model."""
        return self._profile

    def prepare(self, request: ModelRequest) -> Payload:
        """A real Chat Completions body, so that tests see what a model would read."""
        self.requests.append(request)
        return compile_payload(
            request.messages,
            to=self._profile.wire,
            profile=self._profile,
            tools=request.tools,
            options=request.options,
            model=request.model,
            cache=request.cache,
        )

    async def send(self, payload: Payload) -> AsyncGenerator[StreamEvent, None]:
        """The next reply of the script; when there is none, a failure with code ``script_over``."""
        self.sent.append(payload)
        events, given = self._next(payload), 0
        try:
            for event in events:
                if self._delay and isinstance(event, PartDelta):
                    await anyio.sleep(self._delay)
                given += 1
                yield event
        finally:
            if given < len(events):
                self.stopped.append(given)

    async def warm(self, payload: Payload) -> None:
        """Only recorded."""
        self.warmed.append(payload)

    async def models(self) -> list[str]:
        """The one model."""
        return [self._model]

    async def close(self) -> None:
        """Only recorded."""
        self.closed = True

    def _next(self, payload: Payload) -> Sequence[StreamEvent]:
        reply = self._replies.pop(0) if self._replies else self._default
        if reply is None:
            return [Failure(message="The script has no more replies.", code="script_over")]
        said = reply(payload) if callable(reply) else reply
        return text_events(said, model=self._model) if isinstance(said, str) else said


class _Line(msgspec.Struct, frozen=True):
    text: str = ""
    delay: float = 0.0
    failure: str | None = None


def open_scripted(script: str = "", *, delay: float = 0.0) -> ScriptedProvider:
    """The provider behind ``scripted:…``; a ``UsageError`` when the script cannot be read."""
    if script in ("", "echo", "scripted"):
        return ScriptedProvider(default=echo, delay=delay)
    if script.startswith("say:"):
        return ScriptedProvider(default=script.removeprefix("say:"), delay=delay)
    try:
        lines = msgspec.json.decode(Path(script).read_bytes(), type=list[str | _Line])
    except (OSError, msgspec.DecodeError) as problem:
        raise UsageError(
            f"The script {script} cannot be read: give a JSON file with a list of replies, or 'scripted:echo'."
        ) from problem
    slowest = max((line.delay for line in lines if isinstance(line, _Line)), default=0.0)
    return ScriptedProvider([_reply(line) for line in lines], delay=max(delay, slowest))


def _reply(line: str | _Line) -> ScriptedReply:
    if isinstance(line, str):
        return line
    events = text_events(line.text)
    return [*events[:-1], Failure(message=line.failure)] if line.failure else events
