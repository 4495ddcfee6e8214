"""Spoken replies: the pieces of sound and of their transcript, put together at the end."""

from __future__ import annotations

from typing import Any

from triptych.model.parts import AudioPart, InlineMedia
from triptych.wires.reading.media import joined_base64
from triptych.wires.reading.values import as_text
from triptych.wires.reading.writer import EventWriter

__all__ = ["AudioPieces"]

_KEY = ("audio",)


class AudioPieces:
    """Collects ``delta.audio``; the part is whole once ``close`` was called."""

    def __init__(self, writer: EventWriter, family: str) -> None:
        self._writer = writer
        self._family = family
        self._data: list[str] = []
        self._words: list[str] = []
        self._id = ""

    def add(self, audio: dict[str, Any]) -> None:
        """One piece."""
        if not audio:
            return
        self._writer.open(_KEY, AudioPart(media=InlineMedia(data="")))
        self._data.append(as_text(audio.get("data")))
        self._words.append(as_text(audio.get("transcript")))
        self._id = as_text(audio.get("id")) or self._id

    def close(self) -> None:
        """Tell the whole part."""
        self._writer.change(
            _KEY,
            media=InlineMedia(data=joined_base64(self._data)),
            transcript="".join(self._words) or None,
            private={self._family: {"id": self._id}} if self._id else None,
        )
