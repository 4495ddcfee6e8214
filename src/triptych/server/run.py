"""Serving the application until somebody stops it: a port that is free, an end that is clean.

The streams of events have no end of their own, so a server that waits for its connections would never stop.
At the signal they are ended first; then there is nothing to wait for.
"""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Final

import uvicorn
from starlette.applications import Starlette

from triptych.errors import UsageError

__all__ = ["Server", "bind", "run", "serve"]

PORTS_TRIED: Final = 50
GRACE: Final = 2


class Server(uvicorn.Server):
    """Uvicorn's server that ends the live streams when it is told to stop."""

    def __init__(self, config: uvicorn.Config, app: Starlette, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._tell_started = started
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Task[None] | None = None

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until ``stop`` or a signal."""
        self._loop = asyncio.get_running_loop()
        await super().serve(sockets)
        await self._app.state.live.end()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open for connections, and say so."""
        await super().startup(sockets)
        if self.started:
            self._tell_started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The signal came: streams end, then the server does; a second Ctrl-C does not wait.

        Uvicorn's own handler would raise the signal again afterwards and kill the process before the store is closed.
        """
        del frame
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._end_streams)

    def stop(self) -> None:
        """End from inside the loop, as a signal would."""
        self.should_exit = True
        self._end_streams()

    def _end_streams(self) -> None:
        self._ending = asyncio.ensure_future(self._app.state.live.end())


def bind(host: str, port: int, *, seek: bool = False) -> socket.socket:
    """A socket that listens; ``seek``: when the port is taken, the next free one. Port 0 is any free one.

    Raises ``UsageError`` with a sentence that says what to do.
    """
    last = port + (PORTS_TRIED if seek and port else 1)
    for candidate in range(port, last):
        try:
            return _listening(host, candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise UsageError(f"Cannot listen on {host}:{candidate} ({error.strerror}).") from None
    if seek and port:
        raise UsageError(f"Ports {port} to {last - 1} are all taken; choose another with --port.")
    raise UsageError(f"Port {port} is taken; choose another with --port, or 0 for any free one.")


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise UsageError(f"There is no address {host!r} on this machine ({error.strerror}).") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError:
        listener.close()
        raise
    listener.set_inheritable(True)
    return listener


async def serve(
    app: Starlette,
    host: str = "127.0.0.1",
    port: int = 8321,
    *,
    seek: bool = False,
    ready: Callable[[str], None] | None = None,
    log_level: str = "warning",
) -> None:
    """Serve until a signal. ``ready`` is told the page's address once it can be opened."""
    listener = bind(host, port, seek=seek)
    config = uvicorn.Config(
        app, log_level=log_level, access_log=False, timeout_graceful_shutdown=GRACE, server_header=False
    )
    server = Server(config, app, _telling(listener, ready))
    try:
        await server.serve(sockets=[listener])
    finally:
        listener.close()


def _telling(listener: socket.socket, ready: Callable[[str], None] | None) -> Callable[[], None]:
    address = _address(listener)
    return lambda: None if ready is None else ready(address)


def _address(listener: socket.socket) -> str:
    name, port = listener.getsockname()[:2]
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}"


def run(
    app: Starlette,
    host: str = "127.0.0.1",
    port: int = 8321,
    *,
    seek: bool = False,
    ready: Callable[[str], None] | None = None,
) -> None:
    """``serve`` for callers without a loop."""
    asyncio.run(serve(app, host, port, seek=seek, ready=ready))
