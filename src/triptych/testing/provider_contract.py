"""The contract of ``ports.provider``, as tests that every provider has to pass.

A test class of yours inherits ``ProviderContract`` and gives a ``Setting``: a provider that is ready to answer, the
model's name, and what it cannot be asked to show. Every test is synchronous and runs its own event loop, so any
test runner will do.

    class TestMine(ProviderContract):
        @asynccontextmanager
        async def setting(self):
            yield Setting(provider=MyProvider(...), model="mine-1")
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing
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
    PartUpdate,
    ReplyStart,
    StreamEvent,
)
from triptych.model.ids import MessageId
from triptych.model.messages import UserMessage
from triptych.model.parts import TextPart
from triptych.model.reply import reduce_events
from triptych.model.status import Complete, Incomplete
from triptych.ports.provider import ModelRequest, Provider

__all__ = ["ProviderContract", "Setting", "check_event_order", "question"]

_PATIENCE = 60.0


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What a contract test works with.

    Attributes:
        provider: answers the question with some text.
        model: the model to ask.
        down: a provider whose server is not there (None: it has no server that could be gone).
        is_idle: whether the server has stopped working on anything (None: nobody can tell).
    """

    provider: Provider
    model: str
    down: Provider | None = None
    is_idle: Callable[[], Awaitable[bool]] | None = None


def question(model: str, text: str = "Tell me a long story about the sea.", **options: Any) -> ModelRequest:
    """A request with one user message."""
    message = UserMessage(id=MessageId("u1"), parts=(TextPart(text=text),))
    return ModelRequest(model=model, messages=(message,), options=options)


def check_event_order(events: list[StreamEvent]) -> None:
    """Raise ``AssertionError`` where a stream breaks what consumers rely on."""
    _need(bool(events), "a stream has at least its end")
    _need(isinstance(events[-1], Finish | Failure), "the last event is a finish or a failure")
    ends = sum(isinstance(event, Finish | Failure) for event in events)
    _need(ends == 1, "there is exactly one end")
    _need(isinstance(events[0], ReplyStart | Failure), "the first event is the start of the reply")
    started = 0
    for event in events:
        if isinstance(event, PartStart):
            _need(event.index == started, "parts are counted from 0 in the order of their first appearance")
            started += 1
        elif isinstance(event, PartDelta | PartUpdate | PartEnd):
            _need(0 <= event.index < started, "only a part that was started grows or ends")


class ProviderContract:
    """Inherit, override ``setting``, run."""

    def setting(self) -> AbstractAsyncContextManager[Setting]:
        """The provider under test, for one test; what it needs lives as long as the context."""
        raise UsageError("Override setting() and yield a Setting with your provider.")

    def test_preparing_is_pure_and_names_the_model(self) -> None:
        """The same request gives the same body, and the profile says which wire it is for."""

        async def story(setting: Setting) -> None:
            request = question(setting.model)
            first, second = (setting.provider.prepare(request) for _ in range(2))
            _need(first == second, "preparing twice gives the same payload")
            _need(
                first.wire == setting.provider.profile(setting.model).wire,
                "the payload is for the profile's wire",
            )
            _need(first.model == setting.model, "the payload names the model")

        self._run(story)

    def test_nothing_to_say_is_bad_use(self) -> None:
        """A request without any user text is refused before anything is sent."""

        async def story(setting: Setting) -> None:
            try:
                setting.provider.prepare(ModelRequest(model=setting.model, messages=()))
            except UsageError:
                return
            _need(held=False, promise="an empty request is a UsageError")

        self._run(story)

    def test_a_reply_is_whole(self) -> None:
        """Events in order, some text, one end."""

        async def story(setting: Setting) -> None:
            events = await _asked(setting)
            check_event_order(events)
            reply = reduce_events(events)
            _need(any(isinstance(part, TextPart) and part.text for part in reply.parts), "the reply has text")
            ended = isinstance(reply.status, Complete) or reply.status == Incomplete(reason="length")
            _need(ended, f"the reply came to its end, not to {reply.status}")

        self._run(story)

    def test_asking_again_works(self) -> None:
        """A provider serves any number of requests."""

        async def story(setting: Setting) -> None:
            for _ in range(2):
                check_event_order(await _asked(setting))

        self._run(story)

    def test_closing_the_iterator_stops_the_work(self) -> None:
        """A consumer that has enough closes the iterator; nothing is raised and the next request is served."""

        async def story(setting: Setting) -> None:
            payload = setting.provider.prepare(question(setting.model, max_tokens=2000))
            async with aclosing(_generator(setting, payload)) as events:
                async for event in events:
                    if isinstance(event, PartDelta):
                        break
            if setting.is_idle is not None:
                with anyio.fail_after(_PATIENCE):
                    while not await setting.is_idle():  # noqa: ASYNC110 # a server tells only when it is asked
                        await anyio.sleep(0.02)
            check_event_order(await _asked(setting))

        self._run(story)

    def test_cancelling_the_consumer_is_clean(self) -> None:
        """A cancelled task leaves the provider usable."""

        async def story(setting: Setting) -> None:
            with anyio.move_on_after(0.05):
                await _asked(setting, max_tokens=2000)
            check_event_order(await _asked(setting))

        self._run(story)

    def test_warming_changes_nothing(self) -> None:
        """Reading a prompt ahead never raises and never answers."""

        async def story(setting: Setting) -> None:
            await setting.provider.warm(setting.provider.prepare(question(setting.model)))
            check_event_order(await _asked(setting))

        self._run(story)

    def test_a_server_that_is_gone_is_a_failure_event(self) -> None:
        """Streams never raise."""

        async def story(setting: Setting) -> None:
            if setting.down is None:
                return
            payload = setting.down.prepare(question(setting.model))
            events = [event async for event in setting.down.send(payload)]
            check_event_order(events)
            last = events[-1]
            _need(isinstance(last, Failure) and bool(last.message), "the failure says what happened")
            await setting.down.close()

        self._run(story)

    def test_closing_twice_is_harmless(self) -> None:
        """``close`` may be called at any time."""

        async def story(setting: Setting) -> None:
            await setting.provider.close()
            await setting.provider.close()

        self._run(story)

    def _run(self, story: Callable[[Setting], Awaitable[None]]) -> None:
        async def told() -> None:
            async with self.setting() as setting:
                try:
                    with anyio.fail_after(2 * _PATIENCE):
                        await story(setting)
                finally:
                    await setting.provider.close()

        anyio.run(told)


def _generator(setting: Setting, payload: Any) -> Any:
    """The iterator of a stream; a provider's own may lack ``aclose`` only when it holds nothing."""
    return setting.provider.send(payload)


async def _asked(setting: Setting, **options: Any) -> list[StreamEvent]:
    payload = setting.provider.prepare(question(setting.model, **options))
    async with aclosing(_generator(setting, payload)) as events:
        return [event async for event in events]


def _need(held: bool, promise: str) -> None:
    if not held:
        raise AssertionError(f"The provider breaks its contract: {promise}.")
