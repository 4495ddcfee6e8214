"""Passes ``tool-name`` and ``arguments``: a call's name fits the target, its arguments are a JSON object.

The stored call stays as the model wrote it. A new name ends in a short digest of the old one, so that two names
never become one; raw text that is no JSON object travels inside one, so that the model sees what it wrote.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec

from triptych.model.digest import digest_text
from triptych.model.foreign import clean_text, read_json
from triptych.model.messages import Message
from triptych.model.parts import ToolCallPart
from triptych.model.profile import Profile
from triptych.wires.repair.scope import Scope

__all__ = ["mend_call", "parse_arguments", "safe_arguments", "safe_tool_name"]

_DECODER = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()
_LONGEST = 64
_EMPTY = "A call without arguments is sent with an empty object."
_CLEANED = "Characters that cannot be sent were replaced in the arguments of a call."
_WRAPPED = "Arguments that are no JSON object were put inside one."


def mend_call(call: ToolCallPart, message: Message, scope: Scope) -> ToolCallPart:
    """The call with a name and arguments that can be sent; the same object when both already can."""
    name = safe_tool_name(call.name, scope.profile)
    if name != call.name:
        scope.note(
            "tool-name",
            f"The tool name {call.name!r} is not allowed here; the call is sent as {name!r}.",
            message,
            before=call.name,
            after=name,
            severity="warning",
        )
        private = {**(call.private or {}), "triptych": {"storedName": clean_text(call.name)}}
        call = msgspec.structs.replace(call, name=name, private=private)
    arguments = safe_arguments(call.arguments)
    if arguments is call.arguments:
        return call
    empty = arguments == "{}"
    scope.note(
        "arguments",
        _EMPTY if empty else _CLEANED if isinstance(read_json(call.arguments)[0], dict) else _WRAPPED,
        message,
        before=call.arguments,
        after=arguments,
        severity="info" if empty else "warning",
    )
    return msgspec.structs.replace(call, arguments=arguments)


def safe_tool_name(name: str, profile: Profile) -> str:
    """The name itself when the profile allows it, otherwise one made from it; different names stay different."""
    if _pattern(profile.tool_name_pattern).fullmatch(name):
        return name
    tag = digest_text(name).removeprefix("b2:")[:6]
    body = re.sub("[^a-zA-Z0-9_-]", "_", name)[: _LONGEST - 8].strip("_-") or "tool"
    start = "" if body[0].isalpha() else "t_"
    return f"{start}{body[: _LONGEST - 9]}_{tag}"


def safe_arguments(arguments: str) -> str:
    """The JSON text of an object: the same text when it is one, ``{}`` for nothing, else a wrapping object."""
    if parse_arguments(arguments) is not None and "\\u0000" not in arguments:
        return arguments
    if not arguments.strip():
        return "{}"
    value, _ = read_json(arguments)
    if value is None:
        return "{}" if arguments.strip() == "null" else _text({"invalid_json": clean_text(arguments)})
    return _text(value if isinstance(value, dict) else {"value": value})


def parse_arguments(arguments: str) -> dict[str, Any] | None:
    """The object that the text is, or None when it is none."""
    try:
        value = _DECODER.decode(arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(value: dict[str, Any]) -> str:
    return _ENCODER.encode(value).decode()


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
