"""What one row says about itself, whatever the types in it. Every question here has an answer for any row.

Not here: questions that need other rows (``index``, ``chains``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

from triptych.model.rows import Row

__all__ = [
    "active_index",
    "calls",
    "is_aside",
    "is_callback",
    "is_completion",
    "is_council",
    "is_internal",
    "is_member",
    "is_object",
    "is_supervisor",
    "metadata",
    "sequence",
    "signal",
    "truthy",
]

_NOTHING: Final[Mapping[str, Any]] = {}
_ASIDES: Final = ("task", "taskCallback")
_CONTAINERS: Final = frozenset({dict, list, tuple})
_CALLBACKS: Final = frozenset({"tool-stdout", "tool-callback"})


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a JSON object."""
    return value.__class__ is dict or (value is not None and isinstance(value, Mapping))


def truthy(value: Any) -> bool:
    """Whether a stored value says something, as the ecosystem's JavaScript judges: an empty object does."""
    return bool(value) or value.__class__ in _CONTAINERS


def metadata(row: Row) -> Mapping[str, Any]:
    """The metadata, or nothing when there is none that can be read."""
    found: Any = row.get("metadata")
    if found.__class__ is dict:
        return found
    return found if is_object(found) else _NOTHING


def calls(row: Row) -> Sequence[Any]:
    """The tool calls in payload order; an assistant with an empty answer here is *toolless*."""
    found = row.get("tools")
    if found is None:
        return ()
    return found if isinstance(found, list | tuple) else ()


def is_supervisor(row: Row) -> bool:
    """Whether an orchestrator wrote it."""
    about = metadata(row)
    return about.get("orchestrationRole") == "supervisor" or truthy(about.get("isSupervisor"))


def is_member(row: Row) -> bool:
    """Whether a member of an agent group wrote it, under its own name."""
    return row.get("role") == "assistant" and metadata(row).get("orchestrationRole") == "member"


def is_council(row: Row) -> bool:
    """Whether it asked several agents at once: its children are members, not branches."""
    return "metadata" in row and metadata(row).get("agentCouncil") is True


def is_internal(row: Row) -> bool:
    """Whether it is an envelope between agents that no person reads."""
    dispatch = metadata(row).get("agentDispatch")
    return is_object(dispatch) and dispatch.get("visibility") == "internal"


def signal(row: Row) -> Mapping[str, Any] | None:
    """Why a toolless assistant spoke without being asked: ``signal``, else ``metadata.signal``.

    A promoted signal (``metadata.signalPromoted``) is an ordinary step and gives None.
    """
    if row.get("role") != "assistant" or ("metadata" not in row and "signal" not in row) or calls(row):
        return None
    about = metadata(row)
    found = row.get("signal") or about.get("signal")
    if not truthy(found) or truthy(about.get("signalPromoted")):
        return None
    return found if is_object(found) else _NOTHING


def is_aside(row: Row) -> bool:
    """Whether a child never competes with its siblings: tasks, their callbacks, and what nobody asked for."""
    return row.get("role") in _ASIDES or signal(row) is not None


def is_callback(row: Row) -> bool:
    """Whether it answers what a running tool said."""
    found = signal(row)
    return found is not None and _kind(found) in _CALLBACKS


def is_completion(row: Row) -> bool:
    """Whether it reports that a background task has ended."""
    found = signal(row)
    return found is not None and _kind(found) == "task-completion"


def sequence(row: Row) -> float:
    """The place of a callback among those of its tool; callbacks without one come last."""
    number = (signal(row) or _NOTHING).get("sequence")
    return number if isinstance(number, int | float) and number == number else float("inf")  # noqa: PLR0124


def active_index(row: Row) -> int | float | None:
    """The branch that somebody chose below this row, or None when nobody did or it cannot be one."""
    if "metadata" not in row:
        return None
    index = metadata(row).get("activeBranchIndex")
    if index is None or isinstance(index, bool) or not isinstance(index, int | float):
        return None
    return index if index >= 0 else None


def _kind(found: Mapping[str, Any]) -> str:
    kind = found.get("type")
    return kind if isinstance(kind, str) else ""
