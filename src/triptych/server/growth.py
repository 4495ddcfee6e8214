"""Whether all that happened to a message is that one of its texts grew: then only the new letters travel."""

from __future__ import annotations

import msgspec

from triptych.model.messages import Message
from triptych.model.parts import ReasoningPart, TextPart

__all__ = ["growth"]


def growth(before: Message, after: Message) -> tuple[int, str] | None:
    """The part that grew (its place) and by what; None when anything else changed too, times apart."""
    place = _changed_part(before, after)
    if place is None:
        return None
    old, new = before.parts[place], after.parts[place]
    if not isinstance(old, TextPart | ReasoningPart) or not isinstance(new, TextPart | ReasoningPart):
        return None
    if not new.text.startswith(old.text) or msgspec.structs.replace(new, text=old.text) != old:
        return None
    quiet = msgspec.structs.replace(after, parts=before.parts, updated_at=before.updated_at)
    return (place, new.text[len(old.text) :]) if quiet == before else None


def _changed_part(before: Message, after: Message) -> int | None:
    if len(before.parts) != len(after.parts):
        return None
    pairs = enumerate(zip(before.parts, after.parts, strict=True))
    changed = [place for place, (old, new) in pairs if old is not new and old != new]
    return changed[0] if len(changed) == 1 else None
