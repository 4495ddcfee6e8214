"""Any history becomes one that a target accepts: small named passes over prompt messages, each change reported.

The passes run over a *settled* piece (up to the last request that was certainly sent) and over the *open* piece
behind it with the same functions; all that the second knows of the first is ``Seen``. Hence the laws: repairing
is deterministic and idempotent, and repairing a longer history changes nothing in the part it shares. Only cache
marks move on, as a request may have but a few, and media above a limit leave, the oldest first (``limits``).

Stored messages are never touched: a pass makes new values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triptych.errors import UsageError
from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.profile import Profile
from triptych.wires.payload import Repair
from triptych.wires.repair.ending import close_request
from triptych.wires.repair.glance import can_glance, pass_usual
from triptych.wires.repair.ids import map_ids
from triptych.wires.repair.inline import split_inline
from triptych.wires.repair.limits import exceeds, limit_messages, limit_request
from triptych.wires.repair.media import move_tool_media
from triptych.wires.repair.names import mend_names
from triptych.wires.repair.order import end_with_calls
from triptych.wires.repair.pairing import pair_results
from triptych.wires.repair.parts import mend_parts
from triptych.wires.repair.reasoning import settle_items
from triptych.wires.repair.roles import arrange_roles
from triptych.wires.repair.scope import Pass, Scope, Seen
from triptych.wires.repair.server_tools import settle_server_tools
from triptych.wires.repair.system import place_system

__all__ = [
    "PASSES",
    "Scope",
    "Seen",
    "close_request",
    "exceeds",
    "in_order",
    "limit_request",
    "refuse_changes",
    "repair",
    "repair_piece",
    "settled_length",
]

PASSES: tuple[Pass, ...] = (
    settle_server_tools,
    split_inline,
    mend_names,
    mend_parts,
    end_with_calls,
    pair_results,
    settle_items,
    map_ids,
    move_tool_media,
    place_system,
    arrange_roles,
    limit_messages,
)
"""The passes over a piece of a history, in order."""
_TOGETHER = 16
"""Groups that go through the passes together at most: more cost less each, but draw usual ones along."""


def repair(
    messages: Iterable[Message], profile: Profile, *, strict: bool = False
) -> tuple[tuple[Message, ...], tuple[Repair, ...]]:
    """The messages as the profile's target accepts them, and every change.

    Args:
        messages: a prompt, oldest first; it is not changed.
        profile: the facts about the target.
        strict: raise ``UsageError`` for the first change of severity warning or error instead of making it.
    """
    given = list(messages)
    settled = settled_length(given)
    scope = Scope(profile)
    repaired = [*repair_piece(given[:settled], scope), *repair_piece(given[settled:], scope)]
    if exceeds(scope):
        repaired = limit_request(repaired, scope)
    repaired = close_request(repaired, scope)
    if not scope.seen.words:
        raise UsageError("There is nothing to send: no user message has any text; add one.")
    if strict:
        refuse_changes(scope.report)
    return tuple(repaired), in_order(scope.report, given)


def repair_piece(messages: list[Message], scope: Scope) -> list[Message]:
    """One piece of a history after all passes; ``scope`` knows what stands before it and learns from it.

    A group that is usual is passed at a glance. What is not goes through the passes, the more groups at once the
    more of them are not.
    """
    repaired: list[Message] = []
    place, together, begun = 0, 1, False
    while place < len(messages):
        begun = begun or can_glance(scope)
        end = pass_usual(messages, place, scope) if begun else place
        if end > place:
            repaired.extend(messages[place:end])
        else:
            end = _groups_end(messages, place, together)
            repaired.extend(_through_passes(messages[place:end], scope))
            together = min(together * 2, _TOGETHER)
        place = end
    return repaired


def _through_passes(group: list[Message], scope: Scope) -> list[Message]:
    for each in PASSES:
        group = each(group, scope)
    return group


def _groups_end(messages: list[Message], place: int, count: int) -> int:
    """Where so many groups end: each before the next reply to a non-assistant, as a request was sent before that."""
    while count and place < len(messages):
        place += 1
        while place < len(messages) and not _is_reply(messages, place):
            place += 1
        count -= 1
    return place


def _is_reply(messages: Sequence[Message], place: int) -> bool:
    return isinstance(messages[place], AssistantMessage) and isinstance(
        messages[place - 1], UserMessage | ToolMessage
    )


def settled_length(messages: Sequence[Message]) -> int:
    """How many messages the last request that was certainly sent had: up to the last reply to a non-assistant."""
    for place in range(len(messages) - 1, 0, -1):
        if _is_reply(messages, place):
            return place
    return 0


def in_order(report: Sequence[Repair], messages: Sequence[Message]) -> tuple[Repair, ...]:
    """The report in the order of the messages, whatever pieces they were repaired in."""
    if len(report) <= 1:
        return tuple(report)
    places: dict[str, int] = {}
    for place, message in enumerate(messages):
        places.setdefault(message.id, place)

    def place_of(change: Repair) -> int:
        name = change.message or ""
        return places.get(name, places.get(name.partition("/")[0], len(messages)))

    return tuple(sorted(report, key=place_of))


def refuse_changes(report: Iterable[Repair]) -> None:
    """Raise for the first change that is more than a matter of form."""
    for change in report:
        if change.severity != "info":
            raise UsageError(f"Strict: {change.sentence} (rule {change.rule}, message {change.message}).")
