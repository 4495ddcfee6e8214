"""What a rule is, and how a check says that a body breaks it.

Not here: the rules (``table``) and the checks (one module a wire).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from triptych.model.foreign import clean_text
from triptych.model.profile import Profile, WireName
from triptych.wires.payload import Violation

__all__ = ["Findings", "Place", "Rule", "Scan", "written"]

Place = str | tuple[str, int, str, int]
"""Where something stands: as it is written, or list, index, field and number, written when somebody asks."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule of the linter.

    Attributes:
        id: stable, ``subject.defect``.
        sentence: what is wrong, for people.
        source: where the rule is documented or was seen.
        rejected_by: who refuses it, by wire, with the provider's own sentence where it is known.
        wires: the wires on which it is looked for.
    """

    id: str
    sentence: str
    source: str
    wires: tuple[WireName, ...]
    rejected_by: dict[str, str] = msgspec.field(default_factory=dict[str, str])


class Findings:
    """The violations found so far in one body; ``fine_names`` are tool names that were looked at and fit."""

    def __init__(self, wire: WireName, profile: Profile, rules: Mapping[str, Rule]) -> None:
        self.wire: WireName = wire
        self.profile = profile
        self.found: list[Violation] = []
        self.fine_names: set[str] = set()
        self._rules = rules

    def add(self, rule: str, where: str, detail: str = "", *, patch: Iterable[dict[str, Any]] = ()) -> None:
        """The body breaks this rule at this place; ``patch`` is a minimal change that mends it."""
        known = self._rules[rule]
        sentence = f"{known.sentence} {detail}".rstrip() if detail else known.sentence
        self.found.append(
            Violation(
                rule=rule,
                sentence=clean_text(sentence),
                where=clean_text(where),
                source=known.source,
                rejected_by=known.rejected_by.get(self.wire, ""),
                patch=tuple(patch),
            )
        )


class Scan:
    """What the checks remember from one item to the next; a copy goes on from a checked prefix.

    Attributes:
        index: how many items were checked.
        ids: call ids so far. items: provider item ids so far.
        open: calls of the current step that still wait for a result: id to where they stand (see ``written``).
        last: the role before. turn: the last role outside tool units.
        images, pixels, bytes, marks: media and cache marks so far; ``pixels`` is -1 when a size is unknown.
        calls: a tool was called. reasoning: a reasoning item waits for what must follow it.
        systems: system messages so far.
    """

    def __init__(self) -> None:
        self.index = 0
        self.ids: set[str] = set()
        self.items: set[str] = set()
        self.open: dict[str, Place] = {}
        self.last: str | None = None
        self.turn: str | None = None
        self.images = 0
        self.pixels = 0
        self.bytes = 0
        self.marks = 0
        self.calls = False
        self.reasoning: str | None = None
        self.systems = 0
        self.words = False

    def copy(self) -> Scan:
        """A copy that can go on by itself."""
        twin = Scan()
        for name, value in vars(self).items():
            setattr(twin, name, value.copy() if isinstance(value, set | dict) else value)
        return twin


def written(place: Place) -> str:
    """The place as a path into the body."""
    if isinstance(place, str):
        return place
    items, index, field, number = place
    return f"{items}[{index}].{field}[{number}]"
