"""The application: the operations under ``/api``, the page at every other address, the guards around both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from triptych.chat.session import Chat
from triptych.model.diagnostics import Diagnostic
from triptych.server.guards import LOOPBACK_HOSTS, BodyLimit, KnownHost, SameOrigin, SecurityHeaders
from triptych.server.live import LiveConversations
from triptych.server.openapi import openapi
from triptych.server.operations import JSON, Operation, endpoint
from triptych.server.page import STATIC, Page
from triptych.server.problems import exception_handlers, last_handlers
from triptych.server.routes import IMPORTS_PATH, OPERATIONS
from triptych.server.service import Importer, Service
from triptych.server.shapes import ModelInfo

__all__ = ["BODY_LIMIT", "create_app"]

BODY_LIMIT: Final = 16 * 1024 * 1024
UPLOAD_LIMIT: Final = 4 * 1024 * 1024 * 1024
_PREFIX: Final = "/api"


def create_app(
    chat: Chat,
    *,
    version: str = "0.1.0",
    models: tuple[ModelInfo, ...] = (),
    vault_name: str | None = None,
    importer: Importer | None = None,
    diagnostics: tuple[Diagnostic, ...] = (),
    hosts: frozenset[str] | None = LOOPBACK_HOSTS,
    static: Path = STATIC,
    body_limit: int = BODY_LIMIT,
) -> Starlette:
    """The ASGI application over the use cases of ``chat``.

    ``models`` are those that a person can choose, the one in use first, each with an honest word about it;
    ``importer`` stores a file of another program, dropped on the page, for a project; ``hosts`` are the names it answers to, without ports (None: any); ``diagnostics`` are what the page says from
    the start. ``app.state.live`` is what a server ends before it stops (``server.run`` does).
    """
    live = LiveConversations(chat)
    service = Service(
        chat=chat,
        live=live,
        version=version,
        models=models or (ModelInfo(id=chat.model, name=chat.model),),
        vault_name=vault_name,
        importer=importer,
        diagnostics=diagnostics,
    )
    app = Starlette(
        routes=[Mount(_PREFIX, routes=_api_routes(service)), Mount("/", app=Page(static))],
        exception_handlers=exception_handlers,
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(KnownHost, hosts=hosts),
            Middleware(SameOrigin),
            Middleware(BodyLimit, limit=body_limit, larger={_PREFIX + IMPORTS_PATH: UPLOAD_LIMIT}),
            Middleware(ExceptionMiddleware, handlers=last_handlers),
        ],
    )
    app.state.live = live
    return app


def _api_routes(service: Service) -> list[Route]:
    document = msgspec.json.encode(openapi("Triptych", service.version, OPERATIONS, prefix=_PREFIX))

    async def description(_: Request) -> Response:
        return Response(document, media_type=JSON)

    return [
        *(_route(path, operations, service) for path, operations in _by_path().items()),
        Route("/openapi.json", description),
    ]


def _by_path() -> dict[str, list[Operation[Service]]]:
    """One route a path, so that a wrong method is told all the right ones."""
    table: dict[str, list[Operation[Service]]] = {}
    for operation in OPERATIONS:
        table.setdefault(operation.path, []).append(operation)
    return table


def _route(path: str, operations: list[Operation[Service]], service: Service) -> Route:
    endpoints: dict[str, Callable[[Request], Awaitable[Response]]] = {
        operation.method: endpoint(operation, service) for operation in operations
    }

    async def dispatch(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await endpoints[method](request)

    return Route(path, dispatch, methods=list(endpoints))
