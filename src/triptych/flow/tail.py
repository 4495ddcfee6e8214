"""``Tail``: the end of a live conversation, where things are added in place.

``append`` and ``change_calls`` answer None whenever a change could touch anything but the last row; the caller then
reads the whole topic again. They never guess: each accepted case is one whose result in the walk is known.

Not here: the conversation around it (``live``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from triptych.flow.chains import MISSING, Step, is_fan_out, pair, results
from triptych.flow.entries import Entry
from triptych.flow.forest import as_id, hang
from triptych.flow.index import Forest, hidden_ids, survey
from triptych.flow.messages import kind_of
from triptych.flow.patches import InsertBlock, InsertRow, Patch, ReplaceBlock, ReplaceRow
from triptych.flow.reading import active_index, calls, is_object, metadata, truthy
from triptych.flow.times import created_at
from triptych.flow.to_list import draw
from triptych.flow.turn import Turn
from triptych.model.rows import Row

__all__ = ["Tail", "awaited_ids", "is_cosmetic"]

_STEERING: Final = (
    "activeBranchIndex", "activeColumn", "agentCouncil", "agentDispatch", "compare", "isSupervisor",
    "orchestrationRole", "scope", "signal", "signalPromoted", "subAgentId",
)  # fmt: skip
"""The metadata that decides where a message is shown."""

_UNUSUAL: Final = ("agentCouncil", "agentDispatch", "scope", "signal", "signalPromoted", "subAgentId")
"""The metadata with which a new message is never simply the next one."""

_USUAL: Final = ("user", "assistant", "system", "tool")
_ORDINARY_ROLES: Final = (None, "supervisor")
_OPEN: Final = ("message", "supervisor")

_COSMETIC: Final = frozenset({
    "audioList", "content", "contentLength", "error", "extra", "favorite", "fileList", "hidden", "imageList", "meta",
    "model", "parts", "performance", "plugin", "pluginError", "pluginIntervention", "pluginState", "provider",
    "reasoning", "search", "sessionId", "status", "topicId", "updatedAt", "usage", "videoList",
})  # fmt: skip
"""The fields that never decide where a message is shown."""


def is_cosmetic(row: Row, changes: Mapping[str, Any]) -> bool:
    """Whether changes leave every message where it is."""
    return all(key in _COSMETIC or _same_steering(row, key, value) for key, value in changes.items())


def _same_steering(row: Row, key: str, value: Any) -> bool:
    if key == "tools":
        return _call_names(row) == _call_names({"tools": value})
    if key == "metadata":
        old, new = metadata(row), metadata({"metadata": value})
        return all(old.get(name) == new.get(name) for name in _STEERING)
    return key in row and row[key] == value and type(row[key]) is type(value)


def _call_names(row: Row) -> list[Any]:
    return [(call.get("id"), call.get("result_msg_id")) if is_object(call) else None for call in calls(row)]


def awaited_ids(forest: Forest) -> Counter[str]:
    """How many rows speak of an id of which no row is here: when it comes, more than the end may change."""
    awaited: Counter[str] = Counter()
    for key, row in forest.rows.items():
        above = forest.link(key) if forest.parent[key] is None else None
        if above is not None and above not in forest.rows:
            awaited[above] += 1
        if "tools" in row:
            awaited.update(name for name in _named_results(row) if name not in forest.rows)
        if row.get("role") == "compressedGroup":
            awaited.update(hidden_ids(row))
    return awaited


def _named_results(row: Row) -> list[str]:
    named = (as_id(call.get("result_msg_id")) for call in calls(row) if is_object(call))
    return [name for name in named if name]


class Tail:
    """The last row of a live flat list and what may be added to it."""

    def __init__(self, forest: Forest, entries: list[Entry], flat_list: list[Any]) -> None:
        self._forest = forest
        self._entries = entries
        self._flat_list = flat_list
        self._awaited = awaited_ids(forest)
        self._turn: Turn | None = None

    def append(self, key: str, row: Row) -> list[Patch] | None:
        """Add a message that is simply the next one; None when it is not."""
        parent = row.get("parentId")
        if not self._entries or not isinstance(parent, str) or not self._is_usual(row, parent):
            return None
        last = self._entries[-1]
        if last.kind == "group":
            return self._append_to_group(last, key, row, parent)
        if last.kind not in _OPEN or last.id != parent or self._forest.kids.get(parent):
            return None
        folds = bool(calls(row)) and last.kind == "message" and self._forest.role(parent) == "assistant"
        return None if folds or row.get("role") == "tool" else self._next_row(key, row, parent)

    def change_calls(self, key: str, row: Row) -> list[Patch] | None:
        """Change a message at the very end, whose calls are still coming in; None when it is not such a one."""
        old = self._forest.rows[key]
        if not self._entries or not calls(row) or self._forest.role(key) != "assistant":
            return None
        kept = {
            name: row[name] for name in row if name != "tools" and (name not in old or row[name] != old[name])
        }
        if not is_cosmetic(old, kept) or self._names_known(row) or _speaks_unasked(row):
            return None
        last = self._entries[-1]
        if last.kind in _OPEN and last.id == key:
            return self._start_calling(last, row)
        if last.kind == "group" and last.steps[-1].id == key and not kept and not self._has_more(last):
            return self._change_step(last, row)
        return None

    def redraw(self, entry: Entry, block: int | None) -> list[Patch] | None:
        """Draw the last step of the last row again; None when the step is another one, or more must be drawn."""
        is_last = entry is self._entries[-1] and not entry.members and block == len(entry.steps) - 1
        if not is_last or not block:
            self._turn = None if self._turn is not None and self._turn.entry is entry else self._turn
            return None
        return self._replaced(entry, entry.steps[-1])

    # -- what is simply next ----------------------------------------------------------------------------------

    def _is_usual(self, row: Row, parent: str) -> bool:
        forest, role = self._forest, row.get("role")
        if (
            parent not in forest.rows
            or parent in forest.windows
            or parent in forest.redirects
            or forest.replaced
        ):
            return False
        threaded = truthy(row.get("threadId")) or truthy(forest.rows[parent].get("threadId"))
        if role not in _USUAL or threaded or _speaks_unasked(row):
            return False
        if (forest.groups and truthy(row.get("groupId"))) or (role == "user" and forest.contested):
            return False
        about = metadata(row)
        return (
            not any(name in about for name in _UNUSUAL) and about.get("orchestrationRole") in _ORDINARY_ROLES
        )

    def _names_known(self, row: Row) -> bool:
        """Whether a call names a result that is here already, perhaps shown elsewhere."""
        return any(name in self._forest.rows for name in _named_results(row))

    def _next_row(self, key: str, row: Row, parent: str) -> list[Patch] | None:
        if key in self._awaited or self._names_known(row):
            return None
        self._register(key, row, parent)
        entry = Entry(kind_of(self._forest, key), key, self._forest.time[key])
        if entry.kind == "group":
            entry.steps = [Step(key, pair(self._forest, key, ()), None)]
        self._entries.append(entry)
        self._flat_list.append(draw(self._forest, entry))
        return [InsertRow(row=len(self._flat_list) - 1, value=self._flat_list[-1])]

    def _register(self, key: str, row: Row, parent: str) -> None:
        forest = self._forest
        forest.hold(key, row)
        forest.parent[key] = parent
        hang(forest.kids, parent, key)
        if forest.links is not forest.kids:
            hang(forest.links, parent, key)
        forest.time[key] = max(forest.time[parent], created_at(row))
        forest.order.append(key)
        forest.newest = None
        forest.has |= survey([row])
        self._awaited.update(_named_results(row))

    # -- the open chain ---------------------------------------------------------------------------------------

    def _append_to_group(self, entry: Entry, key: str, row: Row, parent: str) -> list[Patch] | None:
        forest, step = self._forest, entry.steps[-1]
        answered = results(step)
        if entry.members or self._has_more(entry) or any(is_fan_out(forest, result) for result in answered):
            return None
        if row.get("role") == "tool":
            return self._append_result(entry, key, row) if parent == step.id else None
        chosen = (
            active_index(forest.rows[step.id]) is not None or active_index(forest.rows[parent]) is not None
        )
        if chosen or parent not in (step.id, *answered) or key in self._awaited or self._names_known(row):
            return None
        agent = forest.rows[entry.id].get("agentId", MISSING)
        if row.get("role") != "assistant" or row.get("agentId", MISSING) != agent:
            return self._next_row(key, row, parent)
        self._register(key, row, parent)
        turn = self._open(entry)
        block, fields = turn.add(forest, Step(key, pair(forest, key, ()), None))
        place = len(self._flat_list) - 1
        return [
            InsertBlock(row=place, block=len(entry.steps) - 1, value=block, fields=fields),
            *self._first(turn),
        ]

    def _append_result(self, entry: Entry, key: str, row: Row) -> list[Patch] | None:
        step = entry.steps[-1]
        named = _named_results(self._forest.rows[step.id])
        if self._awaited[key] > named.count(key) or named.count(key) > 1:
            return None
        self._register(key, row, step.id)
        return self._paired_again(entry, {*results(step), key})

    def _start_calling(self, entry: Entry, row: Row) -> list[Patch] | None:
        """A message that turns out to call tools is a chain of its own, unless it joins words before it."""
        forest = self._forest
        above = forest.parent[entry.id]
        if forest.kids.get(entry.id) or (above is not None and forest.role(above) == "assistant"):
            return None
        forest.rows[entry.id] = row
        self._awaited.update(_named_results(row))
        entry.kind = "group"
        entry.steps = [Step(entry.id, pair(forest, entry.id, ()), None)]
        self._flat_list[-1] = draw(forest, entry)
        return [ReplaceRow(row=len(self._flat_list) - 1, value=self._flat_list[-1])]

    def _change_step(self, entry: Entry, row: Row) -> list[Patch] | None:
        step = entry.steps[-1]
        self._forest.rows[step.id] = row
        self._awaited.update(_named_results(row))
        return self._paired_again(entry, set(results(step)))

    def _paired_again(self, entry: Entry, expected: set[str]) -> list[Patch] | None:
        """Pair the last step's calls anew; None unless it keeps its results and gains the new one."""
        step = entry.steps[-1]
        named = _named_results(self._forest.rows[step.id])
        elsewhere = {name for name in named if name in self._forest.rows}.difference(expected)
        again = step._replace(paired=pair(self._forest, step.id, elsewhere))
        if set(results(again)) != expected:
            return None
        if len(entry.steps) > 1:
            return self._replaced(entry, again)
        entry.steps = [again]
        self._turn = None
        self._flat_list[-1] = draw(self._forest, entry)
        return [ReplaceRow(row=len(self._flat_list) - 1, value=self._flat_list[-1])]

    def _replaced(self, entry: Entry, step: Step) -> list[Patch] | None:
        turn = self._open(entry)
        drawn = turn.redraw(self._forest, step)
        if drawn is None:
            self._turn = None
            return None
        place = len(self._flat_list) - 1
        last = len(entry.steps) - 1
        return [ReplaceBlock(row=place, block=last, value=drawn[0], fields=drawn[1]), *self._first(turn)]

    def _first(self, turn: Turn) -> list[Patch]:
        """The first block again, when it took over what the last one said about the turn."""
        if not turn.first_changed:
            return []
        return [ReplaceBlock(row=len(self._flat_list) - 1, block=0, value=turn.row["children"][0])]

    def _has_more(self, entry: Entry) -> bool:
        """Whether anything but results hangs below the last step, or anything at all below its results."""
        kids, step = self._forest.kids, entry.steps[-1]
        answered = results(step)
        own = kids.get(step.id) or ()
        return any(key not in answered for key in own) or any(kids.get(result) for result in answered)

    def _open(self, entry: Entry) -> Turn:
        if self._turn is None or self._turn.entry is not entry:
            self._turn = Turn(self._forest, entry, self._flat_list[-1])
        return self._turn


def _speaks_unasked(row: Row) -> bool:
    return truthy(row.get("signal")) or truthy(metadata(row).get("signal"))
