"""Where a reply stands, and where a tool call stands: unions whose members forbid each other's fields."""

from __future__ import annotations

from typing import Literal

import msgspec

from triptych.model.ids import CallId

__all__ = [
    "COMPLETE",
    "READY",
    "STREAMING",
    "Answered",
    "AwaitingApproval",
    "CallApprovalNeeded",
    "CallDenied",
    "CallReady",
    "CallStarted",
    "CallStreaming",
    "Complete",
    "Incomplete",
    "Status",
    "Streaming",
    "ToolCallState",
]


class Streaming(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="streaming", tag_field="state"
):
    """The reply is being written."""


class Complete(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag="complete",
    tag_field="state",
):
    """The model ended by itself: at a stop, or to have tools called."""

    reason: Literal["stop", "toolCalls", "other"] = "stop"


class Incomplete(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag="incomplete",
    tag_field="state",
):
    """The reply ended early; what there is of it is kept.

    ``interrupted`` = the program or the connection died; ``stopped`` = a person stopped it.
    """

    reason: Literal["interrupted", "stopped", "length", "contentFilter", "error", "other"]
    error: str | None = None


class AwaitingApproval(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    forbid_unknown_fields=True,
    tag="awaitingApproval",
    tag_field="state",
):
    """Nothing goes on until a person has said yes or no to these calls."""

    call_ids: tuple[CallId, ...]


Status = Streaming | Complete | Incomplete | AwaitingApproval
STREAMING = Streaming()
COMPLETE = Complete()


class CallStreaming(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="streaming", tag_field="state"
):
    """The arguments are still arriving."""


class CallReady(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="ready", tag_field="state"):
    """The arguments are whole; whether a result exists is told by the tool message, not here."""


class CallApprovalNeeded(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="approvalNeeded", tag_field="state"
):
    """A person has to decide."""


class CallDenied(
    msgspec.Struct,
    frozen=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag="denied",
    tag_field="state",
):
    """A person said no."""

    reason: str | None = None


class CallStarted(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="started", tag_field="state"):
    """The tool was started; without a result, nobody knows whether it took effect."""


class Answered(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="answered", tag_field="state"):
    """A result was stored."""


ToolCallState = CallStreaming | CallReady | CallApprovalNeeded | CallDenied | CallStarted | Answered
READY = CallReady()
