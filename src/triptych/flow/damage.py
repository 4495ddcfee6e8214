"""``Kinship``: one topic as the doctor looks at it: stored links, stored times, and what is hidden.

Every subtree is a stretch of one order of all messages, so that none of them is ever walked twice.

Not here: what counts as damage (``doctor``).
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cmp_to_key
from typing import Any, Final

from triptych.flow.forest import as_id
from triptych.flow.reading import metadata, signal, truthy
from triptych.flow.times import UNKNOWN, created_at, known
from triptych.model.rows import Row

__all__ = ["Kinship", "has_substance", "is_shell"]

_LISTS: Final = ("tools", "imageList", "fileList", "audioList")


def has_substance(row: Row) -> bool:
    """Whether losing a row would lose something that somebody said, thought, did or attached."""
    content = row.get("content")
    if content.strip() if isinstance(content, str) else truthy(content) and content != []:
        return True
    if truthy(row.get("reasoning")) or truthy(row.get("error")):
        return True
    return any(isinstance(row.get(key), list | tuple) and row[key] for key in _LISTS)


def is_shell(row: Row) -> bool:
    """Whether it is an assistant message of which nothing was ever stored."""
    if row.get("role") != "assistant" or has_substance(row):
        return False
    return not truthy(row.get("usage")) and not truthy(metadata(row).get("usage"))


class Kinship:
    """The rows outside threads, with the answers that the doctor's rules need.

    Attributes:
        rows: id to row, without threads.
        sorted: ids by stored time; unreadable times stay where they are.
        roots: ids whose stored parent is not here.
        children: existing parent to children by time.
    """

    def __init__(self, rows: Mapping[str, Row], elsewhere: Container[str]) -> None:
        self.rows = {key: row for key, row in rows.items() if not truthy(row.get("threadId"))}
        self.time = {key: created_at(row) for key, row in self.rows.items()}
        self.sorted = sorted(self.rows, key=cmp_to_key(self._compare))
        self._rank = {key: place for place, key in enumerate(self.sorted)}
        self.roots: list[str] = []
        self.children: dict[str, list[str]] = {}
        self._link()
        self._order: list[str] = []
        self._start: dict[str, int] = {}
        self._end: dict[str, int] = {}
        self._lay_out()
        self._hidden = [place for place, key in enumerate(self._order) if key in elsewhere]
        self._span: dict[str, tuple[float, float]] = {}
        self._best: dict[str, str | None] = {}
        self._sum_up()
        self._anchors = sorted(filter(self._can_anchor, self._dated()), key=self._by_time)
        self._tools = sorted((key for key in self._dated() if self.role(key) == "tool"), key=self._by_time)
        self._tools_by_call: dict[str, list[str]] = {}
        for key in self._tools:
            call_id = self.rows[key].get("tool_call_id")
            if isinstance(call_id, str):
                self._tools_by_call.setdefault(call_id, []).append(key)

    def role(self, key: str) -> Any:
        """The role of a row."""
        return self.rows[key].get("role")

    def link(self, key: str) -> str | None:
        """The stored parent id, whether or not such a row exists."""
        return as_id(self.rows[key].get("parentId"))

    def has_substance(self, key: str) -> bool:
        """Whether losing the row would lose something."""
        return has_substance(self.rows[key])

    def subtree(self, key: str) -> Sequence[str]:
        """A message and all below it, the last child first."""
        return self._order[self._start[key] : self._end[key]]

    def restorable(self, keys: Sequence[str]) -> list[str]:
        """The hidden messages of some subtrees, or none when nothing in them is worth bringing back."""
        found = [self._order[place] for key in keys for place in self._hidden_in(key)]
        return found if any(map(self.has_substance, found)) else []

    def forks(self) -> Iterator[tuple[str, list[str]]]:
        """Every parent with several children that are no tool rows, and those children."""
        for parent, kids in self.children.items():
            plain = [key for key in kids if self.role(key) != "tool"]
            if len(plain) > 1:
                yield parent, plain

    def overlap(self, one: str, other: str) -> bool:
        """Whether two subtrees were written at the same time; an unreadable time never was."""
        (start, end), (other_start, other_end) = self._span[one], self._span[other]
        return start <= other_end and other_start <= end

    def latest_anchor_in(self, key: str) -> str | None:
        """The newest message of a subtree that something may hang below."""
        return self._best[key]

    def latest_anchor_before(self, key: str) -> str | None:
        """The newest message older than this one, and not below it, that something may hang below."""
        last = self._last_before(self._anchors, key)
        if last is None:
            return None
        first = bisect_left(self._anchors, self.time[last], key=self.time.__getitem__)
        return next(one for one in self._anchors[first:] if not self._is_below(one, key))

    def tool_before(self, key: str, call_id: Any) -> str | None:
        """The first older result of a call outside the subtree, or else the last older result of any."""
        named: Sequence[str] = (
            self._tools_by_call.get(call_id, ()) if isinstance(call_id, str) and call_id else ()
        )
        older = itertools.takewhile(lambda tool: self.time[tool] < self.time[key], named)
        return next(
            (tool for tool in older if not self._is_below(tool, key)), self._last_before(self._tools, key)
        )

    def shells(self) -> dict[str, Row]:
        """The empty assistant messages that hang below something, except the newest message."""
        return {
            key: self.rows[key] for key in self.sorted[:-1] if self.link(key) and is_shell(self.rows[key])
        }

    def _compare(self, one: str, other: str) -> int:
        time, other_time = self.time[one], self.time[other]
        return (time > other_time) - (time < other_time)

    def _by_time(self, key: str) -> tuple[float, int]:
        return self.time[key], self._rank[key]

    def _dated(self) -> Iterator[str]:
        return (key for key in self.sorted if known(self.time[key]))

    def _can_anchor(self, key: str) -> bool:
        row = self.rows[key]
        return row.get("role") != "tool" and signal(row) is None and not is_shell(row)

    def _link(self) -> None:
        for key in self.sorted:
            above = self.link(key)
            if above is not None and above in self.rows:
                self.children.setdefault(above, []).append(key)
            else:
                self.roots.append(key)

    def _lay_out(self) -> None:
        """Put every subtree into one stretch; what hangs in a loop of parents starts where it is met first."""
        for start in [*self.roots, *self.sorted]:
            waiting = [] if start in self._start else [start]
            while waiting:
                key = waiting.pop()
                if key in self._start:
                    continue
                self._start[key] = len(self._order)
                self._order.append(key)
                waiting += self.children.get(key, ())

    def _sum_up(self) -> None:
        """Ends, time spans and newest anchors of all subtrees, from the leaves up."""
        for place in range(len(self._order) - 1, -1, -1):
            key = self._order[place]
            end, low, high = place + 1, self.time[key], self.time[key]
            best = key if self._can_anchor(key) else None
            for kid in self.children.get(key, ()):
                if self._start[kid] <= place or kid not in self._end:
                    continue
                end = max(end, self._end[kid])
                kid_low, kid_high = self._span[kid]
                low = min(low, kid_low) if known(low) and known(kid_low) else UNKNOWN
                high = max(high, kid_high) if known(high) and known(kid_high) else UNKNOWN
                best = self._newer(best, self._best[kid])
            self._end[key], self._span[key], self._best[key] = end, (low, high), best

    def _newer(self, one: str | None, other: str | None) -> str | None:
        if one is None or other is None:
            return one or other
        if self.time[one] == self.time[other]:
            return one if self._rank[one] < self._rank[other] else other
        return one if self.time[one] > self.time[other] or not known(self.time[other]) else other

    def _hidden_in(self, key: str) -> Sequence[int]:
        first = bisect_left(self._hidden, self._start[key])
        return self._hidden[first : bisect_left(self._hidden, self._end[key])]

    def _is_below(self, one: str, key: str) -> bool:
        return self._start[key] <= self._start[one] < self._end[key]

    def _last_before(self, among: Sequence[str], key: str) -> str | None:
        if not known(self.time[key]):
            return None
        place = bisect_left(among, self.time[key], key=self.time.__getitem__)
        while place > 0 and self._is_below(among[place - 1], key):
            place -= 1
        return among[place - 1] if place else None
