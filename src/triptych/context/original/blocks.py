"""The original's injectors that are a text at a place: their conditions, and texts that are ours where it matters.

Not here: our own injectors (``injectors``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.injectors import group_context as participants
from triptych.context.injectors import knowledge, memory, model_facts, selections, tool_guidance
from triptych.context.injectors import topic_references as topics
from triptych.context.injectors.places import before_first_user, in_each_user, in_last_user, in_system
from triptych.context.injectors.replayed_calls import replayed_calls
from triptych.context.injectors.wrapper import block, leaf
from triptych.context.original import texts
from triptych.context.rowwork import append_text, listed, mapping, trim
from triptych.context.tooling.names import name_tool
from triptych.model.rows import Row

__all__ = ["STEPS", "contract", "in_wrapper", "into_existing_wrapper", "wire_name"]

Config = Mapping[str, Any]


def contract(name: str, **promises: Any) -> Contract:
    """The contract of a step that is only used in the original's pipeline."""
    return Contract(name=name, idempotent=False, moves_prefix=True, **promises)


def in_wrapper(content: Any, text: str, tag: str) -> Any:
    """The content with a block in its wrapper; a content without one gets one."""
    bare = f"<{tag}>\n{text}\n</{tag}>"
    if texts.has_wrapper(_last_text(content)):
        return into_existing_wrapper(content, bare)
    return append_text(content, texts.wrap(text, tag))


def into_existing_wrapper(content: Any, text: str) -> Any:
    """The content with a text in its wrapper, or behind it when it has none."""
    if not texts.has_wrapper(_last_text(content)):
        return append_text(content, text)
    if isinstance(content, str):
        return texts.add_to_wrapper(content, text)
    place = _last_text_place(content)
    part = {**content[place], "text": texts.add_to_wrapper(content[place]["text"], text)}
    return [*content[:place], part, *content[place + 1 :]]


def _last_text_place(content: Any) -> int:
    places = [place for place, part in enumerate(listed(content)) if mapping(part).get("type") == "text"]
    return places[-1] if places else -1


def _last_text(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    place = _last_text_place(content)
    return content[place].get("text") if place >= 0 else None


def _system(name: str, text: Callable[[Config, Draft], str | None]) -> Callable[[Config], Step]:
    def make(config: Config) -> Step:
        def run(draft: Draft) -> Draft:
            said = text(config, draft)
            after = in_system(draft, said, name, anywhere=True)
            return after if after is draft else note(after, name, injected=True, text=said)

        return Step(contract(name), run)

    return make


def _system_role(config: Config, _draft: Draft) -> str | None:
    role = config.get("systemRole")
    return role if isinstance(role, str) and trim(role) else None


def _date(config: Config, draft: Draft) -> str | None:
    if config.get("enabled") is False or draft.clock is None:
        return None
    zone = config.get("timezone") or "UTC"
    today = datetime.fromtimestamp(draft.clock / 1000, UTC).astimezone(_zone(zone))
    return f"Current date: {today:%Y-%m-%d} ({zone})"


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"Invalid time zone specified: {name}") from None


def _model(config: Config, _draft: Draft) -> str | None:
    if config.get("enabled") is False:
        return None
    media = {
        kind: able
        for kind, able in mapping(config.get("nativeMediaCapabilities")).items()
        if isinstance(able, bool)
    }
    return model_facts.model_facts_text(
        name=config.get("displayName"),
        model=config.get("modelId"),
        cutoff=config.get("knowledgeCutoff"),
        media=media,
        labels=("Current model", "Model knowledge cutoff", "Native media input capabilities"),
    )


def _summary(config: Config, _draft: Draft) -> str | None:
    summary = config.get("historySummary")
    if not isinstance(summary, str) or not summary:
        return None
    form = config.get("formatHistorySummary")
    return str(form(summary)) if callable(form) else block("chat_history_summary", summary)


def _guidance(config: Config, _draft: Draft) -> str | None:
    able = config.get("isCanUseFC")
    offered = [one for one in listed(config.get("manifests")) if isinstance(one, Mapping)]
    if config.get("enabled") is False or not offered:
        return None
    if callable(able) and not able(config.get("model"), config.get("provider")):
        return None
    return tool_guidance.tool_guidance_text(offered)


def _preface(name: str, text: Callable[[Config], str | None]) -> Callable[[Config], Step]:
    def make(config: Config) -> Step:
        def run(draft: Draft) -> Draft:
            said = text(config) if config.get("enabled") is not False else None
            return before_first_user(draft, said, anywhere=True)

        return Step(contract(name), run)

    return make


def _memory(config: Config) -> str | None:
    return memory.memory_text(mapping(config.get("memories")))


def _knowledge(config: Config) -> str | None:
    return knowledge.knowledge_text(listed(config.get("fileContents")), listed(config.get("knowledgeBases")))


def _group(config: Config) -> str | None:
    members = [one for one in listed(config.get("members")) if isinstance(one, Mapping)]
    return participants.group_context_text(
        members,
        current=config.get("currentAgentId"),
        name=config.get("currentAgentName"),
        role=config.get("currentAgentRole"),
        title=config.get("groupTitle"),
        instructions=config.get("systemPrompt"),
    )


def _each_user(name: str, field: str, tag: str) -> Callable[[Config], Step]:
    def make(config: Config) -> Step:
        def text_for(row: Row, _place: int, _last: bool) -> Row:
            chosen = listed(mapping(row.get("metadata")).get(field))
            text = selections.selections_text(chosen) if chosen else None
            return {**row, "content": in_wrapper(row.get("content"), text, tag)} if text else row

        def run(draft: Draft) -> Draft:
            return in_each_user(draft, text_for) if config.get("enabled") is not False else draft

        return Step(contract(name), run)

    return make


def _topics(config: Config) -> Step:
    def run(draft: Draft) -> Draft:
        if config.get("enabled") is False:
            return draft
        text = topics.topic_references_text([mapping(one) for one in listed(config.get("topicReferences"))])
        return (
            in_last_user(draft, text, lambda content, said: in_wrapper(content, said, "topic_references"))
            if text
            else draft
        )

    return Step(contract("TopicReferenceContextInjector"), run)


def _environment(config: Config, _draft: Draft) -> str | None:
    prompt = config.get("envPrompt")
    return prompt if isinstance(prompt, str) else None


def _skills(config: Config, _draft: Draft) -> str | None:
    skills = [mapping(one) for one in listed(config.get("enabledSkills"))]
    active = [str(one["content"]) for one in skills if one.get("activated") and one.get("content")]
    others = [
        leaf("skill", str(one.get("description") or ""), name=one.get("name"))
        for one in skills
        if not one.get("activated")
    ]
    return "\n\n".join([*active, *([block("available_skills", "\n".join(others))] if others else [])]) or None


def _snapshots(_config: Config) -> Step:
    return Step(contract("LocalSystemToolSnapshotInjector"), replayed_calls().run)


def _finish(config: Config) -> Step:
    def run(draft: Draft) -> Draft:
        if not config.get("enabled"):
            return draft
        return draft.with_rows((*draft.rows, {"content": FINISH, "role": "system"}))

    return Step(contract("ForceFinishSummaryInjector"), run)


FINISH = "Do not call any more tools. Answer now with what you know, and say what is left open."

STEPS: Mapping[str, Callable[[Config], Step]] = {
    "ContextSelectionsInjector": _each_user(
        "ContextSelectionsInjector", "contextSelections", "user_context_selections"
    ),
    "EvalContextSystemInjector": _system("EvalContextSystemInjector", _environment),
    "ForceFinishSummaryInjector": _finish,
    "GroupContextInjector": _preface("GroupContextInjector", _group),
    "HistorySummaryProvider": _system("HistorySummaryProvider", _summary),
    "KnowledgeInjector": _preface("KnowledgeInjector", _knowledge),
    "LocalSystemToolSnapshotInjector": _snapshots,
    "ModelInfoProvider": _system("ModelInfoProvider", _model),
    "PageSelectionsInjector": _each_user("PageSelectionsInjector", "pageSelections", "user_page_selections"),
    "SkillContextProvider": _system("SkillContextProvider", _skills),
    "SystemDateProvider": _system("SystemDateProvider", _date),
    "SystemRoleInjector": _system("SystemRoleInjector", _system_role),
    "ToolSystemRoleProvider": _system("ToolSystemRoleProvider", _guidance),
    "TopicReferenceContextInjector": _topics,
    "UserMemoryInjector": _preface("UserMemoryInjector", _memory),
}
"""The original's injectors that generalise."""


def wire_name(identifier: Any, api: Any, kind: Any = None) -> str:
    """The usual name of a tool on the wire."""
    return name_tool(str(identifier), str(api), None if kind is None else str(kind))
