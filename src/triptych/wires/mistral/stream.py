"""Mistral chat completions, streamed or whole: Chat Completions whose content may be a list of chunks.

Private data is kept under ``mistral``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.model.events import StreamEvent
from triptych.wires.openai_chat import stream as chat
from triptych.wires.reading.decoder import Decoder

__all__ = ["FAMILY", "from_reply", "open_decoder"]

FAMILY = "mistral"


def open_decoder() -> Decoder:
    """A decoder for one streamed reply."""
    return chat.open_decoder(FAMILY)


def from_reply(body: Mapping[str, Any]) -> list[StreamEvent]:
    """The events of a reply that came whole."""
    return chat.from_reply(body, FAMILY)
