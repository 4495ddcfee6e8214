"""A real server on a free port, in a thread, for tests that need more than one request and answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from triptych.server.run import Server, bind

GRACE = 20
"""Seconds that a stopping server waits for its streams: none should have to end by that."""


@contextmanager
def running(app: Any) -> Iterator[str]:
    """The address of the server; it is stopped at the end."""
    listener = bind("127.0.0.1", 0)
    started = threading.Event()
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=GRACE, lifespan="off")
    server = Server(config, app, started.set)
    loop = asyncio.new_event_loop()

    def work() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(server.serve(sockets=[listener]))
        loop.close()

    thread = threading.Thread(target=work)
    thread.start()
    assert started.wait(30)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(server.stop)
        thread.join(2 * GRACE)
        listener.close()
        assert not thread.is_alive()
