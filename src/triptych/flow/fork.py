"""``Fork``: the mark of a message that is one of several alternatives.

Not here: which alternative is active (``branches``).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

__all__ = ["Fork", "fork_at"]


class Fork(msgspec.Struct, frozen=True, kw_only=True):
    """A parent whose children are alternatives, seen from the one that is shown.

    Attributes:
        index: the place of the shown sibling, as ``metadata.activeBranchIndex`` of the parent counts.
        count: how many siblings there are.
        siblings: their ids in that order; empty when only the count is known.
    """

    index: int
    count: int
    siblings: tuple[str, ...] = ()


def fork_at(chosen: str, space: Sequence[str]) -> Fork:
    """The mark of the shown one among siblings."""
    return Fork(index=space.index(chosen), count=len(space), siblings=tuple(space))
