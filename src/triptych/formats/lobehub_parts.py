"""One row of LobeHub's messages: content, reasoning, tool calls, results, errors and pictures as parts."""

from __future__ import annotations

from typing import Any

from triptych.formats.conversation import Path
from triptych.formats.making import (
    ROLES,
    arguments_text,
    as_dict,
    as_list,
    as_text,
    count,
    make_call,
    make_message,
    make_result,
    media_from_url,
    role_from,
    source_note,
    text_parts,
    time_of,
)
from triptych.formats.problems import problem
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, Role
from triptych.model.status import COMPLETE, Incomplete
from triptych.model.usage import Usage

__all__ = ["make_row"]

_SPEAKERS = frozenset({"supervisor", "task", "tasks", "agentCouncil", "assistantGroup", "compareGroup"})
_PLACEHOLDER = "..."


def make_row(
    name: str, row: dict[str, Any], path: Path, plugin: dict[str, Any], found: list[Diagnostic]
) -> Message:
    """The message of a row; ``plugin`` is its row of the plugins' table, where that is a table of its own."""
    role = _role(row.get("role"), name, found)
    old = as_dict(row.get("extra"))
    return make_message(
        role,
        name,
        _result(row, plugin, name, found) if role == "tool" else _parts(row, name, found),
        parent_id=as_text(row.get("parentId")) or None,
        created_at=time_of(row.get("createdAt"), "any", name, found),
        updated_at=time_of(row.get("updatedAt"), "any", name, found),
        favorite=row.get("favorite") in (True, 1),
        thread_id=as_text(row.get("threadId")) or None,
        agent_id=as_text(row.get("agentId")) or None,
        group_id=as_text(row.get("groupId")) or None,
        metadata=source_note(path),
        model=as_text(row.get("model")) or as_text(old.get("fromModel")) or None,
        provider=as_text(row.get("provider")) or as_text(old.get("fromProvider")) or None,
        usage=_usage(row.get("usage")) or _usage(as_dict(row.get("metadata")).get("usage")),
        status=_status(row),
    )


def _role(said: Any, name: str, found: list[Diagnostic]) -> Role:
    if isinstance(said, str) and said in _SPEAKERS:
        return "assistant"
    return ROLES[said] if isinstance(said, str) and said in ROLES else role_from(said, name, found)


def _status(row: dict[str, Any]) -> Any:
    if row.get("error"):
        return Incomplete(reason="error")
    return Incomplete(reason="interrupted") if row.get("content") == _PLACEHOLDER else COMPLETE


def _parts(row: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    reasoning = as_dict(row.get("reasoning"))
    parts: list[Any] = []
    if reasoning:
        signature = as_text(reasoning.get("signature"))
        parts.append(
            words.ReasoningPart(
                text=as_text(reasoning.get("content")),
                duration=count(reasoning.get("duration")),
                private={"anthropic": {"signature": signature}} if signature else None,
            )
        )
    parts += text_parts(row.get("content"))
    parts += [_call(as_dict(tool), name, found) for tool in as_list(row.get("tools"))]
    return [*parts, *_pictures(row), *_files(row, name, found), *_sources(row), *_error(row.get("error"))]


def _call(tool: dict[str, Any], name: str, found: list[Diagnostic]) -> words.ToolCallPart:
    text = arguments_text(tool.get("arguments"), name, found)
    namespace = as_text(tool.get("identifier")) or None
    return make_call(tool.get("id"), tool.get("apiName"), text, namespace=namespace)


def _result(row: dict[str, Any], plugin: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    inline = as_dict(row.get("plugin")) or plugin
    call_id = row.get("tool_call_id") or plugin.get("toolCallId") or name
    if inline.get("arguments"):
        arguments_text(inline["arguments"], name, found)
    error = row.get("pluginError") or plugin.get("error")
    return [
        make_result(
            call_id,
            text_parts(row.get("content")),
            name=as_text(inline.get("apiName")) or None,
            is_error=bool(error),
            state=row.get("pluginState", plugin.get("state")),
        )
    ]


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict) or not value:
        return None
    return Usage(
        input_tokens=count(value.get("totalInputTokens", value.get("inputTokens"))),
        cached_input_tokens=count(value.get("inputCachedTokens")),
        output_tokens=count(value.get("totalOutputTokens", value.get("outputTokens"))),
        reasoning_tokens=count(value.get("outputReasoningTokens")),
        raw=value,
    )


def _pictures(row: dict[str, Any]) -> list[Any]:
    items = [as_dict(item) for item in as_list(row.get("imageList"))]
    return [
        words.ImagePart(media=media_from_url(as_text(item.get("url"))), alt=as_text(item.get("alt")) or None)
        for item in items
        if as_text(item.get("url"))
    ]


def _files(row: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    parts: list[Any] = []
    for item in [*as_list(row.get("fileList")), *as_list(row.get("files"))]:
        one = as_dict(item)
        uploaded = as_text(item) or as_text(one.get("id"))
        found.append(problem("W_MISSING_ATTACHMENT", name, file=one.get("name") or uploaded))
        media = words.ProviderMedia(family="lobehub", file_id=uploaded) if uploaded else None
        parts.append(
            words.FilePart(
                media=media,
                name=as_text(one.get("name")) or None,
                media_type=as_text(one.get("fileType")) or None,
                size=count(one.get("size")),
            )
        )
    return parts


def _sources(row: dict[str, Any]) -> list[Any]:
    cited = [as_dict(item) for item in as_list(as_dict(row.get("search")).get("citations"))]
    return [
        words.SourcePart(url=as_text(item.get("url")) or None, title=as_text(item.get("title")) or None)
        for item in cited
    ]


def _error(error: Any) -> list[Any]:
    if not isinstance(error, dict) or not error:
        return [words.ErrorPart(message=error)] if isinstance(error, str) and error else []
    code = error.get("type")
    return [
        words.ErrorPart(
            message=as_text(error.get("message")), code=str(code) if code is not None else None, body=error
        )
    ]
