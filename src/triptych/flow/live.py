"""``LiveFlow``: a topic that stays parsed while it grows.

What happens at the end of a conversation (a message, a tool call, its result, a token) costs the same however long
the conversation and its last turn are: it is shown in place. Everything else reads the rows again and compares.
Law: after any operations ``flat_list`` and ``elsewhere`` equal those of ``parse`` over ``rows``.

Not here: storing rows and minting ids (``repository``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from triptych.errors import UsageError
from triptych.flow.entries import Entry, Place, path_of
from triptych.flow.fork import Fork
from triptych.flow.index import ANY_THREAD, Forest, plant
from triptych.flow.parse import Flow
from triptych.flow.patches import AppendText, Patch, ReplaceRow, grown
from triptych.flow.reading import is_object
from triptych.flow.splice import splice
from triptych.flow.tail import Tail, is_cosmetic
from triptych.flow.to_list import draw, draw_all
from triptych.flow.to_tree import Node
from triptych.flow.walk import Walk, walk_forest
from triptych.model.diagnostics import Diagnostic
from triptych.model.rows import Row

__all__ = ["LiveFlow"]

_SINGLE = ("message", "supervisor", "recovered")
_SPEAKING = ("group", "message", "recovered")
_UNREADABLE = ("unreadable_row", "row_without_id", "duplicate_id")


class LiveFlow:
    """A growing topic and its flat list.

    Rows of the list are live: the next operation may change them in place. Send or copy what patches carry before
    the next operation. The arguments are those of ``parse``.
    """

    def __init__(
        self,
        rows: Iterable[Any] = (),
        groups: Iterable[Any] = (),
        *,
        thread: str | None = ANY_THREAD,
        forks: Mapping[str, Fork] | None = None,
    ) -> None:
        self._plant = partial(plant, groups=list(groups), thread=thread, forks=forks)
        self._adopt(self._plant(rows))
        self._intake = [note for note in self._walk.diagnostics if note.code in _UNREADABLE]

    @property
    def rows(self) -> Mapping[str, Row]:
        """The messages by id, in stored order."""
        return self._forest.rows

    @property
    def flat_list(self) -> list[Row]:
        """What a person reads, top to bottom."""
        return self._flat_list

    @property
    def walk(self) -> Walk:
        """Which messages are shown and where the others are; grows with the conversation."""
        return self._walk

    @property
    def elsewhere(self) -> dict[str, Place]:
        """Every message that no row shows."""
        return self._walk.elsewhere

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the data, and what was wrong with the rows that came first."""
        kept = (note for note in self._walk.diagnostics if note.code not in _UNREADABLE)
        return (*self._intake, *kept)

    @property
    def context_tree(self) -> list[Node]:
        """Every branch as nested nodes; grown when asked for."""
        return self._flow().context_tree

    @property
    def message_map(self) -> dict[str, Row]:
        """Every message by id; made when asked for."""
        return self._flow().message_map

    def append(self, row: Row) -> list[Patch]:
        """Add a message, or put it in the place of the one that has its id."""
        key = row.get("id") if is_object(row) else None
        if not isinstance(key, str):
            raise UsageError("A message needs an id of its own, a string, to be appended.")
        patches = None if key in self._forest.rows else self._tail.append(key, row)
        return self._reload({**self._forest.rows, key: row}) if patches is None else self._noted(key, patches)

    def update(self, message_id: str, changes: Mapping[str, Any]) -> list[Patch]:
        """Set some fields of a message; one that is set to None stays as null."""
        old = self._row(message_id)
        new = {**old, **changes}
        if is_cosmetic(old, changes):
            self._forest.rows[message_id] = new
            return self._redraw(message_id, renamed="model" in changes or "provider" in changes)
        patches = self._tail.change_calls(message_id, new)
        return (
            self._reload({**self._forest.rows, message_id: new})
            if patches is None
            else self._noted(message_id, patches)
        )

    def append_text(self, message_id: str, delta: str, part: int | None = None) -> list[Patch]:
        """Let a message go on speaking: in ``content``, or in one of its ``parts`` and what is derived from it."""
        row = self._row(message_id)
        if not _can_grow(row, part):
            raise UsageError(f"Message {message_id!r} has no text to append to (part {part}).")
        self._forest.rows[message_id] = grown(row, delta, part)
        spoken = self._spoken(message_id, delta, part)
        return self._redraw(message_id, renamed=False) if spoken is None else [spoken]

    def remove(self, *message_ids: str) -> list[Patch]:
        """Take messages away; what hung below them starts paths of its own."""
        gone = {key for key in message_ids if self._row(key) is not None}
        return self._reload({key: row for key, row in self._forest.rows.items() if key not in gone})

    def move(self, message_id: str, parent_id: str | None) -> list[Patch]:
        """Hang a message, with all below it, under another one."""
        moved = {**self._row(message_id), "parentId": parent_id}
        return self._reload({**self._forest.rows, message_id: moved})

    def switch_branch(self, parent_id: str, index: int) -> list[Patch]:
        """Choose a branch below a message, by its place among the siblings (``branch`` marks name both)."""
        row = self._row(parent_id)
        about: dict[str, Any] = dict(row["metadata"]) if is_object(row.get("metadata")) else {}
        changed = {**row, "metadata": {**about, "activeBranchIndex": index}}
        return self._reload({**self._forest.rows, parent_id: changed})

    # -- in place ---------------------------------------------------------------------------------------------

    def _row(self, message_id: str) -> Row:
        row = self._forest.rows.get(message_id)
        if row is None:
            raise UsageError(f"There is no message {message_id!r} in this conversation.")
        return row

    def _noted(self, key: str, patches: list[Patch]) -> list[Patch]:
        """Remember where a message of the last row is."""
        self._kept = None
        if self._homes is not None:
            steps = self._walk.entries[-1].steps
            self._homes[key] = (len(self._flat_list) - 1, len(steps) - 1 if steps else None)
        return patches

    def _home(self, message_id: str) -> tuple[int, int | None] | None:
        """The row that shows a message, and the block if it is a step of a group or one of its results."""
        if self._homes is None:
            self._homes = {}
            for place, entry in enumerate(self._walk.entries):
                _settle(self._homes, place, entry)
        return self._homes.get(message_id)

    def _spoken(self, message_id: str, delta: str, part: int | None) -> AppendText | None:
        """Let the drawn text grow, where the message is a row or a block of its own."""
        place, block = self._home(message_id) or (0, None)
        entry = self._walk.entries[place] if self._walk.entries else None
        if entry is None or (entry.id != message_id and block is None):
            return None
        if entry.kind == "supervisor":
            block = 0
        elif (
            entry.kind == "group" and (block is None or entry.steps[block].id != message_id)
        ) or entry.kind not in _SPEAKING:
            return None
        if block is None:
            self._flat_list[place] = draw(self._forest, entry)
        else:
            blocks = self._flat_list[place]["children"]
            blocks[block] = grown(blocks[block], delta, part)
        self._kept = None
        return AppendText(row=place, block=block, message=message_id, part=part, delta=delta)

    def _redraw(self, message_id: str, *, renamed: bool) -> list[Patch]:
        """Draw again what shows a message whose place has not changed."""
        self._kept = None
        home = self._home(message_id)
        if home is None:
            return []
        place, block = home
        entry = self._walk.entries[place]
        replaced = self._tail.redraw(entry, None if renamed else block)
        if replaced is not None:
            return replaced
        self._flat_list[place] = draw(self._forest, entry)
        return [ReplaceRow(row=place, value=self._flat_list[place])]

    # -- from scratch -----------------------------------------------------------------------------------------

    def _adopt(self, forest: Forest) -> None:
        self._forest = forest
        self._walk = walk_forest(forest)
        self._flat_list = draw_all(forest, self._walk.entries)
        self._homes: dict[str, tuple[int, int | None]] | None = None
        self._kept: Flow | None = None
        self._tail = Tail(forest, self._walk.entries, self._flat_list)

    def _reload(self, rows: Mapping[str, Row]) -> list[Patch]:
        before = self._flat_list
        self._adopt(self._plant(rows.values()))
        return splice(before, self._flat_list)

    def _flow(self) -> Flow:
        if self._kept is None:
            self._kept = Flow(self._forest, self._walk, self._flat_list)
        return self._kept


def _can_grow(row: Row, part: int | None) -> bool:
    if not isinstance(row.get("content") or "", str):
        return False
    parts = row.get("parts")
    return part is None or (isinstance(parts, list) and 0 <= part < len(parts) and is_object(parts[part]))


def _settle(homes: dict[str, tuple[int, int | None]], place: int, entry: Entry) -> None:
    """Note the messages of an entry; those of a council, of columns and of tasks belong to the row as a whole."""
    if entry.kind in _SINGLE:
        homes[entry.id] = (place, None)
        return
    homes.update((step.id, (place, None)) for step in path_of(entry))
    for block, step in enumerate(entry.steps):
        homes[step.id] = (place, block)
    for step in path_of(entry):
        homes.update((result, homes[step.id]) for result in step.results)
