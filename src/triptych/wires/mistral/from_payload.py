"""A Mistral request of another program, as our messages: Chat Completions with words of its own."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from triptych.wires.mistral.stream import FAMILY
from triptych.wires.openai_chat import from_payload as chat
from triptych.wires.reading.request import ForeignRequest
from triptych.wires.reading.values import as_count

__all__ = ["read_request"]


def read_request(body: Any) -> ForeignRequest:
    """A body, or just its list of messages."""
    read = chat.read_request(body, FAMILY)
    seed = as_count(read.rest.get("random_seed"))
    if seed is None:
        return read
    rest = {key: value for key, value in read.rest.items() if key != "random_seed"}
    return replace(read, options=read.options | {"seed": seed}, rest=rest)
