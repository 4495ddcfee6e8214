"""Pipelines that are ready to use: a chat, a group of agents, a stand-alone pipeline, and the original's.

    engine = pipelines.chat(instructions="You are …", tools=manifests)
    rows = engine.run(draft_of(history, profile=profile)).rows

``original`` does what the original does, with its fixed texts; all others have our own wording. Only ``standalone``
cuts: in a session the budget does, before the pipeline.

Not here: layers of context and their promotion (``envelope``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from triptych.context.budget import Budget
from triptych.context.contract import Step
from triptych.context.engine import ContextEngine
from triptych.context.injectors.dates import message_dates
from triptych.context.injectors.group_context import group_context
from triptych.context.injectors.history_summary import history_summary
from triptych.context.injectors.knowledge import knowledge
from triptych.context.injectors.memory import user_memory
from triptych.context.injectors.plan import plan, todo
from triptych.context.injectors.replayed_calls import replayed_calls
from triptych.context.injectors.selections import message_selections
from triptych.context.injectors.system_role import system_role
from triptych.context.injectors.tool_guidance import tool_guidance
from triptych.context.original.engine import original_engine
from triptych.context.processors.cleanup import clean_up
from triptych.context.processors.disabled_tools import drop_disabled_calls
from triptych.context.processors.flatten import flatten_councils, flatten_groups, flatten_tasks
from triptych.context.processors.group_roles import other_agents_as_users
from triptych.context.processors.group_rows import drop_orchestration
from triptych.context.processors.input_template import input_template
from triptych.context.processors.media import media_content
from triptych.context.processors.placeholders import Generators, fill_placeholders
from triptych.context.processors.reactions import tell_reactions
from triptych.context.processors.residue import drop_residue
from triptych.context.processors.roles import (
    callback_messages,
    compressed_groups,
    restore_supervisors,
    task_messages,
    verify_messages,
)
from triptych.context.processors.tool_calls import wire_tool_calls
from triptych.context.processors.tool_order import order_results
from triptych.context.processors.truncate_by_turns import truncate_by_turns
from triptych.context.tokens.counter import TokenCounter

__all__ = ["agents", "chat", "history_steps", "original", "standalone", "system_steps", "tail_steps"]

Manifests = Sequence[Mapping[str, Any]]


def chat(
    *,
    instructions: str | None = None,
    summary: str | None = None,
    tools: Manifests = (),
    disabled_tools: Collection[str] = (),
    memories: Mapping[str, Any] | None = None,
    files: Manifests = (),
    plan_facts: Mapping[str, Any] | None = None,
    todos: Manifests = (),
    variables: Generators | None = None,
    template: str | None = None,
    zone: str | None = None,
    history: Sequence[Step] | None = None,
) -> ContextEngine:
    """The pipeline of a chat with one assistant.

    ``history`` are the steps of an earlier ``history_steps``: engines that share them take over settled turns from
    each other's runs, whatever else is different (the list of things to do, the tools, the summary).
    """
    steps = (
        history_steps(template=template, zone=zone, disabled_tools=disabled_tools)
        if history is None
        else history
    )
    return ContextEngine(
        [
            *steps,
            *system_steps(
                instructions=instructions,
                summary=summary,
                tools=tools,
                memories=memories,
                files=files,
                plan_facts=plan_facts,
            ),
            fill_placeholders(variables or {}),
            *tail_steps(todos=todos),
            clean_up(),
        ]
    )


def agents(
    *,
    members: Mapping[str, Mapping[str, Any]],
    current: str,
    steering_tools: Collection[str] = (),
    steering_apis: Collection[str] = (),
    instructions: str | None = None,
    title: str | None = None,
    **options: Any,
) -> ContextEngine:
    """The pipeline of one agent (``current``) of a group; members map ids to ``{name, role}``. Options as in ``chat``."""
    told = [{"id": identifier, **facts} for identifier, facts in members.items()]
    engine = chat(instructions=instructions, **options)
    steered = engine.insert_before(
        "tell_reactions",
        drop_orchestration(agents=members, current=current, identifiers=steering_tools, apis=steering_apis),
        other_agents_as_users(agents=members, current=current),
    )
    return steered.insert_before("user_memory", group_context(told, current=current, title=title))


def standalone(
    budget: Budget, counter: TokenCounter, *, most_turns: int | None = None, **options: Any
) -> ContextEngine:
    """A chat pipeline that cuts by itself, for use without a session. Options as in ``chat``."""
    engine = chat(**options)
    first, *rest = engine.steps
    return ContextEngine([first, truncate_by_turns(budget, counter, most_turns=most_turns), *rest])


def original(params: Mapping[str, Any]) -> ContextEngine:
    """The original's pipeline under parameters in its own words (``systemRole``, ``historyCount`` …)."""
    return original_engine(params)


def history_steps(
    *, template: str | None = None, zone: str | None = None, disabled_tools: Collection[str] = ()
) -> list[Step]:
    """The steps that look at one message or turn at a time; a settled turn is never worked on again."""
    return [
        drop_residue(),
        input_template(template),
        message_selections(),
        replayed_calls(),
        *([message_dates(zone)] if zone else []),
        flatten_councils(),
        flatten_groups(),
        flatten_tasks(),
        drop_residue(flat=True),
        task_messages(),
        verify_messages(),
        callback_messages(),
        restore_supervisors(),
        compressed_groups(),
        tell_reactions(),
        media_content(),
        wire_tool_calls(),
        drop_disabled_calls(disabled_tools),
        order_results(),
    ]


def system_steps(
    *,
    instructions: str | None = None,
    summary: str | None = None,
    tools: Manifests = (),
    memories: Mapping[str, Any] | None = None,
    files: Manifests = (),
    plan_facts: Mapping[str, Any] | None = None,
) -> list[Step]:
    """The steps that add to the front, from what never changes to what seldom does."""
    return [
        system_role(instructions),
        tool_guidance(tools),
        history_summary(summary),
        user_memory(memories),
        knowledge(files),
        plan(plan_facts),
    ]


def tail_steps(*, todos: Manifests = ()) -> list[Step]:
    """The steps that add to the volatile tail."""
    return [todo(todos)]
