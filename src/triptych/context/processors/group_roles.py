"""What an agent of a group sees: the other agents speak as users, their tools and results as text.

Not here: leaving out what only steers the group (``group_rows``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.injectors.wrapper import attributes
from triptych.context.rowwork import each_row, listed, mapping, text_of, without
from triptych.model.rows import Row

__all__ = ["NameTool", "Voice", "dotted_name", "other_agents_as_users"]

NameTool = Callable[[Any, Any, Any], str]
"""A tool's name of its identifier, api and type."""


class Voice(Protocol):
    """How another agent's words are put."""

    def says(self, name: str, text: str, calls: list[tuple[str, str, str]]) -> str:
        """What an agent said; calls are (id, name, arguments)."""
        ...

    def got(self, name: str, call: str, tool: str, text: str) -> str:
        """What a tool of that agent returned."""
        ...


class _OurVoice:
    def says(self, name: str, text: str, calls: list[tuple[str, str, str]]) -> str:
        lines = [f"  <call{attributes(id=call, tool=tool)}>{given}</call>" for call, tool, given in calls]
        called = "\n<calls>\n" + "\n".join(lines) + "\n</calls>" if calls else ""
        return f"<agent{attributes(name=name)}>\n{text}{called}\n</agent>"

    def got(self, name: str, call: str, tool: str, text: str) -> str:
        return f"<agent{attributes(name=name)}>\n<result{attributes(call=call, tool=tool)}>\n{text}\n</result>\n</agent>"


def other_agents_as_users(
    *,
    agents: Mapping[str, Mapping[str, Any]],
    current: str | None,
    name_tool: NameTool | None = None,
    voice: Voice | None = None,
) -> Step:
    """Let every agent but ``current`` speak as a user. ``agents`` maps ids to facts, of which ``name`` is read.

    Rows of no agent, or of one that nobody knows, stay as they are.
    """
    put = voice or _OurVoice()
    named = name_tool or dotted_name

    def change(row: Row) -> Row:
        agent = row.get("agentId")
        if not isinstance(agent, str) or not agent or agent == current or agent not in agents:
            return row
        speaker = str(mapping(agents[agent]).get("name") or agent)
        return (
            _said(row, speaker, named, put)
            if row.get("role") == "assistant"
            else _got(row, speaker, named, put)
        )

    def run(draft: Draft) -> Draft:
        if not current or not agents:
            return draft
        after = each_row(draft, change, ("assistant", "tool"))
        return after if after is draft else note(after, "other_agents_as_users", rows=_changed(draft, after))

    return Step(
        Contract(
            name="other_agents_as_users",
            reads=frozenset({"group.rows", "flat", "roles"}),
            writes=frozenset({"group.roles"}),
            scope="message",
            roles=frozenset({"assistant", "tool"}),
            about="lets other agents of a group speak as users",
        ),
        run,
    )


def dotted_name(identifier: Any, api: Any, _kind: Any = None) -> str:
    """``identifier.api``, or whichever there is, or ``unknown``."""
    return ".".join(str(part) for part in (identifier, api) if part) or "unknown"


def _said(row: Row, speaker: str, named: NameTool, put: Voice) -> Row:
    calls = [
        (str(call.get("id") or "unknown"), _name(call, named), _text(call.get("arguments")))
        for call in map(mapping, listed(row.get("tools")))
    ]
    text = put.says(speaker, _words(row), calls)
    return {**without(row, "tools", "parts"), "role": "user", "content": text}


def _got(row: Row, speaker: str, named: NameTool, put: Voice) -> Row:
    plugin = mapping(row.get("plugin"))
    text = put.got(speaker, str(row.get("tool_call_id") or "unknown"), _name(plugin, named), _words(row))
    return {**without(row, "plugin", "tool_call_id", "parts"), "role": "user", "content": text}


def _name(call: Mapping[str, Any], named: NameTool) -> str:
    identifier, api = call.get("identifier"), call.get("apiName")
    return named(identifier, api, call.get("type")) if identifier and api else dotted_name(identifier, api)


def _words(row: Row) -> str:
    return text_of(row.get("content"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _changed(before: Draft, after: Draft) -> int:
    return sum(one is not other for one, other in zip(before.rows, after.rows, strict=True))
