"""The derived fields of a display row: what the RFC's UI message shows beside the ordered ``parts``.

Each function reads parts and gives the value of one or a few fields; none of them is stored. The inverse, for
rows that come without parts, is in ``row_parts``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from triptych.model import parts as p
from triptych.model.messages import AssistantMessage, Message, ToolMessage, message_text
from triptych.model.origins import (
    Compare,
    Council,
    Dispatch,
    Origin,
    Plain,
    Signal,
    Supervisor,
    Task,
    TaskCallback,
)
from triptych.model.usage import Performance, Usage

__all__ = ["derived_fields", "origin_metadata", "row_role", "to_row_performance", "to_row_usage"]

MEDIA_LISTS: tuple[tuple[type, str], ...] = (
    (p.ImagePart, "imageList"),
    (p.FilePart, "fileList"),
    (p.VideoPart, "videoList"),
    (p.AudioPart, "audioList"),
)


def row_role(message: Message, role: str) -> str:
    """The role that other programs know: an agent's task and its callback have one of their own."""
    if isinstance(message, AssistantMessage):
        if isinstance(message.origin, Task):
            return "task"
        if isinstance(message.origin, TaskCallback):
            return "taskCallback"
    return role


def origin_metadata(origin: Origin) -> dict[str, Any]:
    """The metadata flags by which other programs tell why a message exists."""
    match origin:
        case Supervisor():
            return {"isSupervisor": True}
        case Signal(signal=kind, source_call_id=call, source_tool=tool, sequence=sequence):
            said = {"type": kind, "sourceToolCallId": call, "sourceToolName": tool, "sequence": sequence}
            return {"signal": {key: value for key, value in said.items() if value is not None}}
        case Dispatch(internal=internal):
            return {"agentDispatch": {"visibility": "internal" if internal else "public"}}
        case Council():
            return {"orchestrationRole": "member"}
        case Compare() | Plain() | Task() | TaskCallback():
            return {}


def derived_fields(message: Message) -> dict[str, Any]:
    """Every derived field that has something to say; ``content`` always."""
    parts: tuple[Any, ...] = message.parts
    fields: dict[str, Any] = {"content": _content(message)}
    fields.update(_media(parts))
    if isinstance(message, AssistantMessage):
        fields.update(_assistant(parts))
    if isinstance(message, ToolMessage):
        fields.update(_result(parts))
    return fields


def _content(message: Message) -> str:
    if isinstance(message, ToolMessage):
        results = (part for part in message.parts if isinstance(part, p.ToolResultPart))
        return "\n\n".join(_texts(result.content) for result in results)
    return message_text(message)


def _texts(parts: Iterable[Any]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, p.TextPart))


def _media(parts: tuple[Any, ...]) -> dict[str, Any]:
    found = {
        name: [_medium(part, place) for place, part in enumerate(parts) if isinstance(part, kind)]
        for kind, name in MEDIA_LISTS
    }
    return {name: items for name, items in found.items() if items}


def _medium(part: Any, place: int) -> dict[str, Any]:
    name = part.name
    item: dict[str, Any] = {"id": f"part-{place}", "url": _address(part.media)}
    if isinstance(part, p.ImagePart):
        item["alt"] = part.alt or name or ""
    elif isinstance(part, p.FilePart):
        item |= {"name": name or "", "fileType": part.media_type or "", "size": part.size or 0}
        if part.text is not None:
            item["content"] = part.text
    elif name is not None:
        item["alt"] = name
    return item


def _address(media: p.Media | None) -> str:
    match media:
        case p.UrlMedia(url=url):
            return url
        case p.BlobMedia(digest=digest):
            return f"blob:{digest}"
        case p.InlineMedia(data=data):
            return f"data:;base64,{data}"
        case p.ProviderMedia(family=family, file_id=file_id):
            return f"{family}:{file_id}"
        case None:
            return ""


def _assistant(parts: tuple[Any, ...]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    reasoning = [part for part in parts if isinstance(part, p.ReasoningPart)]
    if reasoning:
        fields["reasoning"] = _reasoning(reasoning)
    calls = [_call(part) for part in parts if isinstance(part, p.ToolCallPart)]
    if calls:
        fields["tools"] = calls
    sources = [part for part in parts if isinstance(part, p.SourcePart)]
    if sources:
        fields["search"] = {"citations": [_citation(part) for part in sources]}
    errors = [part for part in parts if isinstance(part, p.ErrorPart)]
    if errors:
        fields["error"] = _error(errors[-1])
    return fields


def _reasoning(parts: list[p.ReasoningPart]) -> dict[str, Any]:
    shown: dict[str, Any] = {"content": "\n\n".join(part.text for part in parts if part.text)}
    times = [part.duration for part in parts if part.duration is not None]
    return shown | ({"duration": sum(times)} if times else {})


def _call(part: p.ToolCallPart) -> dict[str, Any]:
    return {
        "id": part.call_id,
        "identifier": part.namespace or part.name,
        "apiName": part.name,
        "arguments": part.arguments,
        "type": "builtin" if part.server_side else "default",
    }


def _citation(part: p.SourcePart) -> dict[str, Any]:
    known = {"url": part.url or part.path, "title": part.title, "quote": part.quote}
    return {key: value for key, value in known.items() if value is not None}


def _error(part: p.ErrorPart) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": part.code or "error", "message": part.message}
    return shown if part.body is None else shown | {"body": part.body}


def _result(parts: tuple[Any, ...]) -> dict[str, Any]:
    result = next((part for part in parts if isinstance(part, p.ToolResultPart)), None)
    if result is None:
        return {}
    fields: dict[str, Any] = {"tool_call_id": result.call_id}
    if result.name is not None:
        fields["plugin"] = {"apiName": result.name}
    if result.state is not None:
        fields["pluginState"] = result.state
    if result.is_error:
        fields["pluginError"] = {"message": _texts(result.content)}
    return fields


_USAGE_KEYS: tuple[tuple[str, str], ...] = (
    ("input_tokens", "totalInputTokens"),
    ("output_tokens", "totalOutputTokens"),
    ("cached_input_tokens", "inputCachedTokens"),
    ("cache_write_tokens", "inputWriteCacheTokens"),
    ("reasoning_tokens", "outputReasoningTokens"),
    ("cost", "cost"),
)


def to_row_usage(usage: Usage) -> dict[str, Any]:
    """Token counts under the names that display rows use; ``raw`` is the provider's own object."""
    known = {shown: getattr(usage, name) for name, shown in _USAGE_KEYS}
    row = {key: value for key, value in known.items() if value is not None}
    if usage.input_tokens is not None and usage.output_tokens is not None:
        row["totalTokens"] = usage.input_tokens + usage.output_tokens
    return row if usage.raw is None else row | {"raw": usage.raw}


def to_row_performance(performance: Performance) -> dict[str, Any]:
    """Times in ms under the names that display rows use."""
    known = {
        "ttft": performance.time_to_first_token,
        "duration": performance.duration,
        "tps": performance.tokens_per_second,
    }
    return {key: value for key, value in known.items() if value is not None}


def from_row_usage(row: Any) -> Usage | None:
    """The inverse of ``to_row_usage``; what it cannot hold is left to the caller."""
    if not isinstance(row, dict):
        return None
    known = {name: _number(row.get(shown)) for name, shown in _USAGE_KEYS}
    raw = row.get("raw")
    return Usage(
        **{name: value if name == "cost" else _whole(value) for name, value in known.items()},  # pyright: ignore[reportArgumentType]
        raw=raw if isinstance(raw, dict) else None,
    )


def from_row_performance(row: Any) -> Performance | None:
    """The inverse of ``to_row_performance``."""
    if not isinstance(row, dict):
        return None
    return Performance(
        time_to_first_token=_number(row.get("ttft")),
        duration=_number(row.get("duration")),
        tokens_per_second=_number(row.get("tps")),
    )


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: float | None) -> int | None:
    return int(value) if value is not None and float(value).is_integer() else None
