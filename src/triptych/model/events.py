"""What happens while a reply arrives: a few events over ordered parts, the same for every provider.

``index`` is the place of a part in the reply, counted from 0 in the order of first appearance; parts may grow
in turns. A stream never raises: it ends with one ``finish`` or one ``failure``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.model.parts import AssistantPart
from triptych.model.status import Complete, Incomplete
from triptych.model.usage import Usage

__all__ = [
    "Failure",
    "Finish",
    "PartDelta",
    "PartEnd",
    "PartStart",
    "PartUpdate",
    "ReplyStart",
    "StreamEvent",
    "UsageReport",
]


class _Event(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="event"
):
    pass


class ReplyStart(_Event, frozen=True, kw_only=True, tag="reply_start"):
    """The provider began to answer; it may name the model and its own id of the reply."""

    model: str | None = None
    response_id: str | None = None


class PartStart(_Event, frozen=True, kw_only=True, tag="part_start"):
    """A new part; a tool call starts with state ``streaming``."""

    index: int
    part: AssistantPart


class PartDelta(_Event, frozen=True, kw_only=True, tag="part_delta"):
    """More text of a text, reasoning or refusal part, or more of a call's arguments."""

    index: int
    text: str


class PartUpdate(_Event, frozen=True, kw_only=True, tag="part_update"):
    """A part in a new whole form: a signature arrived, a name or an id became known, arguments were final."""

    index: int
    part: AssistantPart


class PartEnd(_Event, frozen=True, kw_only=True, tag="part_end"):
    """Nothing more will be added to this part."""

    index: int


class UsageReport(_Event, frozen=True, kw_only=True, tag="usage"):
    """The newest token counts; a later report replaces an earlier one field by field."""

    usage: Usage


class Finish(_Event, frozen=True, kw_only=True, tag="finish"):
    """The provider said that the reply is over, and why."""

    status: Complete | Incomplete


class Failure(_Event, frozen=True, kw_only=True, tag="failure"):
    """The reply broke off: what there is of it stays.

    ``retryable``: the same request may succeed later. ``code``: the provider's own word for it.
    """

    message: str
    retryable: bool = False
    status: int | None = None
    code: str | None = None
    detail: dict[str, Any] | None = None


StreamEvent = ReplyStart | PartStart | PartDelta | PartUpdate | PartEnd | UsageReport | Finish | Failure
