"""The encodings of recorded vectors, both ways: call tables, maps, dates, undefined, numbers that JSON lacks.

Not here: what is computed with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from triptych.model.diagnostics import Diagnostic

__all__ = ["UNDEFINED", "as_map", "decode", "encode", "milliseconds", "table"]


class _Undefined:
    """A value that is not there. It counts as false."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED: Any = _Undefined()
_WHOLE = 2**53
"""Whole numbers below this are written without a point, as JavaScript writes them."""


class _Map(dict[Any, Any]):
    """A mapping that is written as a list of pairs."""


def as_map(values: Mapping[Any, Any]) -> dict[Any, Any]:
    """A mapping that ``encode`` writes as ``{"$map": [[key, value]]}``."""
    return _Map(values)


def decode(value: Any) -> Any:
    """A value out of its encoding: tables as functions, dates as ``datetime``."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        (key, held), *_ = value.items()
        reader = _READERS.get(key)
        if reader is not None:
            return reader(held)
    decoded = {key: decode(held) for key, held in value.items()}
    return {key: held for key, held in decoded.items() if held is not UNDEFINED}


def encode(value: Any) -> Any:
    """A value in its encoding, ready for JSON."""
    if value is UNDEFINED:
        return {"$undef": True}
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, datetime):
        return {"$date": _iso(value)}
    if isinstance(value, _Map):
        return {"$map": [[encode(key), encode(held)] for key, held in value.items()]}
    if isinstance(value, Mapping):
        return {key: encode(held) for key, held in value.items() if held is not UNDEFINED}
    if isinstance(value, Diagnostic):
        return value.message
    return [encode(item) for item in value] if isinstance(value, list | tuple) else value


def table(calls: list[Any]) -> Callable[..., Any]:
    """A function by its recorded calls; a call that was not recorded has no value."""

    def call(*arguments: Any) -> Any:
        asked = _without_tail(list(arguments))
        for recorded in calls:
            if _without_tail([decode(one) for one in recorded.get("args", [])]) == asked:
                if "throws" in recorded:
                    raise RuntimeError(_message(recorded["throws"]))
                return decode(recorded.get("returns"))
        return UNDEFINED

    return call


def milliseconds(moment: Any) -> int | None:
    """A date (``datetime``, ISO text, milliseconds) as epoch milliseconds; None when it is none."""
    if isinstance(moment, bool) or moment is None:
        return None
    if isinstance(moment, int | float):
        return int(moment) if math.isfinite(moment) else None
    try:
        read = moment if isinstance(moment, datetime) else datetime.fromisoformat(str(moment))
    except ValueError:
        return None
    aware = read if read.tzinfo is not None else read.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _number(value: float) -> Any:
    if math.isnan(value):
        return {"$num": "NaN"}
    if math.isinf(value):
        return {"$num": "Infinity" if value > 0 else "-Infinity"}
    if value == 0 and math.copysign(1, value) < 0:
        return {"$num": "-0"}
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value


def _read_number(held: Any) -> float:
    return float(str(held).replace("Infinity", "inf"))


def _read_date(held: Any) -> Any:
    try:
        return datetime.fromisoformat(str(held))
    except ValueError:
        return held


def _read_map(held: Any) -> Any:
    return _Map((pair[0], decode(pair[1])) for pair in held)


def _without_tail(arguments: list[Any]) -> list[Any]:
    while arguments and (arguments[-1] is None or arguments[-1] is UNDEFINED):
        arguments.pop()
    return arguments


def _message(thrown: Any) -> str:
    return str(thrown.get("message")) if isinstance(thrown, Mapping) else str(thrown)


_READERS: dict[str, Callable[[Any], Any]] = {
    "$fn": lambda held: table(list(held.get("calls", []))),
    "$map": _read_map,
    "$date": _read_date,
    "$undef": lambda _held: UNDEFINED,
    "$num": _read_number,
}
