"""Rows that only steer a group of agents: a supervisor's calls to hand out work, and what those calls returned.

An agent of the group has no use for them. The supervisor itself still sees them.

Not here: how other agents' words are told apart (``group_roles``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.rowwork import each_row, listed, mapping
from triptych.model.rows import Row

__all__ = ["drop_orchestration"]


def drop_orchestration(
    *,
    agents: Mapping[str, Mapping[str, Any]],
    current: str | None,
    identifiers: Collection[str],
    apis: Collection[str],
) -> Step:
    """Leave out a supervisor's calls to steer the group, as seen by the agent ``current``.

    ``agents`` maps an agent's id to its facts, of which ``role`` is read (``supervisor`` or another). A call
    steers when both its tool is among ``identifiers`` and its api among ``apis``.
    """
    steering = _Steering(agents, frozenset(identifiers), frozenset(apis))
    off = not agents or steering.leads(current)

    def run(draft: Draft) -> Draft:
        if off:
            return draft
        after = each_row(draft, lambda row: None if steering.only(row) else row, ("assistant", "tool"))
        return (
            after
            if after is draft
            else note(after, "drop_orchestration", removed=len(draft.rows) - len(after.rows))
        )

    return Step(
        Contract(
            name="drop_orchestration",
            reads=frozenset({"flat", "roles"}),
            writes=frozenset({"group.rows"}),
            may_drop=True,
            scope="message",
            roles=frozenset({"assistant", "tool"}),
            about="leaves out what only steers a group of agents",
        ),
        run,
    )


class _Steering:
    def __init__(
        self, agents: Mapping[str, Mapping[str, Any]], identifiers: frozenset[str], apis: frozenset[str]
    ) -> None:
        self._leaders = {
            agent for agent, facts in agents.items() if mapping(facts).get("role") == "supervisor"
        }
        self._identifiers = identifiers
        self._apis = apis

    def leads(self, agent: Any) -> bool:
        return isinstance(agent, str) and agent in self._leaders

    def only(self, row: Row) -> bool:
        if not self.leads(row.get("agentId")):
            return False
        if row.get("role") == "tool":
            return self._steers(row.get("plugin"))
        return any(self._steers(call) for call in listed(row.get("tools")))

    def _steers(self, call: Any) -> bool:
        known = mapping(call)
        return _in(known.get("identifier"), self._identifiers) and _in(known.get("apiName"), self._apis)


def _in(value: Any, known: frozenset[str]) -> bool:
    return isinstance(value, str) and value in known
