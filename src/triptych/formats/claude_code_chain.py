"""The chain of a Claude Code session: who follows whom, and mending it where it breaks.

The chain links all records that have an id, messages or not. Mending happens before records without a message are
taken out, since it is they who break it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from triptych.formats.assemble import settle
from triptych.formats.making import as_text
from triptych.formats.problems import problem
from triptych.formats.tree import nearest_kept, repair_parents
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message, UserMessage

__all__ = ["Chain", "mend_chain"]


class Chain:
    """The links as the records say them, in the order of the file."""

    def __init__(self) -> None:
        self.parents: dict[str, str | None] = {}
        self.side: dict[str, bool] = {}
        self.silent: set[str] = set()
        self.stitches: dict[str, str] = {}
        self.roots: list[str] = []

    def add(self, name: str, record: dict[str, Any], *, silent: bool = False) -> None:
        """A record with its parent; ``silent``: it is no message."""
        parent = as_text(record.get("parentUuid")) or None
        logical = as_text(record.get("logicalParentUuid"))
        self.parents[name] = parent
        self.side[name] = record.get("isSidechain") is True
        if silent:
            self.silent.add(name)
        if parent is None and (logical or _is_compaction(record)):
            self.stitches[name] = logical
        elif parent is None and not self.side[name]:
            self.roots.append(name)

    def merge(self, name: str, first: str) -> None:
        """A further record of a reply: a link that leads to the reply's first record."""
        self.parents[name] = first
        self.side[name] = self.side[first]

    def only_side(self) -> bool:
        """Whether the file holds nothing but side chains: then it is a sub-agent's own file."""
        return bool(self.side) and all(self.side.values())


def _is_compaction(record: dict[str, Any]) -> bool:
    """Whether what follows replaces what was before."""
    return record.get("subtype") == "compact_boundary" or record.get("isCompactSummary") is True


def mend_chain(chain: Chain, messages: dict[str, Message], found: list[Diagnostic]) -> list[Message]:
    """The messages with parents that hold."""
    halves = _halves(messages)
    parents = _whole_links(chain, found)
    _stitch(chain, parents, found)
    parents = repair_parents(parents, found)
    _put_back_stolen(chain, parents, messages, found)
    for whole, half in halves.items():
        parents[half], parents[whole] = parents[whole], half
    kept = [_reopened(message) if chain.only_side() else message for message in messages.values()]
    roots = [name for name in chain.roots if parents[name] is None and name in messages]
    if len(roots) > 1:
        found.append(problem("W_MULTI_ROOT", roots[1], roots=len(roots)))
    return settle(kept, found, nodes={name: parents[name] for name in _ordered(parents, messages)})


def _ordered(parents: dict[str, str | None], messages: dict[str, Message]) -> list[str]:
    return [*dict.fromkeys([*parents, *messages])]


def _halves(messages: dict[str, Message]) -> dict[str, str]:
    """For records that became two messages: the tool half by the id of the other."""
    return {
        (message.metadata or {})["source"]["within"]: name
        for name, message in messages.items()
        if "within" in (message.metadata or {})["source"]
    }


def _reopened(message: Message) -> Message:
    """In a sub-agent's own file its messages are the talk itself, and shown."""
    metadata = message.metadata or {}
    source = {key: value for key, value in metadata["source"].items() if key != "sidechain"}
    return msgspec.structs.replace(message, hidden=False, metadata={**metadata, "source": source})


def _whole_links(chain: Chain, found: list[Diagnostic]) -> dict[str, str | None]:
    """Parents that were never written become the record before, on the same side."""
    parents: dict[str, str | None] = {}
    before: dict[bool, str | None] = {True: None, False: None}
    for name, parent in chain.parents.items():
        side = chain.side[name]
        parents[name] = parent
        if parent is not None and parent not in chain.parents:
            found.append(problem("W_PARENT_MISSING", name, parent=parent))
            parents[name] = before[side]
        before[side] = name
    return parents


def _stitch(chain: Chain, parents: dict[str, str | None], found: list[Diagnostic]) -> None:
    """Join the boundary of a compaction to what it summarises."""
    before: dict[str, str | None] = {}
    latest: str | None = None
    for name in parents:
        before[name] = latest
        latest = name if not chain.side[name] else latest
    for name, logical in chain.stitches.items():
        target = logical if logical in parents else before[name]
        if target is not None:
            parents[name] = target
            found.append(problem("W_COMPACTION_STITCHED", name, parent=target))


def _put_back_stolen(
    chain: Chain, parents: dict[str, str | None], messages: dict[str, Message], found: list[Diagnostic]
) -> None:
    """A prompt that hangs off a silent record beside the real reply is moved below that reply."""
    nearest = nearest_kept(parents, messages.keys())
    children: dict[str | None, list[str]] = {}
    for name, message in messages.items():
        if name not in parents:
            continue
        owner = nearest[name]
        said = chain.parents.get(name)
        if said in chain.silent and owner is not None and _is_prompt(message) and not chain.side[name]:
            reply = _reply_beside(children.get(owner, []), messages)
            if reply is not None:
                leaf = _leaf_below(reply, children)
                parents[name] = leaf
                owner = leaf
                found.append(problem("W_FALSE_FORK", name, parent=leaf))
        children.setdefault(owner, []).append(name)


def _is_prompt(message: Message) -> bool:
    return isinstance(message, UserMessage)


def _reply_beside(siblings: list[str], messages: dict[str, Message]) -> str | None:
    """The latest reply (or result, on the way to one) among the earlier children."""
    replies = [name for name in siblings if not isinstance(messages[name], UserMessage)]
    return replies[-1] if replies else None


def _leaf_below(start: str, children: dict[str | None, list[str]]) -> str:
    place = start
    while below := children.get(place):
        place = below[-1]
    return place
