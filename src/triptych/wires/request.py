"""What a wire needs beside the messages to write a body, and a few shapes that several wires share.

Not here: the shapes of one wire (its ``convert``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import msgspec

from triptych.model.foreign import clean_json, clean_text
from triptych.model.messages import Message, SystemMessage
from triptych.model.parts import Part, TextPart, ToolResultPart
from triptych.model.profile import Profile
from triptych.model.tools import ToolDefinition
from triptych.wires.payload import Repair
from triptych.wires.repair.calls import safe_tool_name

__all__ = [
    "Request",
    "clean_options",
    "clean_tools",
    "is_one_text",
    "joined_text",
    "object_schema",
    "result_text",
    "sent_tools",
    "system_parts",
    "tool_choice_name",
    "unsupported",
    "with_possible_choice",
]

_UNFORCED = ("auto", "none")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request without its messages.

    Attributes:
        system: the text parts of the system message, for wires that have a field for it.
        called: names of the tools that the history calls, as sent, in order of first use.
        open_call: the request ends in a running tool turn that does not begin with reasoning.
        notes: where ``build_body`` puts what it had to leave out.
    """

    profile: Profile
    model: str = ""
    system: tuple[TextPart, ...] = ()
    tools: tuple[ToolDefinition, ...] = ()
    options: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    called: tuple[str, ...] = ()
    open_call: bool = False
    notes: list[Repair] = msgspec.field(default_factory=list[Repair])


def system_parts(messages: Iterable[Message]) -> tuple[TextPart, ...]:
    """The text parts of the system messages, in order."""
    return tuple(
        part
        for message in messages
        if isinstance(message, SystemMessage)
        for part in message.parts
        if isinstance(part, TextPart)
    )


def clean_options(options: Mapping[str, Any], notes: list[Repair]) -> dict[str, Any]:
    """The options that are set, without characters and numbers that cannot be sent; a change is noted."""
    cleaned, found = clean_json({name: value for name, value in options.items() if value is not None})
    if found:
        notes.append(Repair(rule="characters", sentence=_CLEANED.format("the options"), severity="warning"))
    return cleaned


def clean_tools(tools: Iterable[ToolDefinition], notes: list[Repair]) -> tuple[ToolDefinition, ...]:
    """The tools without characters in their descriptions and schemas that cannot be sent; a change is noted."""
    return tuple(_clean_tool(tool, notes) for tool in tools)


def _clean_tool(tool: ToolDefinition, notes: list[Repair]) -> ToolDefinition:
    (description, parameters), found = clean_json((tool.description, tool.parameters))
    if not found:
        return tool
    what = f"the tool {clean_text(tool.name)!r}"
    notes.append(Repair(rule="characters", sentence=_CLEANED.format(what), severity="warning"))
    return msgspec.structs.replace(tool, description=description, parameters=parameters)


_CLEANED = "What cannot be sent (lone surrogates, NUL, numbers that are none) was replaced in {}."


def joined_text(parts: Iterable[Part], separator: str = "\n\n") -> str:
    """The text parts as one text."""
    if type(parts) is tuple and is_one_text(parts):
        return parts[0].text
    return separator.join([part.text for part in parts if isinstance(part, TextPart)])


def is_one_text(parts: tuple[Part, ...]) -> TypeGuard[tuple[TextPart]]:
    """Whether the parts are just one text, as most messages are."""
    return len(parts) == 1 and type(parts[0]) is TextPart


def result_text(part: ToolResultPart) -> str:
    """What a tool said, as one text, a line for each piece."""
    content = part.content
    if len(content) == 1 and type(content[0]) is TextPart:
        return content[0].text
    return joined_text(content, "\n")


def sent_tools(request: Request) -> tuple[ToolDefinition, ...]:
    """The tools as they are sent: names that fit, one of each, and stand-ins where history needs some.

    A wire that refuses calls without definitions gets a definition for every tool that only history knows.
    """
    profile = request.profile
    chosen: dict[str, ToolDefinition] = {}
    for tool in request.tools if profile.tools else ():
        name = safe_tool_name(tool.name, profile)
        chosen.setdefault(name, tool if name == tool.name else msgspec.structs.replace(tool, name=name))
        if name != tool.name:
            request.notes.append(
                Repair(
                    rule="tool-name",
                    sentence=f"The tool {tool.name!r} is offered as {name!r}.",
                    before=tool.name,
                    after=name,
                )
            )
    request.notes.extend(_schema_note(tool) for tool in chosen.values() if _takes_no_object(tool))
    if not chosen and profile.tools_required and request.called:
        request.notes.append(
            Repair(
                rule="tool-stub",
                sentence="Tools that only the history knows were given stand-in definitions.",
            )
        )
        return tuple(ToolDefinition(name=name, description=_GONE) for name in request.called)
    return tuple(chosen.values())


def _takes_no_object(tool: ToolDefinition) -> bool:
    return tool.parameters.get("type", "object") != "object"


def _schema_note(tool: ToolDefinition) -> Repair:
    sentence = f"The arguments of {tool.name!r} are sent as an object; its schema said something else."
    return Repair(rule="tool-schema", sentence=sentence, severity="warning")


_GONE = "Used earlier in this conversation; it cannot be called now."


def object_schema(tool: ToolDefinition) -> dict[str, Any]:
    """The JSON Schema of the arguments, always of an object; a tool that takes none has one without properties."""
    schema = tool.parameters
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        return schema
    held = schema.get("properties")
    return {**schema, "type": "object", "properties": held if isinstance(held, dict) else {}}


def with_possible_choice(
    options: dict[str, Any], tools: Iterable[ToolDefinition], notes: list[Repair]
) -> dict[str, Any]:
    """The options without a ``tool_choice`` that no offered tool can follow: providers refuse such a request."""
    choice = options.get("tool_choice")
    offered = {tool.name for tool in tools}
    name = _chosen_name(choice)
    if choice in (None, *_UNFORCED) or (offered and name is None) or name in offered:
        return options
    what = f"no tool {name!r} is offered" if name is not None else "no tool is offered"
    notes.append(
        Repair(rule="option", sentence=f"The choice of a tool was left out: {what}.", severity="warning")
    )
    return {key: value for key, value in options.items() if key != "tool_choice"}


def tool_choice_name(choice: Any, profile: Profile) -> str | None:
    """The name of the tool that a choice asks for, as it is sent; None when it is a word such as ``auto``."""
    name = _chosen_name(choice)
    return None if name is None else safe_tool_name(name, profile)


def _chosen_name(choice: Any) -> str | None:
    if isinstance(choice, dict):
        name = choice.get("name") or (choice.get("function") or {}).get("name")
        return name if isinstance(name, str) else None
    return choice if isinstance(choice, str) and choice not in {*_UNFORCED, "required", "any"} else None


def unsupported(request: Request, known: Iterable[str]) -> None:
    """Note every option that this wire does not have."""
    for name in request.options:
        if name not in known:
            request.notes.append(
                Repair(
                    rule="option",
                    sentence=f"The option {name!r} does not exist on this wire and was left out.",
                )
            )
