"""The original's class names and configurations, as steps of ours.

``STEPS`` is the table that maps them; each entry makes a step of a configuration in the original's words.

Not here: the order of its pipeline (``engine``), its functions (``functions``), its counters (``counters``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from triptych.context.contract import Step
from triptych.context.draft import Draft
from triptych.context.injectors.places import (
    at_tail,
    before_first_user,
    in_each_user,
    in_last_user,
    in_system,
)
from triptych.context.original import blocks, texts
from triptych.context.original.placeholders import fill_as_original
from triptych.context.processors.cleanup import clean_up
from triptych.context.processors.disabled_tools import drop_disabled_calls
from triptych.context.processors.flatten import flatten_councils, flatten_groups, flatten_tasks
from triptych.context.processors.group_roles import NameTool, dotted_name, other_agents_as_users
from triptych.context.processors.group_rows import drop_orchestration
from triptych.context.processors.input_template import input_template
from triptych.context.processors.media import MediaWording, media_content
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
from triptych.context.processors.tool_calls import wire_tool_calls
from triptych.context.processors.tool_order import order_results
from triptych.context.processors.truncate_by_count import truncate_by_count
from triptych.context.rowwork import listed, mapping
from triptych.model.rows import Row

__all__ = ["PRIMITIVES", "STEPS", "history_count", "original_step"]

Config = Mapping[str, Any]
Make = Callable[[Config], Step]


def original_step(name: str, config: Any) -> Step:
    """The step of this class name (or primitive) under a configuration in the original's words."""
    return (STEPS.get(name) or PRIMITIVES[name])(mapping(config))


def history_count(config: Config) -> int | None:
    """How many groups of the history stay; None for all. A null that somebody wrote counts as zero."""
    if not config.get("enableHistoryCount") or "historyCount" not in config:
        return None
    count: Any = config["historyCount"] or 0
    return int(count) if isinstance(count, int | float) else None


def _truncate(config: Config) -> Step:
    return truncate_by_count(history_count(config), keep_summaries=bool(config.get("keepSummaries")))


def _orchestration(config: Config) -> Step:
    tools, apis = config.get("orchestrationToolIdentifiers"), config.get("orchestrationApiNames")
    return drop_orchestration(
        agents=mapping(config.get("agentMap")) if config.get("enabled", True) is not False else {},
        current=config.get("currentAgentId"),
        identifiers=texts.ORCHESTRATION_TOOLS if tools is None else tools,
        apis=texts.ORCHESTRATION_APIS if apis is None else apis,
    )


def _group_roles(config: Config) -> Step:
    return other_agents_as_users(
        agents=mapping(config.get("agentMap")),
        current=config.get("currentAgentId"),
        name_tool=_two_part_name(config.get("genToolName")),
        voice=texts.Speaker(),
    )


def _two_part_name(given: Any) -> NameTool | None:
    """A namer that is asked with the identifier and the api alone."""

    def named(identifier: Any, api: Any, _kind: Any = None) -> str:
        return str(given(identifier, api))

    return named if callable(given) else None


def _placeholders(config: Config) -> Step:
    depth = config.get("depth")
    return fill_placeholders(
        mapping(config.get("variableGenerators")),
        depth=depth if isinstance(depth, int) else 2,
        roles=None,
        results=bool(config.get("everyRole")),
        fill_text=fill_as_original,
    )


def _reactions(config: Config) -> Step:
    told = tell_reactions(texts.reaction, into_parts=False)
    return told if config.get("enabled") else Step(told.contract, _unchanged)


def _unchanged(draft: Draft) -> Draft:
    return draft


def _media(config: Config) -> Step:
    files = mapping(config.get("fileContext"))
    return media_content(
        image=_can(config, "isCanUseVision"),
        video=_can(config, "isCanUseVideo"),
        audio=_can(config, "isCanUseAudio"),
        files=bool(files.get("enabled")),
        urls=files.get("includeFileUrl") is not False,
        wording=MediaWording(slim=True),
        inline=config.get("inline") or str,
    )


def _tool_calls(config: Config) -> Step:
    able = config.get("isCanUseFC")
    return wire_tool_calls(
        name=config.get("genToolCallingName") or dotted_name,
        supported=bool(able(config.get("model"), config.get("provider"))) if callable(able) else True,
        in_words=False,
        keep_names=False,
    )


def _can(config: Config, name: str) -> bool:
    asked = config.get(name)
    return bool(asked(config.get("model"), config.get("provider"))) if callable(asked) else False


def _placed(name: str, put: Callable[[Draft], Draft]) -> Step:
    contract = blocks.contract(name)
    return Step(contract, put)


def _system(config: Config) -> Step:
    name = str(config.get("name"))
    return _placed(name, lambda draft: in_system(draft, config.get("content"), name, anywhere=True))


def _first_user(config: Config) -> Step:
    return _placed("first_user", lambda draft: before_first_user(draft, config.get("content"), anywhere=True))


def _each_user(config: Config) -> Step:
    found = {
        mapping(one).get("index"): mapping(mapping(one).get("result"))
        for one in listed(config.get("contents"))
    }

    def text_for(row: Row, place: int, _last: bool) -> Row:
        result = found.get(place) or {}
        content, tag = result.get("content"), result.get("contextType")
        if not isinstance(content, str) or not content:
            return row
        return {**row, "content": blocks.in_wrapper(row.get("content"), content, str(tag))}

    return _placed("each_user", lambda draft: in_each_user(draft, text_for))


def _last_user(config: Config) -> Step:
    text = config.get("content")
    put = blocks.into_existing_wrapper

    def run(draft: Draft) -> Draft:
        return in_last_user(draft, text, put) if isinstance(text, str) else draft

    return _placed("last_user", run)


def _tail(config: Config) -> Step:
    name = str(config.get("name"))
    skipped = bool(config.get("skipped"))

    def run(draft: Draft) -> Draft:
        return draft if skipped else at_tail(draft, config.get("content"), name, own_row=False)

    return _placed(name, run)


STEPS: Mapping[str, Make] = {
    "AgentCouncilFlattenProcessor": lambda _config: flatten_councils(keep=(), groups=("assistantGroup",)),
    "CompressedGroupRoleTransformProcessor": lambda _config: compressed_groups(
        texts.compressed, keep_empty=True
    ),
    "DisabledToolCallFilter": lambda config: drop_disabled_calls(
        listed(config.get("disabledToolIdentifiers")), with_results=False
    ),
    "GroupMessageFlattenProcessor": lambda _config: flatten_groups(keep=()),
    "GroupOrchestrationFilterProcessor": _orchestration,
    "GroupRoleTransformProcessor": _group_roles,
    "HistoryTruncateProcessor": _truncate,
    "InputTemplateProcessor": lambda config: input_template(
        config.get("inputTemplate"), must_hold_text=False, injected_too=True
    ),
    "MessageCleanupProcessor": lambda _config: clean_up(keep=()),
    "MessageContentProcessor": _media,
    "PlaceholderMessageFilterProcessor": lambda config: drop_residue(
        flat=bool(config.get("afterFlattening"))
    ),
    "PlaceholderVariablesProcessor": _placeholders,
    "ReactionFeedbackProcessor": _reactions,
    "SupervisorRoleRestoreProcessor": lambda _config: restore_supervisors(),
    "TaskCallbackMessageProcessor": lambda _config: callback_messages(texts.callback),
    "TaskMessageProcessor": lambda config: task_messages(texts.task(config.get("template"))),
    "TasksFlattenProcessor": lambda _config: flatten_tasks(),
    "ToolCallProcessor": _tool_calls,
    "ToolMessageReorder": lambda _config: order_results(texts.failed_call, lossy=True),
    "VerifyMessageProcessor": lambda _config: verify_messages(texts.check),
    **blocks.STEPS,
}
"""The original's class names, and the step that does the same."""

PRIMITIVES: Mapping[str, Make] = {
    "_primitive_append_to_last_user": _last_user,
    "_primitive_every_user": _each_user,
    "_primitive_first_user": _first_user,
    "_primitive_system_role": _system,
    "_primitive_virtual_last_user": _tail,
}
"""The rules of the original's base classes, over a text that is given."""
