"""One thread that does work for an event loop, in order.

The same as an executor with one thread, but a job costs one queue entry and one wake-up of the loop: a durable
append is so short that an executor's second future would be a tenth of it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["Worker"]

T = TypeVar("T")

_Job = tuple[asyncio.Future[Any], Callable[[], Any]]


class Worker:
    """A thread and its queue. Cancelling the wait does not cancel the work."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def do(self, work: Callable[[], T]) -> T:
        """Have the work done in the thread; its result, or its exception."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put((future, work))
        return await future

    def stop(self) -> None:
        """Wait until all work that was asked for is done, then end the thread."""
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, work = job
            try:
                outcome, failed = work(), False
            except BaseException as problem:  # noqa: BLE001 # it is raised where the work was asked for
                outcome, failed = problem, True
            _tell(future, outcome, failed=failed)


def _tell(future: asyncio.Future[Any], outcome: Any, *, failed: bool) -> None:
    with suppress(RuntimeError):  # the loop has been closed: nobody waits any more
        future.get_loop().call_soon_threadsafe(_settle, future, outcome, failed)


def _settle(future: asyncio.Future[Any], outcome: Any, failed: bool) -> None:
    if future.done():
        return
    if failed:
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
