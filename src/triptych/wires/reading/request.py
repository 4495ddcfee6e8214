"""What another program sends to a model, as our own words: messages, tools, options.

A request is read without loss as far as our words reach. What they do not reach is in ``rest`` (top-level fields), in
a message's ``extra``, or in an unknown part, and each has a diagnostic. Message ids are deterministic: the place in
the request.

Not here: the shapes of one wire (its ``from_payload``), and mending (``repair``): a broken history stays broken.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import CallId, MessageId
from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from triptych.model.parts import (
    AssistantPart,
    Part,
    ResultContent,
    SystemPart,
    ToolCallPart,
    ToolResultPart,
    UnknownPart,
    UserPart,
)
from triptych.model.status import READY
from triptych.model.tools import ToolDefinition
from triptych.wires.reading.values import as_map, as_text, kept_json

__all__ = ["ForeignRequest", "RequestReader", "read_tool"]

_TAKEN = frozenset(
    field.encode_name
    for kind in (SystemMessage, UserMessage, AssistantMessage, ToolMessage)
    for field in msgspec.structs.fields(kind)
) | {"role"}


class ForeignRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request that another program made.

    Attributes:
        messages: system text first where the wire has a field for it; then as they came.
        options: named as ``ports.provider.ModelRequest`` names them.
        rest: top-level fields that have no word of ours, as they came.
    """

    messages: tuple[Message, ...] = ()
    tools: tuple[ToolDefinition, ...] = ()
    options: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    model: str = ""
    rest: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    diagnostics: tuple[Diagnostic, ...] = ()


def read_tool(fields: dict[str, Any], schema: Any) -> ToolDefinition | None:
    """A tool that has a name; None otherwise."""
    name = as_text(fields.get("name"))
    if not name:
        return None
    strict = fields.get("strict")
    return ToolDefinition(
        name=name,
        description=as_text(fields.get("description")),
        parameters=as_map(kept_json(schema)),
        strict=strict if isinstance(strict, bool) else None,
    )


class RequestReader:
    """Collects the messages of one request: gives ids and parents, finds the call that a result belongs to."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._found: list[Diagnostic] = []
        self._anchor: MessageId | None = None
        self._open: list[tuple[CallId, str]] = []
        self._made = 0

    def note(self, code: str, message: str, **detail: Any) -> None:
        """A finding about the message that is being read."""
        self._found.append(
            Diagnostic(code=code, message=message, where=f"$.messages[{len(self._messages)}]", detail=detail)
        )

    def call_id(self, wanted: str) -> CallId:
        """The id of a call: the foreign one, or one made from its place."""
        if wanted:
            return CallId(wanted)
        self._made += 1
        return CallId(f"call_{self._made}")

    def answered(self, wanted: str, name: str) -> CallId:
        """The call that a result answers: by id, else the first open call of that name, else the first open one."""
        place = next((n for n, (call, _) in enumerate(self._open) if wanted and call == wanted), None)
        if place is None and wanted:
            return CallId(wanted)
        if place is None and name:
            place = next((n for n, (_, called) in enumerate(self._open) if called == name), None)
        if place is None and self._open:
            place = 0
        if place is None:
            self.note("result_without_call", "A tool result names no call, and none is open.")
            return self.call_id("")
        return self._open.pop(place)[0]

    def system(self, parts: Iterable[Part], extra: dict[str, Any] | None = None) -> None:
        """System text."""
        kept = tuple(self._allowed(parts, SystemPart))
        self._add(
            SystemMessage(id=self._next_id(), parent_id=self._anchor, parts=kept, extra=self._kept(extra))
        )

    def user(self, parts: Iterable[Part], extra: dict[str, Any] | None = None) -> None:
        """What a person said."""
        kept = tuple(self._allowed(parts, UserPart))
        self._add(
            UserMessage(id=self._next_id(), parent_id=self._anchor, parts=kept, extra=self._kept(extra))
        )

    def assistant(self, parts: Iterable[Part], extra: dict[str, Any] | None = None) -> None:
        """What a model said. Its calls are open until results come."""
        kept = tuple(_settled(part) for part in self._allowed(parts, AssistantPart))
        self._open = [
            (part.call_id, part.name)
            for part in kept
            if isinstance(part, ToolCallPart) and not part.server_side
        ]
        self._add(
            AssistantMessage(id=self._next_id(), parent_id=self._anchor, parts=kept, extra=self._kept(extra))
        )

    def result(self, part: ToolResultPart, extra: dict[str, Any] | None = None) -> None:
        """What a tool answered: a message of its own, under the assistant message that called it."""
        message = ToolMessage(
            id=self._next_id(), parent_id=self._anchor, parts=(part,), extra=self._kept(extra)
        )
        self._messages.append(message)

    def result_content(self, parts: Iterable[Part]) -> tuple[ResultContent, ...]:
        """The parts of a tool's answer."""
        return tuple(self._allowed(parts, ResultContent))

    def unknown(self, value: Any) -> UnknownPart:
        """A part that we have no word for, kept whole."""
        kind = as_text(as_map(value).get("type"))
        self.note(
            "unknown_part", f"A part of an unknown kind ({kind or 'without a name'}) was kept as it is."
        )
        return UnknownPart(raw=kept_json(value))

    def done(
        self,
        *,
        tools: Iterable[ToolDefinition] = (),
        options: dict[str, Any],
        model: Any,
        rest: dict[str, Any],
    ) -> ForeignRequest:
        """The request as it was read."""
        if rest:
            names = ", ".join(sorted(map(str, rest)))
            self._found.append(
                Diagnostic(
                    code="unknown_field",
                    message=f"These fields have no word of ours: {names}.",
                    severity="info",
                )
            )
        return ForeignRequest(
            messages=tuple(self._messages),
            tools=tuple(tools),
            options=options,
            model=as_text(model),
            rest=as_map(kept_json(rest)),
            diagnostics=tuple(self._found),
        )

    def _add(self, message: SystemMessage | UserMessage | AssistantMessage) -> None:
        self._messages.append(message)
        self._anchor = message.id

    def _next_id(self) -> MessageId:
        return MessageId(f"m{len(self._messages)}")

    def _allowed(self, parts: Iterable[Part], union: Any) -> list[Any]:
        """The parts that this role may hold; any other becomes an unknown part, with its JSON kept."""
        return [
            part if isinstance(part, union) else self.unknown(msgspec.to_builtins(part)) for part in parts
        ]

    def _kept(self, extra: dict[str, Any] | None) -> dict[str, Any] | None:
        """Fields of a foreign message that we have no word for. Our own words are not overwritten by them."""
        told = as_map(kept_json({key: value for key, value in (extra or {}).items() if value is not None}))
        taken = {key: value for key, value in told.items() if key in _TAKEN or key == "foreign"}
        free = {key: value for key, value in told.items() if key not in taken}
        return ({**free, "foreign": taken} if taken else free) or None


def _settled(part: AssistantPart) -> AssistantPart:
    return msgspec.structs.replace(part, state=READY) if isinstance(part, ToolCallPart) else part
