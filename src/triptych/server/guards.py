"""Guards around the whole application, as plain ASGI: headers, host, origin, size of a body.

The server has no accounts by default and listens on this machine only, so every page that a person has open in
a browser could reach it. Three walls: another site may not send (``SameOrigin``), a foreign name that resolves
to this machine is no name of ours (``KnownHost``), and nothing but our own files runs in the page
(``SecurityHeaders``).
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from triptych.server.problems import BadRequestError, problem

__all__ = ["LOOPBACK_HOSTS", "PAGE_HEADERS", "BodyLimit", "KnownHost", "SameOrigin", "SecurityHeaders"]

LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

PAGE_HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
        "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""No script but our own files, no address but our own, no frame around us. An answer may set a stricter policy."""


class SecurityHeaders:
    """Adds headers to every answer, errors included; what an answer says itself stays."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str] = PAGE_HEADERS) -> None:
        self._app = app
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(event: Message) -> None:
            if event["type"] == "http.response.start":
                headers = MutableHeaders(scope=event)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(event)

        await self._app(scope, receive, sending)


class KnownHost:
    """Refuses requests whose ``Host`` is none of ours: a foreign name that was made to point at this machine.

    ``hosts`` are names without a port; None lets every name in.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None = LOOPBACK_HOSTS) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http" and self._hosts is not None:
            name = _without_port(Headers(scope=scope).get("host", "")).lower()
            if name not in self._hosts:
                refusal = problem(HTTPStatus.MISDIRECTED_REQUEST, "This server does not answer to that name.")
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


class SameOrigin:
    """Refuses requests that change something when a foreign page sent them.

    ``Sec-Fetch-Site`` decides where a browser sends it, else ``Origin`` against ``Host``. A program that sends
    neither (curl, our own command line) is let in: no page can leave both out.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if (
            scope["type"] == "http"
            and scope["method"] not in _SAFE_METHODS
            and _is_foreign(Headers(scope=scope))
        ):
            refusal = problem(HTTPStatus.FORBIDDEN, "Another site may not change anything here.")
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_foreign(headers: Headers) -> bool:
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site not in {"same-origin", "none"}
    return origin is not None and origin.partition("://")[2] != headers.get("host")


class BodyLimit:
    """Refuses request bodies above ``limit`` bytes, announced or not, before they are read whole.

    ``larger`` are paths with a limit of their own.
    """

    def __init__(self, app: ASGIApp, limit: int, larger: Mapping[str, int] | None = None) -> None:
        self._app = app
        self._limit = limit
        self._larger = larger or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._larger.get(scope["path"], self._limit)
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > limit:
            refusal = problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large(limit))
            await refusal(scope, receive, send)
            return
        await self._app(scope, _counted(receive, limit), send)


def _too_large(limit: int) -> str:
    return f"A request may have {limit:,} bytes at most."


def _counted(receive: Receive, limit: int) -> Receive:
    seen = 0

    async def receiving() -> Message:
        nonlocal seen
        event = await receive()
        seen += len(event.get("body", b""))
        if seen > limit:
            raise BadRequestError(_too_large(limit), status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return event

    return receiving
