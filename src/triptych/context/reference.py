"""The catalogue of steps: one example of each, for the reference table and for the tests of contracts.

Not here: ready pipelines (``pipelines``).
"""

from __future__ import annotations

from collections.abc import Iterable

from triptych.context.budget import Budget
from triptych.context.contract import MARKS, Step
from triptych.context.injectors.blocks import last_user_block, preface_block, system_block, tail_block
from triptych.context.injectors.dates import message_dates, system_date
from triptych.context.injectors.documents import agent_documents, replace_system
from triptych.context.injectors.force_finish import force_finish
from triptych.context.injectors.group_context import group_context
from triptych.context.injectors.history_summary import history_summary
from triptych.context.injectors.knowledge import knowledge
from triptych.context.injectors.memory import user_memory
from triptych.context.injectors.model_facts import model_facts
from triptych.context.injectors.plan import plan, todo
from triptych.context.injectors.replayed_calls import replayed_calls
from triptych.context.injectors.selections import message_selections
from triptych.context.injectors.system_role import system_role
from triptych.context.injectors.tool_guidance import tool_guidance
from triptych.context.injectors.topic_references import topic_references
from triptych.context.original.steps import STEPS, original_step
from triptych.context.processors.cleanup import clean_up
from triptych.context.processors.disabled_tools import drop_disabled_calls
from triptych.context.processors.flatten import flatten_councils, flatten_groups, flatten_tasks
from triptych.context.processors.group_roles import other_agents_as_users
from triptych.context.processors.group_rows import drop_orchestration
from triptych.context.processors.input_template import input_template
from triptych.context.processors.media import media_content
from triptych.context.processors.placeholders import fill_placeholders
from triptych.context.processors.reactions import tell_reactions
from triptych.context.processors.residue import drop_residue
from triptych.context.processors.roles import (
    callback_messages,
    compressed_groups,
    restore_supervisors,
    task_messages,
    verify_messages,
)
from triptych.context.processors.stale_results import StaleRules, trim_stale_results
from triptych.context.processors.tool_calls import wire_tool_calls
from triptych.context.processors.tool_order import order_results
from triptych.context.processors.truncate_by_count import truncate_by_count
from triptych.context.processors.truncate_by_turns import truncate_by_turns
from triptych.context.processors.web_results import trim_web_results
from triptych.context.tokens.counter import TokenCounter

__all__ = ["catalogue", "render_reference"]

_AGENTS = {"me": {"name": "Me", "role": "supervisor"}, "you": {"name": "You", "role": "participant"}}
_OURS = {
    "AgentCouncilFlattenProcessor": "flatten_councils",
    "CompressedGroupRoleTransformProcessor": "compressed_groups",
    "ContextSelectionsInjector": "message_selections",
    "DisabledToolCallFilter": "drop_disabled_calls",
    "ForceFinishSummaryInjector": "force_finish",
    "GroupContextInjector": "group_context",
    "GroupMessageFlattenProcessor": "flatten_groups",
    "GroupOrchestrationFilterProcessor": "drop_orchestration",
    "GroupRoleTransformProcessor": "other_agents_as_users",
    "HistorySummaryProvider": "history_summary",
    "HistoryTruncateProcessor": "truncate_by_count",
    "InputTemplateProcessor": "input_template",
    "KnowledgeInjector": "knowledge",
    "EvalContextSystemInjector": "system_block",
    "LocalSystemToolSnapshotInjector": "replayed_calls",
    "SkillContextProvider": "system_block",
    "MessageCleanupProcessor": "clean_up",
    "MessageContentProcessor": "media_content",
    "ModelInfoProvider": "model_facts",
    "PageSelectionsInjector": "message_selections",
    "PlaceholderMessageFilterProcessor": "drop_residue",
    "PlaceholderVariablesProcessor": "fill_placeholders",
    "ReactionFeedbackProcessor": "tell_reactions",
    "SupervisorRoleRestoreProcessor": "restore_supervisors",
    "SystemDateProvider": "system_date",
    "SystemRoleInjector": "system_role",
    "TaskCallbackMessageProcessor": "callback_messages",
    "TaskMessageProcessor": "task_messages",
    "TasksFlattenProcessor": "flatten_tasks",
    "ToolCallProcessor": "wire_tool_calls",
    "ToolMessageReorder": "order_results",
    "ToolSystemRoleProvider": "tool_guidance",
    "TopicReferenceContextInjector": "topic_references",
    "UserMemoryInjector": "user_memory",
    "VerifyMessageProcessor": "verify_messages",
}
_OURS_BESIDE_STEPS = {
    "BaseEveryUserContentProvider": "places.in_each_user",
    "BaseFirstUserContentProvider": "places.before_first_user",
    "BaseLastUserContentProvider": "places.in_last_user",
    "BaseSystemRoleProvider": "places.in_system",
    "BaseVirtualLastUserContentProvider": "places.at_tail",
    "ContextEngine": "engine.ContextEngine",
    "HistoricalWebSearchResultFilter": "trim_web_results",
    "MessagesEngine": "pipelines.original",
    "PipelineContext": "draft.Draft",
    "PlanInjector": "plan",
    "StaleToolResultTrim": "trim_stale_results",
    "TodoInjector": "todo",
    "ToolArgumentsRepairer": "tooling.arguments",
    "ToolNameResolver": "tooling.names",
    "ToolResolver": "tooling.step_tools",
    "ToolsEngine": "tooling.enablement.Toolbox",
}


def catalogue() -> tuple[Step, ...]:
    """One example of every step that we have, by name."""
    steps = (*_processors(), *_injectors())
    return tuple(sorted(steps, key=lambda step: step.name))


def render_reference() -> str:
    """The reference page: every step with its contract, the marks, and the original's names."""
    for name in STEPS:
        original_step(name, {})
    lines = [
        "# Steps",
        "",
        "Written by `make docs` from the contracts in the code (`triptych.context.reference`).",
        "",
        "| step | what it does | scope | reads | writes | may drop | moves prefix | idempotent |",
        "|---|---|---|---|---|---|---|---|",
        *(_line(step) for step in catalogue()),
        "",
        "A step that reads a mark stands behind every step that writes it.",
        "",
        "| mark | what is settled |",
        "|---|---|",
        *(f"| `{mark}` | {meaning} |" for mark, meaning in MARKS.items()),
        "",
        "## Names of the original",
        "",
        "| there | here |",
        "|---|---|",
        *(f"| {there} | `{here}` |" for there, here in sorted({**_OURS, **_OURS_BESIDE_STEPS}.items())),
        "",
    ]
    return "\n".join(lines)


def _line(step: Step) -> str:
    promises = step.contract
    told = (step.name, promises.about, promises.scope, _marks(step.reads), _marks(step.writes))
    flags = (promises.may_drop, promises.moves_prefix, promises.idempotent)
    return (
        f"| `{told[0]}` | {' | '.join(told[1:])} | {' | '.join('yes' if flag else 'no' for flag in flags)} |"
    )


def _marks(marks: Iterable[str]) -> str:
    return ", ".join(f"`{mark}`" for mark in sorted(marks)) or "–"


def _processors() -> tuple[Step, ...]:
    counter = TokenCounter()
    return (
        callback_messages(),
        clean_up(),
        compressed_groups(),
        drop_disabled_calls(["web"]),
        drop_orchestration(agents=_AGENTS, current="you", identifiers=["fs"], apis=["read"]),
        drop_residue(),
        fill_placeholders({"name": lambda: "Ann"}),
        flatten_councils(),
        flatten_groups(),
        flatten_tasks(),
        input_template("Say: {{text}}"),
        media_content(),
        order_results(),
        other_agents_as_users(agents=_AGENTS, current="me"),
        restore_supervisors(),
        task_messages(),
        tell_reactions(),
        trim_stale_results(StaleRules(kinds={"fs.read": "read"}, keep_recent=2, at_least=10)),
        trim_web_results(["fs"]),
        truncate_by_count(3),
        truncate_by_turns(Budget(window=200), counter),
        verify_messages(),
        wire_tool_calls(),
    )


def _injectors() -> tuple[Step, ...]:
    document = {"filename": "a.md", "content": "A", "policyLoad": "always"}
    return (
        *agent_documents([document]),
        force_finish(),
        group_context([{"id": "me", "name": "Me"}], current="me"),
        history_summary("They spoke of rivers."),
        knowledge([{"fileId": "f", "filename": "f.md", "content": "F"}]),
        last_user_block("Now."),
        message_dates(),
        message_selections(),
        model_facts(name="Model", cutoff="2026-01"),
        plan({"goal": "Write."}),
        preface_block("First."),
        replayed_calls(),
        replace_system([{**document, "loadPosition": "system-replace"}]),
        system_block("System."),
        system_date(),
        system_role("You help."),
        tail_block("Last."),
        todo([{"text": "One.", "status": "todo"}]),
        tool_guidance([{"identifier": "fs", "api": [{"name": "read"}]}]),
        topic_references([{"topicId": "t", "summary": "S"}]),
        user_memory({"persona": "A gardener."}),
    )
