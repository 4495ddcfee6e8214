"""Output items of a response as parts: what each kind of item is to us, whole.

Private data under ``openai``: the item's ``id`` on text, refusals and calls; a reasoning item's own fields
(``id``, ``summary``, ``encrypted_content`` …) byte-exact; the raw item on what a hosted tool did.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from triptych.model.ids import CallId
from triptych.model.parts import (
    AssistantPart,
    ImagePart,
    InlineMedia,
    ReasoningPart,
    SourcePart,
    ToolCallPart,
    UnknownPart,
)
from triptych.model.status import READY, CallStreaming
from triptych.wires.reading.values import as_list, as_map, as_text, first_text, json_text, kept_json

__all__ = ["FAMILY", "call_part", "is_call", "other_part", "reasoning_part", "reasoning_text", "source_part"]

FAMILY = "openai"
_CALLS = frozenset({"function_call", "custom_tool_call"})
_OUR_SIDE = frozenset({"computer_call", "local_shell_call", "shell_call", "apply_patch_call"})
_HOSTED = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "mcp_call",
        "mcp_list_tools",
        "tool_search_call",
    }
)
_LEFT_OUT = frozenset({"type", "status"})


def is_call(item: dict[str, Any]) -> bool:
    """Whether the item grows as a call does."""
    return item.get("type") in _CALLS


def call_part(item: dict[str, Any], call_id: Callable[[str], CallId]) -> ToolCallPart:
    """A function call or a call of a custom tool, without its arguments."""
    private = {name: text for name in ("id", "namespace") if (text := as_text(item.get(name)))}
    if item.get("type") != "function_call":
        private["type"] = as_text(item.get("type"))
    return ToolCallPart(
        call_id=call_id(first_text(item, "call_id", "id")),
        name=as_text(item.get("name")),
        state=CallStreaming(),
        private={FAMILY: private} if private else None,
    )


def reasoning_text(item: dict[str, Any]) -> str:
    """What can be read of a reasoning item: its own text, or else the summary."""
    pieces = as_list(item.get("content")) or as_list(item.get("summary"))
    return "\n\n".join(text for piece in pieces if (text := as_text(as_map(piece).get("text"))))


def reasoning_part(item: dict[str, Any]) -> ReasoningPart:
    """A reasoning item without its text. Encrypted reasoning that shows no word is redacted."""
    fields = as_map(kept_json({key: value for key, value in item.items() if key not in _LEFT_OUT}))
    redacted = bool(fields.get("encrypted_content")) and not reasoning_text(item)
    return ReasoningPart(redacted=redacted, private={FAMILY: fields} if fields else None)


def source_part(annotation: dict[str, Any]) -> SourcePart:
    """A citation of a page or of a file."""
    return SourcePart(
        url=as_text(annotation.get("url")) or None,
        title=first_text(annotation, "title", "filename") or None,
        path=as_text(annotation.get("filename")) or None,
        private={FAMILY: kept_json(annotation)},
    )


def other_part(item: dict[str, Any], call_id: Callable[[str], CallId]) -> AssistantPart:
    """Any other item, whole: what a hosted tool did, a picture, or something that we do not know."""
    kind = as_text(item.get("type"))
    if kind == "image_generation_call" and (data := as_text(item.get("result"))):
        fields = {key: value for key, value in item.items() if key != "result"}
        media_type = f"image/{as_text(item.get('output_format')) or 'png'}"
        return ImagePart(
            media=InlineMedia(data=data),
            media_type=media_type,
            alt=as_text(item.get("revised_prompt")) or None,
            private={FAMILY: kept_json(fields)},
        )
    if kind in _OUR_SIDE | _HOSTED:
        return _tool_part(item, kind, call_id)
    return UnknownPart(raw=kept_json(item))


def _tool_part(item: dict[str, Any], kind: str, call_id: Callable[[str], CallId]) -> ToolCallPart:
    asked = next(
        (item[name] for name in ("action", "arguments", "code", "queries", "operation") if name in item), {}
    )
    return ToolCallPart(
        call_id=call_id(first_text(item, "call_id", "id")),
        name=as_text(item.get("name")) or kind.removesuffix("_call"),
        arguments=json_text(kept_json(asked)),
        server_side=kind in _HOSTED,
        state=READY,
        private={FAMILY: kept_json(item)},
    )
