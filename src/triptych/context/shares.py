"""How much each source of text may send: notes, the web, memory, all within one room.

Not here: cutting history (``budget``), and shortening a source (its owner does).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

__all__ = ["Share", "share_out"]


class Share(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What one source asked for and what it gets.

    Attributes:
        source: its name.
        asked: tokens that it has.
        given: tokens that it may send.
        sentence: why it got less, or the empty string.
    """

    source: str
    asked: int
    given: int
    sentence: str = ""


def share_out(
    asked: Mapping[str, int], *, room: int, shares: Mapping[str, int] | None = None
) -> tuple[Share, ...]:
    """What each source may send: what it asks for, within its own share, and all of them within the room.

    When they are too much together, those that ask for more than the room divided by their number give way
    first, evenly; small ones keep all. ``room`` and ``shares`` are those of a ``Budget``.
    """
    limits = {name: min(tokens, (shares or {}).get(name, tokens)) for name, tokens in asked.items()}
    given = _even(limits, room)
    return tuple(
        Share(
            source=name,
            asked=tokens,
            given=given[name],
            sentence=_shortfall(name, tokens, given[name], limits[name]),
        )
        for name, tokens in asked.items()
    )


def _even(asked: Mapping[str, int], room: int) -> dict[str, int]:
    given: dict[str, int] = {}
    left = room
    for place, (name, tokens) in enumerate(sorted(asked.items(), key=lambda item: item[1])):
        given[name] = min(tokens, left // (len(asked) - place))
        left -= given[name]
    return given


def _shortfall(name: str, asked: int, given: int, limit: int) -> str:
    if given == asked:
        return ""
    why = "its share ends there" if given == limit else "the request has no more room"
    return f"{name} asked for {asked} tokens and may send {given}: {why}."
