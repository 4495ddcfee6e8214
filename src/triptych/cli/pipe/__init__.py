"""``triptych pipe VERB``: one JSON line in, one JSON line out, for other languages and for the vectors.

A verb is a module of this package with a function ``handle(request) -> JSON value``; its name is the verb.
Nothing here touches a data folder, the clock or the network.
"""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from triptych.errors import UsageError

__all__ = ["answer_line", "find_verb", "run", "verbs"]

Handler = Callable[[dict[str, Any]], Any]


def verbs() -> list[str]:
    """The verbs that exist, in alphabetical order."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def find_verb(name: str) -> Handler:
    """The handler of a verb; an unknown one is a usage error that lists those that exist."""
    if name not in verbs():
        raise UsageError(f"There is no pipe verb {name!r}; choose one of: {', '.join(verbs())}.")
    return importlib.import_module(f"{__name__}.{name}").handle


def run(name: str, source: BinaryIO, sink: BinaryIO, *, verbose: bool = False) -> None:
    """Answer every non-blank line of ``source`` with exactly one line on ``sink``, in order, flushed."""
    handle = find_verb(name)
    for line in source:
        if line.strip():
            sink.write(answer_line(handle, line, verbose=verbose))
            sink.flush()


def answer_line(handle: Handler, line: bytes, *, verbose: bool = False) -> bytes:
    r"""One answer line, ASCII with ``\u`` escapes. A failure is an answer too: ``{"error": {name, message}}``."""
    try:
        return _written(handle(_read(line)))
    except Exception as problem:  # noqa: BLE001 # the line protocol promises an answer for every line
        if verbose:
            sys.stderr.write(f"{type(problem).__name__}: {problem}\n")
        return _written({"error": {"name": type(problem).__name__, "message": str(problem)}})


def _read(line: bytes) -> dict[str, Any]:
    value = json.loads(line.decode("utf-8", "surrogatepass"))
    if not isinstance(value, dict):
        raise UsageError("A request line must be a JSON object.")
    return value


def _written(value: Any) -> bytes:
    """ASCII JSON; NaN and the infinities, which JSON cannot write, become null."""
    try:
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), allow_nan=False)
    return text.encode("ascii") + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
