"""The original's pipeline as a preset: which of its steps run, in which order, under one bag of parameters.

Not here: the steps (``steps``); product-specific steps, which do nothing without their configuration and are only
listed by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.context.contract import Step
from triptych.context.draft import Draft
from triptych.context.engine import ContextEngine
from triptych.context.original import blocks, documents
from triptych.context.original.counters import count_as_original
from triptych.context.original.steps import original_step
from triptych.context.rowwork import listed, mapping, present

__all__ = ["ORDER", "original_engine", "run_original", "run_step"]

Params = Mapping[str, Any]

ORDER: tuple[tuple[str, ...], ...] = (
    ("PlaceholderMessageFilterProcessor", "HistoryTruncateProcessor"),
    (
        "AgentDocumentBeforeSystemInjector",
        "SystemRoleInjector",
        "EvalContextSystemInjector",
        "BotPlatformContextInjector",
        "SystemDateProvider",
        "ModelInfoProvider",
        "SkillContextProvider",
        "ToolSystemRoleProvider",
        "HistorySummaryProvider",
        "AgentDocumentSystemAppendInjector",
        "AgentDocumentSystemReplaceInjector",
    ),
    (
        "UserMemoryInjector",
        "GroupContextInjector",
        "DiscordContextProvider",
        "PlanInjector",
        "KnowledgeInjector",
        "AgentDocumentContextInjector",
        "ToolDiscoveryProvider",
        "AgentBuilderContextInjector",
        "AgentManagementContextInjector",
        "GroupAgentBuilderContextInjector",
        "OnboardingContextInjector",
    ),
    (
        "AgentDocumentMessageInjector",
        "ActiveTopicDocumentContextInjector",
        "SelectedSkillInjector",
        "SelectedToolInjector",
        "ContextSelectionsInjector",
        "PageSelectionsInjector",
        "LocalSystemToolSnapshotInjector",
        "PageEditorContextInjector",
        "TaskManagerContextInjector",
        "TodoInjector",
        "TopicReferenceContextInjector",
        "OnboardingSyntheticStateInjector",
        "OnboardingActionHintInjector",
    ),
    (
        "InputTemplateProcessor",
        "AgentCouncilFlattenProcessor",
        "GroupMessageFlattenProcessor",
        "TasksFlattenProcessor",
        "TaskMessageProcessor",
        "PlaceholderMessageFilterProcessor",
        "VerifyMessageProcessor",
        "TaskCallbackMessageProcessor",
        "SupervisorRoleRestoreProcessor",
        "CompressedGroupRoleTransformProcessor",
        "GroupOrchestrationFilterProcessor",
        "GroupRoleTransformProcessor",
        "PlaceholderVariablesProcessor",
    ),
    ("ReactionFeedbackProcessor", "MessageContentProcessor", "ToolCallProcessor", "DisabledToolCallFilter"),
    ("ToolMessageReorder", "ForceFinishSummaryInjector", "MessageCleanupProcessor"),
)
"""The steps by phase. The two that need a group of agents are only there when there is one."""

_IN_GROUPS = ("GroupOrchestrationFilterProcessor", "GroupRoleTransformProcessor")
_SEARCH_TOOLS = ("lobe-web-browsing", "lobe-user-memory")


def original_engine(params: Params) -> ContextEngine:
    """The original's pipeline under parameters in its words; steps that nobody asked for are left out."""
    return ContextEngine(_step(name, config) for name, config in _plan(params) if config is not None)


def run_original(draft: Draft, params: Params) -> tuple[Draft, dict[str, Any], list[str]]:
    """The draft behind the original's pipeline, its flat counters, and the names of all of its steps."""
    counters: dict[str, Any] = {}
    names: list[str] = []
    for name, config in _plan(params):
        names.append(name)
        if config is not None and draft.aborted is None:
            draft, counters = run_step(draft, name, config, counters)
    return draft, counters, names


def run_step(
    draft: Draft, name: str, config: Any, counters: Mapping[str, Any]
) -> tuple[Draft, dict[str, Any]]:
    """One step of the original, with its counters."""
    after = ContextEngine([_step(name, config)]).run(draft).draft
    return after, count_as_original(name, config, draft, after, counters)


def _step(name: str, config: Any) -> Step:
    make = documents.STEPS.get(name)
    return make(mapping(config)) if make else original_step(name, config)


def _plan(params: Params) -> list[tuple[str, Any]]:
    """Every step in order, with its configuration, or None when it is off."""
    configs = {
        **_history(params),
        **_system(params),
        **_preface(params),
        **_messages(params),
        **_wire(params),
    }
    in_group = bool(_group(params)) and bool(
        params.get("currentAgentId") or mapping(params.get("agentGroup")).get("currentAgentId")
    )
    names = [name for phase in ORDER for name in phase if in_group or name not in _IN_GROUPS]
    plan = [(name, configs.get(name)) for name in names]
    again = max(place for place, name in enumerate(names) if name == "PlaceholderMessageFilterProcessor")
    plan[again] = (names[again], {"afterFlattening": True})
    return plan


def _history(params: Params) -> dict[str, Any]:
    return {
        "PlaceholderMessageFilterProcessor": {},
        "HistoryTruncateProcessor": {
            "enableHistoryCount": params.get("enableHistoryCount"),
            **({"historyCount": params["historyCount"]} if "historyCount" in params else {}),
            "keepSummaries": True,
        },
    }


def _system(params: Params) -> dict[str, Any]:
    tools = mapping(params.get("toolsConfig"))
    searching = any(one in _SEARCH_TOOLS for one in listed(tools.get("tools")))
    capabilities = mapping(params.get("capabilities"))
    documents = _documents(params)
    agent = params.get("enableAgentMode") is not False
    return {
        "SystemRoleInjector": {"systemRole": params.get("systemRole")},
        "EvalContextSystemInjector": mapping(params.get("evalContext")),
        "SkillContextProvider": mapping(params.get("skillsConfig")) if agent else {},
        "SystemDateProvider": {
            "enabled": params.get("enableSystemDate") is not False and not searching,
            "timezone": params.get("timezone"),
        },
        "ModelInfoProvider": _model_info(params, capabilities),
        "ToolSystemRoleProvider": {
            "enabled": bool(listed(tools.get("manifests"))),
            "manifests": tools.get("manifests"),
            "isCanUseFC": capabilities.get("isCanUseFC"),
            "model": params.get("model"),
            "provider": params.get("provider"),
        },
        "HistorySummaryProvider": {
            "historySummary": params.get("historySummary"),
            "formatHistorySummary": params.get("formatHistorySummary"),
        },
        "AgentDocumentBeforeSystemInjector": documents,
        "AgentDocumentSystemAppendInjector": documents,
        "AgentDocumentSystemReplaceInjector": documents,
        "AgentDocumentContextInjector": documents,
        "AgentDocumentMessageInjector": documents,
    }


def _model_info(params: Params, capabilities: Params) -> dict[str, Any]:
    info = mapping(params.get("modelInfo"))
    asked = {"vision": capabilities.get("isCanUseVision"), "video": capabilities.get("isCanUseVideo")}
    media = {
        kind: bool(able(params.get("model"), params.get("provider")))
        for kind, able in asked.items()
        if callable(able)
    }
    return {
        "displayName": info.get("displayName") or params.get("modelDisplayName") or params.get("displayName"),
        "knowledgeCutoff": _cutoff(params),
        "modelId": params.get("model"),
        "nativeMediaCapabilities": media,
    }


def _cutoff(params: Params) -> Any:
    given = mapping(params.get("modelInfo")).get("knowledgeCutoff")
    return given or params.get("modelKnowledgeCutoff") or params.get("knowledgeCutoff")


def _preface(params: Params) -> dict[str, Any]:
    memory, knowledge, group = (
        mapping(params.get(name)) for name in ("userMemory", "knowledge", "agentGroup")
    )
    found: dict[str, Any] = {}
    if memory.get("enabled") and memory.get("memories"):
        found["UserMemoryInjector"] = memory
    if _group(params) or group.get("currentAgentId") or group.get("members"):
        found["GroupContextInjector"] = {"enabled": True, **group}
    if listed(knowledge.get("fileContents")) or listed(knowledge.get("knowledgeBases")):
        found["KnowledgeInjector"] = knowledge
    return found


def _messages(params: Params) -> dict[str, Any]:
    group = mapping(params.get("agentGroup"))
    references = listed(params.get("topicReferences"))
    return {
        "ContextSelectionsInjector": {"enabled": True},
        "LocalSystemToolSnapshotInjector": {},
        "PageSelectionsInjector": {"enabled": _edits_a_page(params)},
        "TopicReferenceContextInjector": {"enabled": bool(references), "topicReferences": references},
        "InputTemplateProcessor": {"inputTemplate": params.get("inputTemplate")},
        "AgentCouncilFlattenProcessor": {},
        "GroupMessageFlattenProcessor": {},
        "TasksFlattenProcessor": {},
        "TaskMessageProcessor": {},
        "VerifyMessageProcessor": {},
        "TaskCallbackMessageProcessor": {},
        "SupervisorRoleRestoreProcessor": {},
        "CompressedGroupRoleTransformProcessor": {},
        "GroupOrchestrationFilterProcessor": {
            **group,
            "enabled": group.get("currentAgentRole") != "supervisor",
        },
        "GroupRoleTransformProcessor": group,
        "PlaceholderVariablesProcessor": {
            "everyRole": True,
            "variableGenerators": params.get("variableGenerators") or {},
        },
    }


def _edits_a_page(params: Params) -> bool:
    pages = (params.get("pageContentContext"), mapping(params.get("initialContext")).get("pageEditor"))
    return any(map(present, pages))


def _wire(params: Params) -> dict[str, Any]:
    able = mapping(params.get("capabilities"))
    model = {"model": params.get("model"), "provider": params.get("provider")}
    tools = mapping(params.get("toolsConfig"))
    return {
        "ReactionFeedbackProcessor": {"enabled": True},
        "MessageContentProcessor": {
            "fileContext": params.get("fileContext") or {"enabled": True, "includeFileUrl": True},
            "isCanUseAudio": able.get("isCanUseAudio"),
            "isCanUseVideo": able.get("isCanUseVideo"),
            "isCanUseVision": able.get("isCanUseVision") or _yes,
            "inline": params.get("inline"),
            **model,
        },
        "ToolCallProcessor": {
            "genToolCallingName": tools.get("genToolCallingName")
            or params.get("genToolCallingName")
            or blocks.wire_name,
            "isCanUseFC": able.get("isCanUseFC") or _yes,
            **model,
        },
        "DisabledToolCallFilter": {"disabledToolIdentifiers": tools.get("disabledToolIdentifiers")},
        "ToolMessageReorder": {},
        "ForceFinishSummaryInjector": {"enabled": params.get("forceFinish")},
        "MessageCleanupProcessor": {},
    }


def _yes(_model: Any, _provider: Any) -> bool:
    return True


def _group(params: Params) -> Params:
    return mapping(mapping(params.get("agentGroup")).get("agentMap"))


def _documents(params: Params) -> dict[str, Any] | None:
    documents = listed(params.get("agentDocuments"))
    if not documents or params.get("enableAgentMode") is False:
        return None
    users = [mapping(row) for row in listed(params.get("messages")) if mapping(row).get("role") == "user"]
    spoken = [row["content"] for row in users if isinstance(row.get("content"), str)]
    return {"documents": documents, "message": spoken[-1] if spoken else None}
