"""The OpenAPI 3.1 description of a table of operations, from the very types that decode and encode them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec

from triptych.server.operations import JSON, Operation
from triptych.server.problems import Problem

__all__ = ["openapi"]

_TEMPLATE: Final = "#/components/schemas/{name}"
_PARAMETER: Final = re.compile(r"{(\w+)(?::\w+)?}")
_USUAL: Final = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.MISDIRECTED_REQUEST)
_WITH_BODY: Final = (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
_BY_NAME: Final = (HTTPStatus.NOT_FOUND,)


def openapi(
    title: str, version: str, operations: Sequence[Operation[Any]], *, prefix: str = ""
) -> dict[str, Any]:
    """The document. Unions carry their discriminator; docstrings become descriptions."""
    types = _types(operations)
    shapes, components = msgspec.json.schema_components(types, ref_template=_TEMPLATE)
    known = {id(kind): shape for kind, shape in zip(types, shapes, strict=True)}
    paths: dict[str, Any] = {}
    for operation in operations:
        item = paths.setdefault(prefix + _PARAMETER.sub(r"{\1}", operation.path), {})
        item[operation.method.lower()] = _described(operation, known, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version},
        "paths": paths,
        "components": {"schemas": components},
    }


def _types(operations: Iterable[Operation[Any]]) -> list[Any]:
    used = [kind for one in operations for kind in (one.body, one.query, one.answer) if kind is not None]
    return list({id(kind): kind for kind in (*used, Problem)}.values())


def _described(
    operation: Operation[Any], known: dict[int, Any], components: dict[str, Any]
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.run.__name__,
        "summary": (operation.run.__doc__ or "").split("\n")[0],
        "parameters": [*_path_parameters(operation), *_query_parameters(operation, components)],
        "responses": _responses(operation, known),
    }
    if operation.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {JSON: {"schema": known[id(operation.body)]}},
        }
    if operation.takes != JSON:
        octets = {"type": "string", "format": "binary"}
        described["requestBody"] = {"required": True, "content": {operation.takes: {"schema": octets}}}
    return described


def _path_parameters(operation: Operation[Any]) -> list[dict[str, Any]]:
    names = _PARAMETER.findall(operation.path)
    text = {"type": "string", "minLength": 1}
    return [{"name": name, "in": "path", "required": True, "schema": text} for name in names]


def _query_parameters(operation: Operation[Any], components: dict[str, Any]) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    shape = components[operation.query.__name__]
    needed = shape.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in needed, "schema": schema}
        for name, schema in shape["properties"].items()
    ]


def _responses(operation: Operation[Any], known: dict[int, Any]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": HTTPStatus(operation.status).phrase}
    if operation.answer is not None:
        good["content"] = {operation.media: {"schema": known[id(operation.answer)]}}
    elif operation.media != JSON:
        good["content"] = {operation.media: {"schema": {"type": "string"}}}
    refusals = [
        *_USUAL,
        *(_BY_NAME if "{" in operation.path else ()),
        *(_WITH_BODY if operation.body is not None or operation.takes != JSON else ()),
        *operation.refuses,
    ]
    bad = {"application/problem+json": {"schema": known[id(Problem)]}}
    problems = {
        str(int(status)): {"description": HTTPStatus(status).phrase, "content": bad}
        for status in sorted(refusals)
    }
    return {str(int(operation.status)): good, **problems}
