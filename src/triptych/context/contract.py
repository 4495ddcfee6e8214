"""What a step promises, as data: its name, what it reads and writes, and how far it looks.

The order check, the reuse of settled turns, the prefix test and the reference table all read these promises;
none of them looks into a step. An outsider adds a step by writing one function and its contract.

Not here: running steps (``engine``), checking their order (``order``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from triptych.context.draft import Draft

__all__ = ["MARKS", "Contract", "RunsOn", "Scope", "Step", "step"]

Scope = Literal["message", "turn", "whole"]
"""How far a step looks: at one message, at one turn (a user message and all that answers it), at everything."""

RunsOn = Callable[[Draft], Draft]

MARKS: Mapping[str, str] = {
    "residue": "assistant rows that never said anything are gone",
    "history": "which rows of the history take part is settled",
    "system": "the system text is complete",
    "preface": "the block before the first user message is complete",
    "user.each": "what belongs to a user message is in it",
    "user.last": "what belongs to the last user message is in it",
    "template": "the input template is around the user's own words",
    "flat": "containers (groups, councils, tasks) are plain rows",
    "flat.residue": "plain rows that never said anything are gone",
    "roles": "only system, user, assistant and tool are left as roles",
    "group.rows": "rows that only steer a group of agents are gone",
    "group.roles": "other agents speak as users",
    "variables": "placeholders are filled",
    "feedback": "reactions are told to the model",
    "parts": "content is parts that the model can take",
    "tool_calls": "calls are in the form of the wire",
    "tool_calls.enabled": "calls of disabled tools are gone",
    "results": "every call has its result right behind it",
    "results.short": "old results are shortened",
    "tail": "the volatile tail is in place",
    "clean": "rows carry what a model reads and nothing else",
}
"""The words that ``reads`` and ``writes`` use, each the state that the last writer of it brings about."""


class Contract(msgspec.Struct, frozen=True, kw_only=True):
    """The promises of one step.

    Attributes:
        name: how the step is called in stats and errors; names may repeat in a pipeline.
        reads: marks that have to be settled before it runs (keys of ``MARKS``).
        writes: marks that it settles.
        may_drop: whether rows may be missing from its result.
        moves_prefix: whether it may change what an earlier request already said.
        scope: how far it looks; a ``message`` or ``turn`` step is not run again on settled turns.
        lookback: turns before the current one that a ``turn`` step has to see again to be right; a step that looks
            back edits rows, it neither adds nor drops any.
        idempotent: whether running it twice is running it once.
        roles: the roles it cares about; None for all. Rows without any of them are not even looked at.
        about: one line for the reference table.
    """

    name: str
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    may_drop: bool = False
    moves_prefix: bool = False
    scope: Scope = "whole"
    lookback: int = 0
    idempotent: bool = True
    roles: frozenset[str] | None = None
    about: str = ""


class StepLike(Protocol):
    """What the engine needs of a step: its promises as attributes, and a call."""

    name: str
    reads: frozenset[str]
    writes: frozenset[str]
    may_drop: bool
    moves_prefix: bool
    scope: Scope

    def __call__(self, draft: Draft) -> Draft:
        """The draft after this step; the same object when nothing changed."""
        ...


class Step(msgspec.Struct, frozen=True):
    """A function of drafts with its contract. Calling it runs it."""

    contract: Contract
    run: RunsOn

    def __call__(self, draft: Draft) -> Draft:
        """The draft after this step; the same object when nothing changed."""
        return self.run(draft)

    @property
    def name(self) -> str:
        """The step's name."""
        return self.contract.name

    @property
    def reads(self) -> frozenset[str]:
        """Marks that have to be settled before it runs."""
        return self.contract.reads

    @property
    def writes(self) -> frozenset[str]:
        """Marks that it settles."""
        return self.contract.writes

    @property
    def may_drop(self) -> bool:
        """Whether rows may be missing from its result."""
        return self.contract.may_drop

    @property
    def moves_prefix(self) -> bool:
        """Whether it may change what an earlier request already said."""
        return self.contract.moves_prefix

    @property
    def scope(self) -> Scope:
        """How far it looks."""
        return self.contract.scope


def _with_about(about: str, promises: Mapping[str, Any]) -> dict[str, Any]:
    return {"about": about, **promises}


def step(
    name: str,
    *,
    reads: Iterable[str] = (),
    writes: Iterable[str] = (),
    scope: Scope = "whole",
    roles: Iterable[str] | None = None,
    **promises: Any,
) -> Callable[[RunsOn], Step]:
    """Make a step of a function: ``@step("shout", writes={"parts"}, scope="message")``.

    Other promises (``may_drop``, ``moves_prefix``, ``lookback``, ``idempotent``, ``about``) go by name. The
    first line of the function's docstring is ``about`` unless that is given.
    """

    def decorate(run: RunsOn) -> Step:
        about = (run.__doc__ or "").strip().partition("\n")[0]
        contract = Contract(
            name=name,
            reads=frozenset(reads),
            writes=frozenset(writes),
            scope=scope,
            roles=None if roles is None else frozenset(roles),
            **_with_about(about, promises),
        )
        return Step(contract, run)

    return decorate
