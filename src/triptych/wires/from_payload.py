"""Requests that other programs made, as our messages: ``from_payload(body, "anthropic")``.

Lets an application put Triptych in front of code that it has. Nothing is mended here: what comes back may be any
history whatever, and ``compile`` makes it valid for any target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from triptych.model.profile import WireName
from triptych.wires.anthropic import from_payload as anthropic
from triptych.wires.bedrock import from_payload as bedrock
from triptych.wires.gemini import from_payload as gemini
from triptych.wires.mistral import from_payload as mistral
from triptych.wires.ollama import from_payload as ollama
from triptych.wires.openai_chat import from_payload as openai_chat
from triptych.wires.openai_responses import from_payload as openai_responses
from triptych.wires.profiles import wire_named
from triptych.wires.reading.request import ForeignRequest

__all__ = ["ForeignRequest", "from_payload"]

_READERS: dict[WireName, Callable[[Any], ForeignRequest]] = {
    "openai_chat": openai_chat.read_request,
    "openai_responses": openai_responses.read_request,
    "anthropic": anthropic.read_request,
    "gemini": gemini.read_request,
    "bedrock": bedrock.read_request,
    "mistral": mistral.read_request,
    "ollama": ollama.read_request,
}


def from_payload(body: Any, wire: str) -> ForeignRequest:
    """A request body (or just its list of messages) as messages, tools and options.

    Total: any JSON value gives a request, with diagnostics for what was strange. ``UsageError`` for an unknown wire.
    """
    return _READERS[wire_named(wire)](body)
