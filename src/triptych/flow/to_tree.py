"""Stage two, the context tree: every branch of the main flow as nested nodes, active or not.

The tree is a map for navigation. It names messages and does not draw them; a side thread is never in it; what
follows a folded group is its active continuation only. That nothing is lost is the flat list's promise.

Not here: rows (``to_list``) and the choice between branches (``branches``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

from triptych.flow.branches import branch_space, choose
from triptych.flow.chains import MISSING, Step, continuation, leads_to_tools
from triptych.flow.index import Forest
from triptych.flow.nodes import signal_source
from triptych.flow.reading import calls, is_callback, is_completion, is_council, metadata, sequence

__all__ = ["Node", "grow_tree"]

Node = dict[str, Any]


def grow_tree(forest: Forest) -> list[Node]:
    """The context tree of all rows that are in no thread."""
    return _Growth(_by_effective_parents(forest)).grow()


def _by_effective_parents(forest: Forest) -> Forest:
    """The same rows; stored links that were redirected or cut lead nowhere, or a chain could return to its start."""
    if forest.links is forest.kids:
        return forest
    view = copy(forest)
    view.links = view.kids
    return view


def _message(key: str) -> Node:
    return {"id": key, "type": "message"}


class _Growth:
    """One tree in the making: a stack of tasks in place of recursion."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.counter = 0
        self.stack: list[tuple[Callable[..., None], Any, Any]] = []
        self.by_group: dict[str, list[str]] | None = None

    def grow(self) -> list[Node]:
        out: list[Node] = []
        self._walk_all(self.forest.children(None), out)
        stack = self.stack
        while stack:
            act, first, second = stack.pop()
            act(first, second)
        return out

    def _walk_all(self, keys: Sequence[str], out: list[Node]) -> None:
        self.stack.extend((self._walk, key, out) for key in reversed(keys))

    def _walk(self, key: str, out: list[Node]) -> None:
        """Add the node of one message and those of what goes on below it; straight talk is one loop."""
        current: str | None = key
        while current is not None:
            current = self._add(current, out)

    def _add(self, key: str, out: list[Node]) -> str | None:
        """Add the node of one message by the first rule that fits; returns what follows it, or queues it."""
        kids = self.forest.children(key)
        row = self.forest.rows[key]
        if len(kids) > 1 and metadata(row).get("compare") is True:
            self._columns(key, kids, out)
        elif self.forest.groups and (group := self._compare_group(row.get("groupId"))) is not None:
            self._group_columns(key, row["groupId"], group, out)
        elif len(kids) > 1 and is_council(row):
            self._council(key, kids, out)
        elif len(kids) > 1 and sum(self.forest.role(kid) == "task" for kid in kids) > 1:
            self._tasks(key, kids, out)
        elif self._is_group_head(key, kids):
            return self._group(key, out)
        else:
            return self._plain(key, kids, out)
        return None

    def _plain(self, key: str, kids: Sequence[str], out: list[Node]) -> str | None:
        out.append(_message(key))
        if len(kids) == 1:
            return kids[0]
        if kids:
            self._branches(key, out)
        return None

    def _branches(self, key: str, out: list[Node]) -> None:
        space = [kid for kid in branch_space(self.forest, key) if kid in self.forest.rows]
        if len(space) <= 1:
            return
        active = choose(self.forest, key, space)
        branches: list[list[Node]] = [[] for _ in space]
        index = space.index(active) if active in space else len(space)
        node: Node = {
            "type": "branch",
            "parentMessageId": key,
            "activeBranchIndex": index,
            "branches": branches,
        }
        out.append(node)
        self.stack.append((self._number, node, f"branch-{key}"))
        self.stack.extend(
            (self._walk, kid, branch) for kid, branch in zip(space[::-1], branches[::-1], strict=True)
        )

    def _number(self, node: Node, prefix: str) -> None:
        """Inner branches are numbered first: a node gets its number when all below it is grown."""
        node["id"] = f"{prefix}-{self.counter}"
        self.counter += 1

    # -- columns, councils, tasks -----------------------------------------------------------------------------

    def _columns(self, key: str, kids: Sequence[str], out: list[Node]) -> None:
        out.append(_message(key))
        node: Node = {"type": "compare", "id": "-".join(["compare", key, *kids]), "messageId": key}
        node["columns"] = [[self._side(kid)] for kid in kids]
        out.append(node)
        flagged = [kid for kid in kids if metadata(self.forest.rows[kid]).get("activeColumn") is True]
        if flagged:
            node["activeColumnId"] = flagged[-1]
            self._walk_all(self.forest.children(flagged[-1])[:1], out)

    def _compare_group(self, group_id: Any) -> Any:
        group = self.forest.groups.get(group_id) if isinstance(group_id, str) else None
        return group if group is not None and group.get("mode") == "compare" else None

    def _group_columns(self, key: str, group_id: str, group: Any, out: list[Node]) -> None:
        members = self._members(group_id)
        node: Node = {"type": "compare", "messageId": group.get("parentMessageId") or key}
        self._number(node, f"compare-{group_id}")
        node["columns"] = [[_message(member)] for member in members]
        out.append(node)
        rows = self.forest.rows
        active = next(
            (member for member in members if metadata(rows[member]).get("activeColumn") is True), None
        )
        if active is not None:
            node["activeColumnId"] = active
            if active in self.forest.children(key):
                self._walk_all(self.forest.children(active)[:1], out)

    def _members(self, group_id: str) -> list[str]:
        if self.by_group is None:
            self.by_group = {}
            for key, row in self.forest.rows.items():
                if isinstance(row.get("groupId"), str):
                    self.by_group.setdefault(row["groupId"], []).append(key)
        return self.by_group[group_id]

    def _council(self, key: str, kids: Sequence[str], out: list[Node]) -> None:
        members = [self._side(kid) for kid in kids]
        node_id = "-".join(["agentCouncil", key, *kids])
        out.append({"type": "agentCouncil", "id": node_id, "messageId": key, "members": members})
        self._walk_all([below[0] for kid in kids if (below := self.forest.children(kid))], out)

    def _tasks(self, key: str, kids: Sequence[str], out: list[Node]) -> None:
        role = self.forest.role
        tasks = [kid for kid in kids if role(kid) == "task"]
        if role(key) != "tool":
            out.append(_message(key))
        node_id = "-".join(["tasks", key, *tasks])
        out.append({"type": "tasks", "id": node_id, "messageId": key, "children": list(map(_message, tasks))})
        following = [kid for task in tasks for kid in self.forest.children(task) if role(kid) != "task"]
        self._walk_all([kid for kid in kids if role(kid) != "task"] + following, out)

    def _side(self, key: str) -> Node:
        """A member or column: a group of its own when it heads one."""
        return (
            self._group_node(key)[0] if self._is_group_head(key, self.forest.children(key)) else _message(key)
        )

    # -- assistant groups -------------------------------------------------------------------------------------

    def _is_group_head(self, key: str, kids: Sequence[str]) -> bool:
        rows = self.forest.rows
        if rows[key].get("role") != "assistant":
            return False
        if any(rows[kid].get("role") == "tool" for kid in kids):
            return True
        return not calls(rows[key]) and leads_to_tools(self.forest, key)

    def _group(self, key: str, out: list[Node]) -> str | None:
        node, last = self._group_node(key)
        out.append(node)
        return self._next(last)

    def _group_node(self, head: str) -> tuple[Node, str]:
        steps = self._steps(head)
        children: list[Node] = []
        for step, tools in steps.items():
            children.append({**_message(step), "tools": tools} if tools else _message(step))
        blocks, completions = self._signals(head, steps) if "signal" in self.forest.has else ([], [])
        node: Node = {"id": head, "type": "assistantGroup", "children": [*children, *blocks, *completions]}
        return node, next(reversed(steps))

    def _steps(self, head: str) -> dict[str, list[str]]:
        """The chain: each step with all its tool rows in stored order."""
        agent = self.forest.rows[head].get("agentId", MISSING)
        steps: dict[str, list[str]] = {}
        current: str | None = head
        while current is not None:
            steps[current] = self._tool_rows(current)
            current = continuation(self.forest, Step(current, tuple(steps[current]), None), agent, steps).next
        return steps

    def _tool_rows(self, key: str) -> list[str]:
        rows = self.forest.rows
        return [kid for kid in self.forest.children(key) if rows[kid].get("role") == "tool"]

    def _next(self, last: str) -> str | None:
        """What follows a group: the active child of its last step; below a plain result, its first child."""
        kids = self.forest.children(last)
        if not kids:
            return None
        chosen = choose(self.forest, last, kids, branch_space(self.forest, last))
        if chosen is None or chosen not in self.forest.rows:
            return None
        if self.forest.role(chosen) != "tool":
            return chosen
        below = self.forest.children(chosen)
        if is_council(self.forest.rows[chosen]) or any(self.forest.role(kid) == "task" for kid in below):
            return chosen
        return below[0] if below else None

    def _signals(self, head: str, steps: dict[str, list[str]]) -> tuple[list[Node], list[Node]]:
        """Callbacks of each result, and the same agent's reports of ended tasks, along the chain."""
        rows, agent = self.forest.rows, self.forest.rows[head].get("agentId", MISSING)
        blocks: list[Node] = []
        completions: list[Node] = []
        for tool in self._tools_depth_first(steps):
            below = self.forest.children(tool)
            blocks += self._callbacks(tool, below)
            ended = (kid for kid in below if is_completion(rows[kid]))
            completions += [_message(kid) for kid in ended if rows[kid].get("agentId", MISSING) == agent]
        return blocks, completions

    def _tools_depth_first(self, steps: dict[str, list[str]]) -> Iterator[str]:
        """The chain's results that have children: those of a step below a result before that result's sibling."""
        visited: set[str] = set()
        for start, tools in steps.items():
            waiting = [] if start in visited else [iter(tools)]
            while waiting:
                tool = next(waiting[-1], None)
                if tool is None:
                    waiting.pop()
                elif below := self.forest.children(tool):
                    yield tool
                    deeper = next((kid for kid in below if kid in steps and kid not in visited), None)
                    if deeper is not None:
                        visited.add(deeper)
                        waiting.append(iter(steps[deeper]))

    def _callbacks(self, tool: str, below: Sequence[str]) -> list[Node]:
        rows = self.forest.rows
        if len(below) == 1 and not is_callback(rows[below[0]]):
            return []
        callbacks = sorted(
            (kid for kid in below if is_callback(rows[kid])), key=lambda kid: sequence(rows[kid])
        )
        if not callbacks:
            return []
        node: Node = {"type": "signalCallbacks", "id": f"signalCallbacks-{tool}"}
        node.update(signal_source(rows[callbacks[0]], tool))
        node["callbacks"] = list(map(_message, callbacks))
        return [node]
