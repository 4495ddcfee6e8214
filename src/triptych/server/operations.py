"""A small typed layer: an operation is a row of a table, its bodies and answers are msgspec values.

``endpoint`` makes a Starlette endpoint of an operation; ``openapi`` (next door) describes the same table, so the
two cannot disagree. Not here: what the operations do (``routes``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Generic, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from triptych.server.problems import BadRequestError, FieldError

__all__ = ["JSON", "OCTETS", "Operation", "endpoint"]

JSON: Final = "application/json"
OCTETS: Final = "application/octet-stream"
Context = TypeVar("Context")


@dataclass(frozen=True, kw_only=True)
class Operation(Generic[Context]):
    """One method on one path.

    Attributes:
        run: called with the context, the request when ``raw`` is set, the path's parameters, and ``body`` and
            ``query`` when they are declared. What it returns is encoded; a ``Response`` goes out as it is.
        body, query: the types of the request's JSON body and of its query, or None.
        answer: the type of the answer's JSON; None when there is no body.
        media: the media type of the answer.
        takes: the media type of the request's body; one that is not JSON is read by ``run`` itself.
        refuses: statuses of problems that this operation may answer beside the usual ones.
    """

    method: str
    path: str
    run: Callable[..., Awaitable[Any]]
    body: Any = None
    query: type[msgspec.Struct] | None = None
    answer: Any = None
    status: int = HTTPStatus.OK
    media: str = JSON
    refuses: tuple[int, ...] = ()
    raw: bool = False
    takes: str = JSON


def endpoint(operation: Operation[Context], context: Context) -> Callable[[Request], Awaitable[Response]]:
    """A Starlette endpoint that reads, runs and answers one operation."""
    decoder = msgspec.json.Decoder(operation.body) if operation.body is not None else None
    encoder = msgspec.json.Encoder()

    async def run(request: Request) -> Response:
        given: dict[str, Any] = dict(request.path_params)
        if operation.raw:
            given["request"] = request
        if decoder is not None:
            given["body"] = await _body(request, decoder)
        if operation.query is not None:
            given["query"] = _query(request, operation.query)
        value = await operation.run(context, **given)
        if isinstance(value, Response):
            return value
        if operation.answer is None:
            return Response(status_code=operation.status)
        return Response(encoder.encode(value), operation.status, media_type=operation.media)

    return run


async def _body(request: Request, decoder: msgspec.json.Decoder[Any]) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise BadRequestError(f"Send {JSON}.", status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    try:
        data = await request.body()
    except ClientDisconnect:
        raise BadRequestError("The request ended before its body did.") from None
    return _read(lambda: decoder.decode(data))


def _query(request: Request, kind: type[msgspec.Struct]) -> Any:
    given = dict(request.query_params)
    return _read(lambda: msgspec.convert(given, kind, strict=False))


def _read(read: Callable[[], Any]) -> Any:
    """The value; whatever is wrong with the text becomes a 400 that names the place."""
    try:
        return read()
    except RecursionError:
        raise _unreadable("nested too deeply", "$") from None
    except (msgspec.MsgspecError, UnicodeError) as error:
        sentence, _, path = str(error).partition(" - at `")
        raise _unreadable(sentence, path.rstrip("`") or "$") from None


def _unreadable(sentence: str, path: str) -> BadRequestError:
    return BadRequestError(
        "The request does not have the form of this operation.", FieldError(message=sentence, path=path)
    )
