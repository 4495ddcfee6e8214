"""The display face: a message as a row that a page draws, and back.

A row is the RFC's UI message. Its ordered ``parts`` are the truth; ``content``, ``reasoning``, ``tools``,
``imageList`` and the like are derived from them for those who draw by fields. What a message keeps in ``extra``
stands among the fields, so a foreign row comes back with every key it had.

Laws: ``from_row(to_row(m)) == m``; every key of a clean row ``r`` is in ``to_row(from_row(r))`` with the same
value. Both are total. Not here: which rows are shown, and in which group (``flow``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from triptych.model.codec import message_to_json
from triptych.model.diagnostics import Diagnostic
from triptych.model.foreign import clean_json
from triptych.model.messages import AssistantMessage, Message
from triptych.model.origins import PLAIN, Council, Dispatch, Origin, Signal, Supervisor, Task, TaskCallback
from triptych.model.tolerant import parse_message
from triptych.views.row_fields import (
    derived_fields,
    from_row_performance,
    from_row_usage,
    origin_metadata,
    row_role,
    to_row_performance,
    to_row_usage,
)
from triptych.views.row_parts import KINDS, parts_of_row

__all__ = ["from_row", "to_row"]

_SAME_NAME = ("id", "parentId", "hidden", "favorite", "agentId", "groupId", "targetId", "threadId")
_OWN = ("activeChildId", "status", "model", "provider", "envelopeId", "runId")
_TRACE = ("traceId", "observationId", "quotaId", "clientId")
_TIMES = ("createdAt", "updatedAt")


def to_row(message: Message) -> dict[str, Any]:
    """The message as a row. ``createdAt`` and ``updatedAt`` are epoch milliseconds."""
    plain = message_to_json(message if message.extra is None else _without_extra(message))
    row: dict[str, Any] = {name: plain[name] for name in (*_SAME_NAME, *_OWN) if name in plain}
    row |= {
        "role": row_role(message, plain["role"]),
        "parts": plain.get("parts", []),
        "createdAt": message.created_at,
        "updatedAt": message.updated_at,
        "meta": {},
    }
    row |= derived_fields(message)
    row |= plain.get("trace", {})
    if message.origin != PLAIN:
        row["origin"] = plain["origin"]
    if message.metadata is not None or origin_metadata(message.origin):
        row["metadata"] = (message.metadata or {}) | origin_metadata(message.origin)
    if isinstance(message, AssistantMessage):
        row |= _costs(message)
    return row | (message.extra or {})


def _without_extra(message: Message) -> Message:
    return msgspec.structs.replace(message, extra=None)


def _costs(message: AssistantMessage) -> dict[str, Any]:
    costs: dict[str, Any] = {}
    if message.usage is not None:
        costs["usage"] = to_row_usage(message.usage)
    if message.performance is not None:
        costs["performance"] = to_row_performance(message.performance)
    return costs


def from_row(value: Any) -> tuple[Message, tuple[Diagnostic, ...]]:
    """Any row as a message. A key that no field holds, or whose value differs from what its field shows, is kept."""
    row, cleaned = clean_json(value)
    if not isinstance(row, Mapping):
        message, found = parse_message(row)
        return message, (*cleaned, *found)
    core, found = parse_message(_core(row))
    shown = to_row(core)
    kept = {key: item for key, item in row.items() if key not in shown or shown[key] != item}
    message = msgspec.structs.replace(core, extra=kept or None)
    return message, (*cleaned, *_worth_telling(found), *_unknown_role(row))


def _worth_telling(found: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    return (one for one in found if one.code != "unknown_role")


def _unknown_role(row: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    if row.get("role") in [*KINDS, "task", "taskCallback", "supervisor"]:
        return ()
    return (
        Diagnostic(
            code="unknown_role", message="An unknown role is shown as the assistant's.", where=_id(row)
        ),
    )


def _id(row: Mapping[str, Any]) -> str | None:
    name = row.get("id")
    return name if isinstance(name, str) else None


def _core(row: Mapping[str, Any]) -> dict[str, Any]:
    """The message JSON that a row tells of, without anything that would go to ``extra``."""
    role, origin = _role_and_origin(row)
    core: dict[str, Any] = {name: row[name] for name in _SAME_NAME if _fits(name, row.get(name))}
    core |= {"role": role, "origin": msgspec.to_builtins(origin)}
    core |= {name: time for name in _TIMES if (time := _time(row.get(name))) is not None}
    core |= _metadata(row, origin)
    core["parts"] = _parts(row, KINDS[role])
    trace = {name: row[name] for name in _TRACE if isinstance(row.get(name), str)}
    if trace:
        core["trace"] = trace
    if role == "assistant":
        core |= _own(row)
    if isinstance(row.get("activeChildId"), str):
        core["activeChildId"] = row["activeChildId"]
    return core


def _fits(name: str, value: Any) -> bool:
    return isinstance(value, bool) if name in {"hidden", "favorite"} else isinstance(value, str)


def _own(row: Mapping[str, Any]) -> dict[str, Any]:
    own: dict[str, Any] = {
        name: row[name]
        for name in ("model", "provider", "envelopeId", "runId")
        if isinstance(row.get(name), str)
    }
    if _is_status(row.get("status")):
        own["status"] = row["status"]
    usage, performance = from_row_usage(row.get("usage")), from_row_performance(row.get("performance"))
    if usage is not None:
        own["usage"] = msgspec.to_builtins(usage)
    if performance is not None:
        own["performance"] = msgspec.to_builtins(performance)
    return own


def _is_status(value: Any) -> bool:
    try:
        msgspec.convert({"id": "", "role": "assistant", "status": value}, AssistantMessage)
    except msgspec.ValidationError:
        return False
    return True


def _role_and_origin(row: Mapping[str, Any]) -> tuple[str, Origin]:
    role = row.get("role")
    named = _named_origin(row.get("origin"))
    match role:
        case "task":
            return "assistant", named if isinstance(named, Task) else Task()
        case "taskCallback":
            return "assistant", named if isinstance(named, TaskCallback) else TaskCallback()
        case "supervisor":
            return "assistant", Supervisor()
        case "system" | "user" | "assistant" | "tool":
            return role, named or _flagged_origin(row)
        case _:
            return "assistant", named or PLAIN


def _named_origin(value: Any) -> Origin | None:
    try:
        return msgspec.convert(value, Origin) if isinstance(value, Mapping) else None
    except msgspec.ValidationError:
        return None


def _flagged_origin(row: Mapping[str, Any]) -> Origin:
    metadata = row.get("metadata")
    if not isinstance(metadata, Mapping):
        return PLAIN
    signal, dispatch = metadata.get("signal"), metadata.get("agentDispatch")
    if metadata.get("isSupervisor") is True:
        return Supervisor()
    if isinstance(signal, Mapping) and isinstance(signal.get("type"), str):
        return _signal(signal)
    if dispatch == {"visibility": "internal"}:
        return Dispatch(internal=True)
    if metadata.get("orchestrationRole") == "member":
        return Council()
    return PLAIN


def _signal(value: Mapping[str, Any]) -> Signal:
    call, tool, sequence = (value.get(key) for key in ("sourceToolCallId", "sourceToolName", "sequence"))
    return Signal(
        signal=value["type"],
        source_call_id=call if isinstance(call, str) else None,
        source_tool=tool if isinstance(tool, str) else None,
        sequence=sequence if isinstance(sequence, int) and not isinstance(sequence, bool) else None,
    )


def _metadata(row: Mapping[str, Any], origin: Origin) -> dict[str, Any]:
    """The row's metadata without the flags that the origin writes by itself."""
    metadata = row.get("metadata")
    if not isinstance(metadata, Mapping):
        return {}
    flags = origin_metadata(origin)
    rest = {key: value for key, value in metadata.items() if key not in flags or flags[key] != value}
    return {"metadata": rest} if rest or not flags else {}


def _parts(row: Mapping[str, Any], kind: type[Message]) -> list[Any]:
    if isinstance(row.get("parts"), list):
        return row["parts"]
    plain = msgspec.to_builtins(parts_of_row(row, kind))
    return list(plain)


def _time(value: Any) -> int | None:
    """Epoch milliseconds from a number or an ISO 8601 text; a text without a zone is UTC."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value) if abs(value) < 2**53 else None
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(aware.timestamp() * 1000)
