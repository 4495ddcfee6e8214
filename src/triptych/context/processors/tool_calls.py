"""Tool calls in the form of the wire, for a model that can call tools; told in words for one that cannot.

Not here: which results follow (``tool_order``), disabled tools (``disabled_tools``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft
from triptych.context.injectors.wrapper import block
from triptych.context.processors.group_roles import NameTool
from triptych.context.rowwork import append_text, each_row, listed, mapping, text_of, without
from triptych.context.tooling.arguments import sanitize_arguments
from triptych.context.tooling.names import name_tool
from triptych.model.rows import Row

__all__ = ["wire_tool_calls"]


def wire_tool_calls(
    *,
    name: NameTool = name_tool,
    supported: bool | None = None,
    in_words: bool = True,
    keep_names: bool = True,
) -> Step:
    """Give assistant rows ``tool_calls`` and tool rows their ``name``.

    ``supported`` says whether the model can call tools; None asks its profile. When it cannot, calls and results
    are told in words, or left out (calls) and taken as user text (results) with ``in_words`` false. A result that knows no tool keeps the name that
    it has; with ``keep_names`` false it loses it, as in the original.
    """

    def run(draft: Draft) -> Draft:
        able = supported
        if able is None:
            able = draft.profile is None or draft.profile.tools
        change = _wired(name, keep_names=keep_names) if able else _worded(name) if in_words else _plain
        return each_row(draft, change, ("assistant", "tool"))

    return Step(
        Contract(
            name="wire_tool_calls",
            reads=frozenset({"parts", "flat", "group.roles"}),
            writes=frozenset({"tool_calls"}),
            scope="message",
            roles=frozenset({"assistant", "tool"}),
            about="puts tool calls in the form of the wire, or in words",
        ),
        run,
    )


def _wired(name_once: NameTool, *, keep_names: bool) -> Callable[[Row], Row]:
    name = _remembered(name_once)

    def change(row: Row) -> Row:
        if row.get("role") == "tool":
            return _named_result(row, name, keep_names=keep_names)
        tools = row.get("tools")
        if isinstance(tools, list) and tools:
            calls = _calls(tools, name)
            return row if calls is None or calls == row.get("tool_calls") else {**row, "tool_calls": calls}
        return without(row, "tools", "tool_calls") if row.get("tool_calls") == [] else row

    return change


def _remembered(name: NameTool) -> NameTool:
    """A namer that is asked once for each tool of a run."""
    known: dict[tuple[Any, Any, Any], str] = {}

    def named(identifier: Any, api: Any, kind: Any) -> str:
        try:
            found = known.get((identifier, api, kind))
        except TypeError:
            return name(identifier, api, kind)
        if found is None:
            found = known[identifier, api, kind] = name(identifier, api, kind)
        return found

    return named


def _named_result(row: Row, name: NameTool, *, keep_names: bool) -> Row:
    plugin = mapping(row.get("plugin"))
    if not plugin:
        return row if keep_names or "name" not in row else without(row, "name")
    named = _name(plugin, name)
    return row if row.get("name") == named else {**row, "name": named}


def _calls(tools: list[Any], name: NameTool) -> list[dict[str, Any]] | None:
    """The calls in the wire's form; None when an entry is no call, and the row stays as it is."""
    calls: list[dict[str, Any]] = []
    for tool in tools:
        if not isinstance(tool, dict | Mapping):
            return None
        calls.append(_call(tool, name))
    return calls


def _call(tool: Mapping[str, Any], name: NameTool) -> dict[str, Any]:
    function = {"arguments": sanitize_arguments(tool.get("arguments")), "name": _name(tool, name)}
    call: dict[str, Any] = {"function": function}
    for key in ("id", "thoughtSignature"):
        value = tool.get(key)
        if value is not None:
            call[key] = value
    call["type"] = "function"
    return call


def _name(tool: Mapping[str, Any], name: NameTool) -> str:
    identifier, api = tool.get("identifier"), tool.get("apiName")
    return name("" if identifier is None else identifier, "" if api is None else api, tool.get("type"))


def _plain(row: Row) -> Row:
    if row.get("role") == "tool":
        return {**without(row, "name", "plugin", "tool_call_id"), "role": "user"}
    return without(row, "tools", "tool_calls") if "tools" in row or "tool_calls" in row else row


def _worded(name: NameTool) -> Callable[[Row], Row]:
    def change(row: Row) -> Row:
        if row.get("role") == "tool":
            told = _told_result(row, name)
            return {
                **without(row, "name", "plugin", "tool_call_id", "parts"),
                "role": "user",
                "content": told,
            }
        calls = [mapping(call) for call in listed(row.get("tools"))]
        if not calls:
            return _plain(row)
        words = "\n".join(
            block("tool_call", str(call.get("arguments") or "{}"), name=_name(call, name)) for call in calls
        )
        content = row.get("content")
        return {**_plain(without(row, "parts")), "content": append_text(content, words) if content else words}

    return change


def _told_result(row: Row, name: NameTool) -> Any:
    content = row.get("content")
    plugin = mapping(row.get("plugin"))
    named = _name(plugin, name) if plugin else row.get("name")
    if isinstance(content, list):
        return [
            {"type": "text", "text": block("tool_result", text_of(content), name=named)},
            *_media(content),
        ]
    return block("tool_result", text_of(content), name=named)


def _media(parts: list[Any]) -> list[Any]:
    return [part for part in parts if mapping(part).get("type") != "text"]
