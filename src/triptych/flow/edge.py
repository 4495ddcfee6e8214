"""The JSON edge of a parsed topic: camelCase keys, and no nesting deeper than an encoder can write.

Not here: reading JSON (the callers do), and what the parts mean (``parse``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from triptych.flow.entries import Place
from triptych.flow.parse import Flow
from triptych.flow.to_tree import Node

__all__ = ["DEEPEST", "places_json", "shallow", "to_json"]

DEEPEST: Final = 100
"""How many branches may be nested in each other before the next one is written as a reference."""


def to_json(flow: Flow) -> dict[str, Any]:
    """``{contextTree, flatList, messageMap, elsewhere, diagnostics}``, and ``continuations`` when the tree is deep.

    A branch below ``DEEPEST`` others is ``[{"type": "continuation", "id": KEY}]``; its nodes are
    ``continuations[KEY]``, where the counting starts anew.
    """
    tree, continuations = shallow(flow.context_tree)
    written: dict[str, Any] = {
        "contextTree": tree,
        "flatList": flow.flat_list,
        "messageMap": flow.message_map,
        "elsewhere": places_json(flow.elsewhere),
        "diagnostics": [msgspec.to_builtins(note) for note in flow.diagnostics],
    }
    return {**written, "continuations": continuations} if continuations else written


def places_json(places: Mapping[str, Place]) -> dict[str, Any]:
    """``elsewhere`` as plain JSON."""
    return {key: {"reason": place.reason, "owner": place.owner} for key, place in places.items()}


def shallow(tree: list[Node]) -> tuple[list[Node], dict[str, list[Node]]]:
    """The tree with deep branches taken out, and those branches by reference."""
    continuations: dict[str, list[Node]] = {}
    top: list[Node] = []
    waiting: list[tuple[list[Node], list[Node], int]] = [(tree, top, 0)]
    while waiting:
        nodes, out, depth = waiting.pop()
        for node in nodes:
            if node["type"] != "branch":
                out.append(node)
                continue
            copy: Node = {**node, "branches": []}
            out.append(copy)
            for place, branch in enumerate(node["branches"]):
                inner: list[Node] = []
                waiting.append((branch, inner, (depth + 1) % DEEPEST))
                copy["branches"].append(
                    _reference(continuations, node, place, inner) if depth + 1 == DEEPEST else inner
                )
    return top, continuations


def _reference(continuations: dict[str, list[Node]], node: Node, place: int, inner: list[Node]) -> list[Node]:
    key = f"{node['id']}/{place}"
    continuations[key] = inner
    return [{"type": "continuation", "id": key}]
