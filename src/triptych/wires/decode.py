"""Reading replies of any wire: ``open_decoder("anthropic")`` for a stream, ``read_reply`` for one that came whole.

Every decoder is total: whatever bytes arrive give events, and exactly one end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from triptych.model.events import StreamEvent
from triptych.model.profile import WireName
from triptych.wires.anthropic import stream as anthropic
from triptych.wires.bedrock import stream as bedrock
from triptych.wires.gemini import stream as gemini
from triptych.wires.mistral import stream as mistral
from triptych.wires.ollama import stream as ollama
from triptych.wires.openai_chat import stream as openai_chat
from triptych.wires.openai_responses import stream as openai_responses
from triptych.wires.reading.decoder import Decoder

__all__ = ["Decoder", "open_decoder", "read_reply"]

_STREAMS: dict[WireName, Callable[[], Decoder]] = {
    "openai_chat": openai_chat.open_decoder,
    "openai_responses": openai_responses.open_decoder,
    "anthropic": anthropic.open_decoder,
    "gemini": gemini.open_decoder,
    "bedrock": bedrock.open_decoder,
    "mistral": mistral.open_decoder,
    "ollama": ollama.open_decoder,
}
_WHOLE: dict[WireName, Callable[[Mapping[str, Any]], list[StreamEvent]]] = {
    "openai_chat": openai_chat.from_reply,
    "openai_responses": openai_responses.from_reply,
    "anthropic": anthropic.from_reply,
    "gemini": gemini.from_reply,
    "bedrock": bedrock.from_reply,
    "mistral": mistral.from_reply,
    "ollama": ollama.from_reply,
}


def open_decoder(wire: WireName) -> Decoder:
    """A decoder for one streamed reply: ``feed`` bytes or parsed messages, then ``close``."""
    return _STREAMS[wire]()


def read_reply(wire: WireName, body: Mapping[str, Any]) -> list[StreamEvent]:
    """The events of a reply that came as one JSON object."""
    return _WHOLE[wire](body)
