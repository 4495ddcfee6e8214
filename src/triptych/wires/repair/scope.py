"""What the passes share while one request is repaired: the facts, what stands before, and the growing report.

``Seen`` is all that a later piece of a history needs to know about an earlier one; because a pass looks at
nothing else, a settled prefix never changes when messages are added behind it.

Not here: the passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

from triptych.model.digest import digest_bytes, digest_text
from triptych.model.foreign import clean_text
from triptych.model.ids import MessageId
from triptych.model.messages import AssistantMessage, Message, UserMessage
from triptych.model.parts import AssistantPart, TextPart, ToolResultPart, UserPart
from triptych.model.profile import Profile
from triptych.wires.payload import Repair

__all__ = [
    "Answer",
    "Pass",
    "Scope",
    "Seen",
    "assistant_turn",
    "is_structural",
    "piece_digest",
    "user_turn",
]

_ENCODER = msgspec.json.Encoder()


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """How a call was answered in the request so far."""

    name: str
    result: ToolResultPart
    real: bool


class Seen:
    """What a repaired prefix tells the messages behind it.

    Attributes:
        used_ids: call ids as sent.
        answers: by stored call id, how the latest call of that id was answered.
        item_ids: provider item ids as sent.
        system_done: the first system text is closed; a later one goes elsewhere.
        last: the role that was emitted last, system text apart.
        words: a person said something.
        images, pixels, bytes, marks: media so far: count, longest side (-1: unknown), base64 length, cache marks.
        calls: tools were called; their names as sent, in order of first use.
    """

    def __init__(self) -> None:
        self.used_ids: set[str] = set()
        self.answers: dict[str, Answer] = {}
        self.item_ids: set[str] = set()
        self.system_done = False
        self.last: Literal["user", "assistant", "tool"] | None = None
        self.words = False
        self.images = 0
        self.pixels = 0
        self.bytes = 0
        self.marks = 0
        self.calls: dict[str, None] = {}

    def copy(self) -> Seen:
        """A copy that can grow by itself."""
        twin = Seen()
        for name, value in vars(self).items():
            setattr(twin, name, value.copy() if isinstance(value, set | dict) else value)
        return twin


class Scope:
    """One repair under way.

    Attributes:
        fine_names: tool names that were looked at and fit.
    """

    def __init__(self, profile: Profile, seen: Seen | None = None) -> None:
        self.profile = profile
        self.seen = seen or Seen()
        self.report: list[Repair] = []
        self.fine_names: set[str] = set()

    def note(
        self,
        rule: str,
        sentence: str,
        message: Message | None = None,
        *,
        before: Any = None,
        after: Any = None,
        severity: Literal["info", "warning", "error"] = "info",
    ) -> None:
        """Put one change on the report."""
        self.report.append(
            Repair(
                rule=rule,
                sentence=clean_text(sentence),
                message=clean_text(message.id) if message is not None else None,
                before=None if before is None else piece_digest(before),
                after=None if after is None else piece_digest(after),
                severity=severity,
            )
        )


Pass = Callable[[list[Message], Scope], list[Message]]
"""A step of repair: messages to messages, noting each change. It must not change what it was given."""


def piece_digest(piece: Any) -> str:
    """The digest of any piece of a prompt, sendable or not."""
    try:
        return digest_bytes(_ENCODER.encode(piece))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return digest_text(repr(piece))


def user_turn(anchor: str, kind: str, parts: Iterable[UserPart]) -> UserMessage:
    """A structural turn with the user's role: marked, so that nobody takes it for a person's words."""
    return UserMessage(id=MessageId(f"{anchor}/{kind}"), parts=tuple(parts), metadata={"structural": kind})


def assistant_turn(anchor: str, kind: str, text: str) -> AssistantMessage:
    """A structural turn with the assistant's role."""
    parts: tuple[AssistantPart, ...] = (TextPart(text=text),)
    return AssistantMessage(id=MessageId(f"{anchor}/{kind}"), parts=parts, metadata={"structural": kind})


def is_structural(message: Message) -> bool:
    """Whether the compiler itself made this turn."""
    return bool(message.metadata) and "structural" in message.metadata
