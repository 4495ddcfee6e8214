"""The original's flat counters, out of what our steps report and of the drafts before and after a step.

Our own metadata is under the name of the step that reports it. The original has one bag of keys, most of them
zero; its vectors compare them, so they are made here.

Not here: anything that a step does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from triptych.context.draft import Draft
from triptych.context.rowwork import listed, mapping, present, utf16_length
from triptych.model.rows import Row

__all__ = ["count_as_original"]

Config = Mapping[str, Any]
Counters = dict[str, Any]
Count = Callable[[Config, Draft, Draft], Counters]


def count_as_original(
    step: str, config: Any, before: Draft, after: Draft, known: Mapping[str, Any]
) -> Counters:
    """The counters that the original would have after this step; ``known`` are those before it."""
    count = (
        _each_user(str(mapping(config).get("name")))
        if step == "_primitive_every_user"
        else _COUNTERS.get(step)
    )
    if count is None:
        return dict(known)
    found = count(mapping(config), before, after)
    earlier = mapping(known.get("placeholderMessageFilter")).get("removedCount")
    if step == "PlaceholderMessageFilterProcessor" and isinstance(earlier, int):
        found["placeholderMessageFilter"]["removedCount"] += earlier
    return {**known, **found}


def _report(before: Draft, after: Draft, name: str) -> Mapping[str, Any]:
    """What a step reported in this run alone."""
    old, new = mapping(before.metadata.get(name)), mapping(after.metadata.get(name))
    return {
        key: value - old.get(key, 0) if isinstance(value, int) and key in old else value
        for key, value in new.items()
    }


def _role(draft: Draft, *roles: str) -> list[Row]:
    return [row for row in draft.rows if row.get("role") in roles]


def _residue(_config: Config, before: Draft, after: Draft) -> Counters:
    removed = _report(before, after, "drop_residue").get("removed", 0)
    return {"placeholderMessageFilter": {"removedCount": removed}}


def _truncated(_config: Config, before: Draft, after: Draft) -> Counters:
    return {"historyTruncated": len(before.rows) - len(after.rows), "finalMessageCount": len(after.rows)}


def _flattened(field: str, roles: tuple[str, ...], keys: tuple[str, str, str, str]) -> Count:
    def count(_config: Config, before: Draft, after: Draft) -> Counters:
        opened = [row for row in _role(before, *roles) if listed(row.get(field))]
        kept = {id(row) for row in before.rows}
        made = [row for row in after.rows if id(row) not in kept]
        tools = sum(row.get("role") == "tool" for row in made)
        return dict(zip(keys, (len(opened), len(opened), len(made) - tools, tools), strict=True))

    return count


def _tasks(_config: Config, before: Draft, _after: Draft) -> Counters:
    opened = [
        listed(row.get("tasks")) for row in _role(before, "tasks", "groupTasks") if listed(row.get("tasks"))
    ]
    made = sum(map(len, opened))
    return {
        "tasksFlattenProcessed": len(opened),
        "tasksMessagesFlattened": len(opened),
        "taskMessagesCreated": made,
    }


def _said(role: str, before: Draft, after: Draft) -> tuple[int, int]:
    """How many rows of a role were told, and how many were left out."""
    told = len(after.rows) - (len(before.rows) - len(_role(before, role)))
    return told, len(_role(before, role)) - told


def _verified(_config: Config, before: Draft, after: Draft) -> Counters:
    told, removed = _said("verify", before, after)
    return {"verifyMessagesRemoved": removed, "verifyFeedbackSurfaced": told}


def _callbacks(_config: Config, before: Draft, after: Draft) -> Counters:
    return {"taskCallbackMessagesSurfaced": _said("taskCallback", before, after)[0]}


def _rows_of(role: str, key: str) -> Count:
    return lambda _config, before, _after: {key: len(_role(before, role))}


def _orchestration(config: Config, before: Draft, after: Draft) -> Counters:
    agents, current = config.get("agentMap"), config.get("currentAgentId")
    led = (
        mapping(mapping(agents).get(current) if isinstance(current, str) else None).get("role")
        == "supervisor"
    )
    if config.get("enabled") is False or not present(agents) or led:
        return {}
    gone = [row for row in before.rows if not any(row is kept for kept in after.rows)]
    tools = sum(row.get("role") == "tool" for row in gone)
    return {
        "orchestrationFilterProcessed": {
            "assistantFiltered": len(gone) - tools,
            "filteredCount": len(gone),
            "toolFiltered": tools,
        }
    }


def _group_roles(config: Config, before: Draft, after: Draft) -> Counters:
    if not config.get("currentAgentId"):
        return {}
    pairs = list(zip(before.rows, after.rows, strict=True))
    changed = [row for row, new in pairs if row is not new]
    tools = sum(row.get("role") == "tool" for row in changed)
    return {
        "groupRoleTransformProcessed": {
            "assistantTransformed": len(changed) - tools,
            "toolTransformed": tools,
        }
    }


def _changed(before: Draft, after: Draft) -> int:
    return sum(row != new for row, new in zip(before.rows, after.rows, strict=True))


def _template(config: Config, before: Draft, after: Draft) -> Counters:
    return {"inputTemplateProcessed": _changed(before, after)} if config.get("inputTemplate") else {}


def _placeholders(_config: Config, before: Draft, after: Draft) -> Counters:
    return {"placeholderVariablesProcessed": _changed(before, after)}


def _reactions(config: Config, before: Draft, after: Draft) -> Counters:
    told = _report(before, after, "tell_reactions").get("told", 0)
    return {"reactionFeedbackProcessed": told} if config.get("enabled") else {}


def _media(_config: Config, before: Draft, after: Draft) -> Counters:
    users, assistants = len(_role(before, "user")), len(_role(before, "assistant"))
    tools = sum(
        row is not new and row.get("role") == "tool" for row, new in zip(before.rows, after.rows, strict=True)
    )
    return {
        "messageContentProcessed": users + assistants + tools,
        "userMessagesProcessed": users,
        "assistantMessagesProcessed": assistants,
        "toolMessagesProcessed": tools,
    }


def _tool_calls(config: Config, before: Draft, after: Draft) -> Counters:
    able = config.get("isCanUseFC")
    supported = bool(able(config.get("model"), config.get("provider"))) if callable(able) else True
    del after
    tools = len(_role(before, "tool"))
    assistants = _role(before, "assistant")
    calls = [row for row in assistants if _is_converted(row)] if supported else assistants
    return {
        "toolCallProcessed": len(calls) + tools,
        "toolCallsConverted": sum(len(listed(row.get("tools"))) for row in calls),
        "toolMessagesConverted": tools,
        "supportTools": supported,
    }


def _is_converted(row: Row) -> bool:
    tools = listed(row.get("tools"))
    return all(isinstance(tool, Mapping) for tool in tools) if tools else row.get("tool_calls") == []


def _disabled(config: Config, before: Draft, after: Draft) -> Counters:
    if not listed(config.get("disabledToolIdentifiers")):
        return {}
    report = _report(before, after, "drop_disabled_calls")
    return {
        "disabledToolCallFilter": {
            "filteredAssistantMessages": report.get("rows", 0),
            "filteredToolCalls": report.get("calls", 0),
        }
    }


def _reordered(_config: Config, before: Draft, after: Draft) -> Counters:
    removed = _report(before, after, "order_results").get("removed", 0)
    return {
        "toolMessageReorder": {
            "originalCount": len(before.rows),
            "removedInvalidTools": removed,
            "reorderedCount": len(after.rows),
        }
    }


def _cleaned(_config: Config, before: Draft, _after: Draft) -> Counters:
    cleaned = len(_role(before, "system", "user", "assistant", "tool"))
    return {"messageCleanup": {"cleanedCount": cleaned, "totalMessages": len(before.rows)}}


def _injected(step: str, key: str) -> Count:
    def count(_config: Config, before: Draft, after: Draft) -> Counters:
        return {key: True} if _report(before, after, step).get("injected") else {}

    return count


def _each_user(step: str) -> Count:
    def count(_config: Config, before: Draft, after: Draft) -> Counters:
        changed = _changed(before, after)
        return {f"{step}InjectedCount": changed} if changed else {}

    return count


def _summary(config: Config, before: Draft, after: Draft) -> Counters:
    report = _report(before, after, "HistorySummaryProvider")
    if not report.get("injected"):
        return {}
    lengths = {
        "formattedLength": utf16_length(report["text"]),
        "originalLength": utf16_length(config["historySummary"]),
    }
    return {"historySummary": {**lengths, "injected": True}}


def _snapshots(_config: Config, before: Draft, after: Draft) -> Counters:
    added = (len(after.rows) - len(before.rows)) // 2
    return {"LocalSystemToolSnapshotInjectorInjectedCount": added} if added else {}


def _skills(config: Config, before: Draft, after: Draft) -> Counters:
    if not _report(before, after, "SkillContextProvider").get("injected"):
        return {}
    return {"skillContext": {"injected": True, "skillsCount": len(listed(config.get("enabledSkills")))}}


def _memory(config: Config, before: Draft, after: Draft) -> Counters:
    on = config.get("enabled") is not False and config.get("memories") and config.get("memories") is not None
    del before, after
    return {"userMemoryInjected": True} if on else {}


def _knowledge(config: Config, before: Draft, after: Draft) -> Counters:
    files, bases = len(listed(config.get("fileContents"))), len(listed(config.get("knowledgeBases")))
    del before, after
    if not files and not bases:
        return {}
    return {"knowledgeInjected": True, "filesCount": files, "knowledgeBasesCount": bases}


def _group_context(config: Config, _before: Draft, _after: Draft) -> Counters:
    """Claimed even when there was no user message to stand before."""
    return {"groupContextInjected": True} if config.get("enabled") is not False else {}


def _references(config: Config, before: Draft, after: Draft) -> Counters:
    if after is before:
        return {}
    count = len(listed(config.get("topicReferences")))
    return {"topicReferenceInjected": True, "topicReferenceCount": count}


def _guidance(config: Config, before: Draft, after: Draft) -> Counters:
    report = _report(before, after, "ToolSystemRoleProvider")
    if not report.get("injected"):
        return {}
    facts = {
        "contentLength": utf16_length(report["text"]),
        "toolsCount": len(listed(config.get("manifests"))),
    }
    return {"toolSystemRole": {**facts, "injected": True, "supportsFunctionCall": True}}


def _finished(_config: Config, before: Draft, after: Draft) -> Counters:
    return {} if after is before else {"forceFinishInjected": True}


_COUNTERS: Mapping[str, Count] = {
    "AgentCouncilFlattenProcessor": _flattened(
        "members",
        ("agentCouncil",),
        (
            "agentCouncilFlattenProcessed",
            "agentCouncilMessagesFlattened",
            "agentCouncilAssistantMessagesCreated",
            "agentCouncilToolMessagesCreated",
        ),
    ),
    "ContextSelectionsInjector": _each_user("ContextSelectionsInjector"),
    "PageSelectionsInjector": _each_user("PageSelectionsInjector"),
    "CompressedGroupRoleTransformProcessor": _rows_of(
        "compressedGroup", "compressedGroupRoleTransformProcessed"
    ),
    "DisabledToolCallFilter": _disabled,
    "ForceFinishSummaryInjector": _finished,
    "GroupContextInjector": _group_context,
    "GroupMessageFlattenProcessor": _flattened(
        "children",
        ("assistantGroup", "supervisor"),
        (
            "groupMessagesFlattenProcessed",
            "groupMessagesFlattened",
            "assistantMessagesCreated",
            "toolMessagesCreated",
        ),
    ),
    "GroupOrchestrationFilterProcessor": _orchestration,
    "GroupRoleTransformProcessor": _group_roles,
    "HistorySummaryProvider": _summary,
    "HistoryTruncateProcessor": _truncated,
    "InputTemplateProcessor": _template,
    "KnowledgeInjector": _knowledge,
    "MessageCleanupProcessor": _cleaned,
    "MessageContentProcessor": _media,
    "ModelInfoProvider": _injected("ModelInfoProvider", "modelInfoInjected"),
    "PlaceholderMessageFilterProcessor": _residue,
    "PlaceholderVariablesProcessor": _placeholders,
    "ReactionFeedbackProcessor": _reactions,
    "SupervisorRoleRestoreProcessor": _rows_of("supervisor", "supervisorRoleRestoreProcessed"),
    "EvalContextSystemInjector": _injected("EvalContextSystemInjector", "evalContextInjected"),
    "LocalSystemToolSnapshotInjector": _snapshots,
    "SkillContextProvider": _skills,
    "SystemDateProvider": _injected("SystemDateProvider", "systemDateInjected"),
    "SystemRoleInjector": _injected("SystemRoleInjector", "systemRoleInjected"),
    "TaskCallbackMessageProcessor": _callbacks,
    "TaskMessageProcessor": _rows_of("task", "taskMessagesProcessed"),
    "TasksFlattenProcessor": _tasks,
    "ToolCallProcessor": _tool_calls,
    "ToolMessageReorder": _reordered,
    "ToolSystemRoleProvider": _guidance,
    "TopicReferenceContextInjector": _references,
    "UserMemoryInjector": _memory,
    "VerifyMessageProcessor": _verified,
}
