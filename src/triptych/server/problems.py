"""Errors as ``application/problem+json`` (RFC 9457), with the path of each field that does not fit.

Not here: which error an operation raises (``routes``), and the errors themselves (``triptych.errors``).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from triptych.errors import DataError, ProviderError, StoreError, TriptychError, UsageError

__all__ = [
    "BadRequestError",
    "FieldError",
    "NotFoundError",
    "Problem",
    "exception_handlers",
    "last_handlers",
    "problem",
]

_LOG = logging.getLogger(__name__)
_STATUS: Final[tuple[tuple[type[TriptychError], int], ...]] = (
    (UsageError, HTTPStatus.CONFLICT),
    (DataError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
    (ProviderError, HTTPStatus.BAD_GATEWAY),
)


class FieldError(msgspec.Struct, frozen=True, kw_only=True):
    """One field that does not fit; ``path`` is where it stands, as ``$.references[0].path``."""

    message: str
    path: str


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong: ``title`` names the kind, ``detail`` is a sentence that says what to do."""

    title: str
    status: int
    type: str = "about:blank"
    detail: str = ""
    errors: tuple[FieldError, ...] = ()


class BadRequestError(Exception):
    """A request that an operation cannot read; answered with ``status`` and the fields at fault."""

    def __init__(self, detail: str, *errors: FieldError, status: int = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = errors
        self.status = status


class NotFoundError(BadRequestError):
    """The thing that the address names is not here."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, status=HTTPStatus.NOT_FOUND)


def problem(
    status: int,
    detail: str = "",
    errors: tuple[FieldError, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The answer for an error."""
    body = Problem(title=HTTPStatus(status).phrase, status=int(status), detail=detail, errors=errors)
    return Response(msgspec.json.encode(body), int(status), headers, "application/problem+json")


async def _bad_request(_: Request, error: Exception) -> Response:
    assert isinstance(error, BadRequestError)  # noqa: S101 # Starlette calls a handler with its own type only
    return problem(error.status, error.detail, error.errors)


async def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 # likewise
    phrase = HTTPStatus(error.status_code).phrase
    detail = "" if error.detail == phrase else error.detail
    return problem(error.status_code, detail, headers=error.headers)


async def _ours(_: Request, error: Exception) -> Response:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), HTTPStatus.BAD_REQUEST)
    return problem(status, str(error))


async def _unforeseen(_: Request, error: Exception) -> Response:
    _LOG.error("An operation failed", exc_info=error)
    return problem(
        HTTPStatus.INTERNAL_SERVER_ERROR, "Something failed here; the log of the server says what."
    )


exception_handlers: Final = {BadRequestError: _bad_request, HTTPException: _http, TriptychError: _ours}
"""For ``Starlette(exception_handlers=…)``: every error becomes a problem."""

last_handlers: Final = {Exception: _unforeseen}
"""For an ``ExceptionMiddleware`` inside the guards: what nobody foresaw becomes a problem with all headers."""
