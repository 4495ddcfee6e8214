"""Arguments of tool calls, as models write them: cut short, or with one argument inside another's string.

Nothing here raises on what a model wrote. ``sanitize_arguments`` gives text that every provider takes as JSON;
``read_arguments`` gives the value for the tool.

Not here: checking arguments against a schema beyond which are required.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from triptych.context.rowwork import listed, mapping, present
from triptych.context.tooling.partial_json import NOTHING, read_partial

__all__ = ["read_arguments", "repair_arguments", "sanitize_arguments"]


def sanitize_arguments(written: Any) -> str:
    """Arguments as valid JSON: the same text when it is, else what can be read of it, else ``{}``."""
    if not isinstance(written, str) or not written:
        return "{}"
    if _strict(written) is not NOTHING:
        return written
    value = read_partial(written)
    return _written(value) if isinstance(value, dict | list) else "{}"


def read_arguments(written: Any, parameters: Mapping[str, Any] | None = None) -> Any:
    """The arguments as a value: strict JSON, else what can be read, else an empty mapping; then repaired."""
    value = NOTHING
    if isinstance(written, str) and written:
        value = _strict(written)
        value = read_partial(written) if value is NOTHING else value
    usable = value is not NOTHING and present(value)
    return repair_arguments(value if usable else {}, parameters)


def repair_arguments(value: Any, parameters: Mapping[str, Any] | None) -> Any:
    """The arguments, taken apart where one swallowed the others: ``{"a": 'x", "b": "y"}'}`` has two.

    Only when required ones are missing and the result has them all; otherwise the value as it was.
    """
    required = [name for name in listed(mapping(parameters).get("required")) if isinstance(name, str)]
    if not isinstance(value, Mapping) or not required:
        return value
    missing = [name for name in required if name not in value]
    if not missing:
        return value
    for key, text in value.items():
        if isinstance(text, str) and any(_holds(text, name) for name in missing):
            whole = _taken_apart(key, text)
            if whole is not None and all(name in whole for name in required):
                return whole
    return value


def _holds(text: str, name: str) -> bool:
    return f'", "{name}":' in text or f'\\", \\"{name}\\":' in text


def _taken_apart(key: str, text: str) -> dict[str, Any] | None:
    value = read_partial(f'{{{json.dumps(key)}: "{text}')
    return value if isinstance(value, dict) else None


def _strict(written: str) -> Any:
    """The value of strict JSON. The fast reader refuses a little more than JSON does, so the other one has its say."""
    try:
        return msgspec.json.decode(written)
    except (ValueError, RecursionError):
        pass
    try:
        return _DECODER.decode(written)
    except (ValueError, RecursionError):
        return NOTHING


def _refuse(word: str) -> Any:
    raise ValueError(word)


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _written(value: Any) -> str:
    """The value as compact JSON, as the ecosystem writes it; what JSON has no word for is null."""
    try:
        return json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return "{}"


def _finite(value: Any) -> Any:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return json.loads(json.dumps(value), parse_constant=lambda _: None)
    return value
