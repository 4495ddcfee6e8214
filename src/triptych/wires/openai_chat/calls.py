"""Which call a piece of a streamed tool call belongs to.

Servers disagree: some use one index for several calls and tell them apart by id (Groq, BerriAI/litellm#7621),
some send two entries of one index in a chunk (vLLM, openai/openai-python#3201), some leave out the index, the id
or both, some repeat id and name in every piece, some give two calls the same id, some send arguments as an object, some
say ``{}`` before the arguments or all of them again at the end.

The rule: a new id is a new call; an id that the call has already, or none, is more of it; without an id, a name
that comes after complete arguments is a new call.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from triptych.model.parts import ToolCallPart
from triptych.model.status import CallStreaming
from triptych.wires.reading.values import as_count, as_map, as_text, is_whole_object, json_text
from triptych.wires.reading.writer import EventWriter

__all__ = ["CallPieces"]

_NOTHING = "{}"


class _Place:
    """The call that an index stands for just now."""

    __slots__ = ("key", "size", "wire_id")

    def __init__(self, key: Hashable, wire_id: str) -> None:
        self.key = key
        self.wire_id = wire_id
        self.size = 0


class CallPieces:
    """Sorts the pieces of tool calls into the parts of one reply."""

    def __init__(self, writer: EventWriter) -> None:
        self._writer = writer
        self._places: dict[int, _Place] = {}
        self._latest: _Place | None = None
        self._made = 0

    def add(self, piece: Any) -> None:
        """One entry of ``tool_calls``, whole or in part."""
        entry = as_map(piece)
        function = as_map(entry.get("function")) or as_map(entry.get("custom")) or entry
        wire_id, name = as_text(entry.get("id")), as_text(function.get("name"))
        arguments = function.get("arguments", function.get("input"))
        place = self._place(as_count(entry.get("index")), wire_id, name)
        self._name(place, wire_id, name)
        self._grow(place, json_text(arguments) if arguments is not None else "")

    def _grow(self, place: _Place, text: str) -> None:
        """More arguments. What is said again whole is not added; an empty object was only a beginning."""
        begins_anew = place.size and text.startswith("{")
        if begins_anew and place.size in {len(_NOTHING), len(text)}:
            part = self._writer.whole(place.key)
            said = part.arguments if isinstance(part, ToolCallPart) else ""
            if said == text:
                return
            if said == _NOTHING:
                place.size = len(text)
                self._writer.rewrite(place.key, text)
                return
        place.size += len(text)
        self._writer.grow(place.key, text)

    def _place(self, index: int | None, wire_id: str, name: str) -> _Place:
        place = self._known(index, wire_id)
        if place is None or self._is_another(place, wire_id, name):
            place = self._opened(wire_id, name)
            if index is not None:
                self._places[index] = place
        self._latest = place
        return place

    def _known(self, index: int | None, wire_id: str) -> _Place | None:
        if index is not None:
            return self._places.get(index)
        if wire_id and self._latest and self._latest.wire_id != wire_id:
            return None
        return self._latest

    def _is_another(self, place: _Place, wire_id: str, name: str) -> bool:
        if wire_id:
            return bool(place.wire_id) and place.wire_id != wire_id
        part = self._writer.head(place.key) if name else None
        last = self._writer.last_piece(place.key)
        if not (isinstance(part, ToolCallPart) and part.name and last):
            return False
        return part.name != name or (last.rstrip().endswith("}") and self._is_complete(place))

    def _is_complete(self, place: _Place) -> bool:
        part = self._writer.whole(place.key)
        return isinstance(part, ToolCallPart) and is_whole_object(part.arguments)

    def _opened(self, wire_id: str, name: str) -> _Place:
        place = _Place(("call", self._made), wire_id)
        self._made += 1
        call_id = self._writer.call_id(wire_id)
        self._writer.open(place.key, ToolCallPart(call_id=call_id, name=name, state=CallStreaming()))
        return place

    def _name(self, place: _Place, wire_id: str, name: str) -> None:
        """A name may come late, or in pieces before the arguments; so may the id."""
        if wire_id and not place.wire_id:
            place.wire_id = wire_id
            self._writer.change(place.key, call_id=self._writer.call_id(wire_id))
        part = self._writer.head(place.key) if name else None
        if not isinstance(part, ToolCallPart) or part.name == name:
            return
        if part.name and self._writer.last_piece(place.key):
            return
        self._writer.change(place.key, name=name if name.startswith(part.name) else part.name + name)
