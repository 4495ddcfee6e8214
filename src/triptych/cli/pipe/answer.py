"""``pipe answer``: ``{"fn": "partition" | "split" | "resolve" | "status", "args": [...]}`` to ``{"result"}``.

* ``partition``: ``[blocks, {"isGenerating"?, "toolsPhaseComplete"?}]`` to ``{"segments", "postToolTailPromoted"}``
* ``split``: ``[segments]`` to ``{"finalSegments", "processSegments"}``
* ``resolve``: ``[message]`` to the final content, null when there is none
* ``status``: ``[text]`` to whether it is only a status
"""

from __future__ import annotations

from typing import Any

from triptych.errors import UsageError
from triptych.flow.answer import final_content, is_status, partition, split_final

__all__ = ["handle"]


def handle(request: dict[str, Any]) -> dict[str, Any]:
    """Compute one function over its arguments."""
    name, arguments = request.get("fn"), request.get("args", [])
    if not isinstance(arguments, list):
        raise UsageError('"args" must be a list.')
    first, second, *_ = [*arguments, None, None]
    match name:
        case "partition":
            return {"result": _partition(first, second)}
        case "split":
            return {"result": _split(first)}
        case "resolve":
            return {"result": final_content(first if isinstance(first, dict) else {})}
        case "status":
            return {"result": is_status(first)}
        case _:
            raise UsageError(
                f"There is no function {name!r}; choose one of: partition, resolve, split, status."
            )


def _partition(blocks: Any, options: Any) -> dict[str, Any]:
    options = options if isinstance(options, dict) else {}
    segments, promoted = partition(
        _objects(blocks),
        generating=bool(options.get("isGenerating")),
        tools_phase_complete=bool(options.get("toolsPhaseComplete")),
    )
    return {"segments": segments, "postToolTailPromoted": promoted}


def _split(segments: Any) -> dict[str, Any]:
    final, process = split_final(_objects(segments))
    return {"finalSegments": final, "processSegments": process}


def _objects(value: Any) -> list[Any]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
