"""Why a message exists, when it is not simply the next thing said."""

from __future__ import annotations

import msgspec

__all__ = [
    "PLAIN",
    "Compare",
    "Council",
    "Dispatch",
    "Origin",
    "Plain",
    "Signal",
    "Supervisor",
    "Task",
    "TaskCallback",
]


class _Origin(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="kind",
):
    pass


class Plain(_Origin, frozen=True, kw_only=True, tag="plain"):
    """The next thing said."""


class Task(_Origin, frozen=True, kw_only=True, tag="task"):
    """The work of a task that an assistant started."""

    title: str | None = None


class TaskCallback(_Origin, frozen=True, kw_only=True, tag="taskCallback"):
    """A task reports back."""


class Council(_Origin, frozen=True, kw_only=True, tag="council"):
    """One of several agents who were asked the same thing."""


class Supervisor(_Origin, frozen=True, kw_only=True, tag="supervisor"):
    """The agent that directs a group."""


class Signal(_Origin, frozen=True, kw_only=True, tag="signal"):
    """A turn that a tool's own output or completion set off.

    Attributes:
        signal: ``tool-stdout``, ``tool-callback``, ``task-completion`` or a word of somebody else's.
        source_call_id: the call that it belongs to.
        source_tool: that tool's name.
        sequence: its place among its siblings.
    """

    signal: str
    source_call_id: str | None = None
    source_tool: str | None = None
    sequence: int | None = None


class Compare(_Origin, frozen=True, kw_only=True, tag="compare"):
    """One column of a side-by-side comparison."""


class Dispatch(_Origin, frozen=True, kw_only=True, tag="dispatch"):
    """An instruction between agents; ``internal`` ones are no row of their own."""

    internal: bool = False


Origin = Plain | Task | TaskCallback | Council | Supervisor | Signal | Compare | Dispatch
PLAIN = Plain()
