"""The original's functions and methods over our tooling, by the names that its vectors use.

Not here: steps (``steps``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from triptych.context.draft import draft_of
from triptych.context.injectors import documents as docs
from triptych.context.injectors.topic_references import parse_topic_tags, resolve_topic_references
from triptych.context.original.encoding import UNDEFINED, as_map
from triptych.context.original.placeholders import fill_as_original
from triptych.context.original.steps import history_count
from triptych.context.processors.placeholders import fill_placeholders, render_template
from triptych.context.processors.truncate_by_count import last_groups
from triptych.context.rowwork import listed, mapping
from triptych.context.tokens.accounting import account
from triptych.context.tooling import arguments
from triptych.context.tooling.enablement import Toolbox, enable_by_rules
from triptych.context.tooling.manifests import (
    describe_tools,
    is_manifest,
    normalize_parameters,
    split_manifests,
)
from triptych.context.tooling.names import LENGTH, name_tool, resolve_calls
from triptych.context.tooling.step_tools import resolve_step_tools

__all__ = ["call_original", "knows"]

Call = Mapping[str, Any]


def call_original(step: str, call: Call) -> Any:
    """The result of a function or method of the original.

    ``call`` has ``args``, ``config``, ``method``, ``setup`` (calls made before), ``length`` (of tool names) and
    ``clock`` (epoch milliseconds).
    """
    if step in _CLASSES:
        return _CLASSES[step](call)
    return _FUNCTIONS[step](call, *listed(call.get("args")))


def _limit(call: Call) -> int:
    length = call.get("length")
    return length if isinstance(length, int) and length >= 0 else LENGTH


def _namer(call: Call) -> Callable[..., str]:
    limit = _limit(call)

    def named(identifier: Any, api: Any, kind: Any = "builtin") -> str:
        return name_tool(
            str(identifier), str(api), None if kind is None or kind is UNDEFINED else str(kind), length=limit
        )

    return named


def _names(call: Call) -> Any:
    args = listed(call.get("args"))
    if call.get("method") == "generate":
        return _namer(call)(*args)
    offered = args[2] if len(args) > 2 else None
    offered = None if offered is None else list(offered)
    return resolve_calls(listed(args[0]), mapping(args[1]), offered, length=_limit(call))


def _arguments(call: Call) -> Any:
    args = listed(call.get("args"))
    if call.get("method") == "repair":
        return arguments.repair_arguments(args[0], args[1] if len(args) > 1 else None)
    apis = listed(mapping(call.get("config")).get("api"))
    api = next((mapping(one) for one in apis if mapping(one).get("name") == args[0]), {})
    return arguments.read_arguments(args[1] if len(args) > 1 else "", api.get("parameters"))


def _step_tools(call: Call) -> Any:
    operation, delta, *rest = listed(call.get("args"))
    accumulated = rest[0] if rest and rest[0] is not None else []
    allowed = rest[1] if len(rest) > 1 and rest[1] is not UNDEFINED else None
    return resolve_step_tools(mapping(operation), mapping(delta), accumulated, allowed, name=_namer(call))


def _toolbox(call: Call) -> Any:
    config = mapping(call.get("config"))
    manifests = {str(one["identifier"]): one for one in listed(config.get("manifestSchemas"))}
    box = Toolbox(
        manifests=manifests,
        enabled=config.get("enableChecker"),
        can_call=config.get("functionCallChecker"),
        defaults=tuple(listed(config.get("defaultToolIds"))),
        name=config.get("generateToolName") or _namer(call),
    )
    for earlier in listed(call.get("setup")):
        box = _changed(box, mapping(earlier))
    return _TOOLBOX[str(call.get("method"))](box, *listed(call.get("args")))


def _changed(box: Toolbox, earlier: Call) -> Toolbox:
    args = listed(earlier.get("args"))
    method = earlier.get("method")
    if method == "addPluginManifest":
        return box.with_manifest(args[0])
    if method == "removePluginManifest":
        return box.without_manifest(str(args[0]))
    if method == "updateManifestSchemas":
        return Toolbox(
            manifests={str(one["identifier"]): one for one in listed(args[0])},
            enabled=box.enabled,
            can_call=box.can_call,
            defaults=box.defaults,
            name=box.name,
        )
    return box


def _tools(box: Toolbox, question: Call) -> Any:
    offer = _offer(box, question, without=())
    return UNDEFINED if offer.tools is None else offer.tools


def _tools_in_detail(box: Toolbox, question: Call) -> Any:
    offer = _offer(box, question, without=listed(question.get("excludeDefaultToolIds")))
    return {
        "enabledManifests": offer.manifests,
        "enabledToolIds": offer.enabled,
        "filteredTools": [{"id": identifier, "reason": reason} for identifier, reason in offer.filtered],
        "tools": UNDEFINED if offer.tools is None else offer.tools,
    }


def _offer(box: Toolbox, question: Call, *, without: Any) -> Any:
    wanted = box.wanted(
        listed(question.get("toolIds")), skip_defaults=bool(question.get("skipDefaultTools")), without=without
    )
    return box.offer(
        wanted,
        model=str(question.get("model")),
        provider=str(question.get("provider")),
        context=question.get("context"),
    )


def _enabled_manifests(box: Toolbox, identifiers: Any = None) -> Any:
    wanted = box.wanted(listed(identifiers))
    return as_map({one: box.manifests[one] for one in wanted if one in box.manifests})


def _all_manifests(box: Toolbox) -> Any:
    return as_map(box.manifests)


def _known_tools(box: Toolbox) -> list[str]:
    return list(box.manifests)


def _manifest(box: Toolbox, identifier: str) -> Any:
    return box.manifests.get(identifier, UNDEFINED)


def _has_tool(box: Toolbox, identifier: str) -> bool:
    return identifier in box.manifests


_TOOLBOX: Mapping[str, Callable[..., Any]] = {
    "generateTools": _tools,
    "generateToolsDetailed": _tools_in_detail,
    "getAllPluginManifests": _all_manifests,
    "getAvailablePlugins": _known_tools,
    "getEnabledPluginManifests": _enabled_manifests,
    "getPluginManifest": _manifest,
    "hasPlugin": _has_tool,
}


def _checker(call: Call, question: Call) -> bool:
    config = mapping(call.get("config"))
    platform = config.get("platformFilter")

    def asked(one: Call) -> bool | None:
        answer = platform(one) if callable(platform) else None
        return None if answer is UNDEFINED or answer is None else bool(answer)

    enabled = enable_by_rules(
        mapping(config.get("rules")),
        allow_explicit=bool(config.get("allowExplicitActivation")),
        platform=asked,
    )
    return enabled(question)


def _sliced(_call: Call, rows: Any, options: Any) -> Any:
    return list(last_groups(listed(rows), history_count(mapping(options))))


def _account(_call: Call, question: Any) -> Any:
    return account(mapping(question))


def _tool_name(call: Call, *args: Any) -> str:
    return _namer(call)(*args)


def _described(call: Call, manifest: Any) -> Any:
    return describe_tools(mapping(manifest), name=_namer(call))


def _normalized(_call: Call, parameters: Any = None) -> Any:
    return normalize_parameters(parameters)


def _filled(_call: Call, text: str, generators: Any, depth: int = 2) -> str:
    return fill_as_original(text, mapping(generators), depth)


def _rendered(_call: Call, template: str, values: Any, depth: int = 2) -> str:
    return render_template(template, mapping(values), depth)


def _tags(_call: Call, rows: Any) -> Any:
    return parse_topic_tags(listed(rows))


def _is_manifest(_call: Call, value: Any = None) -> bool:
    return is_manifest(value)


def _filled_rows(_call: Call, rows: Any, generators: Any, depth: int = 2) -> Any:
    step = fill_placeholders(
        mapping(generators), depth=depth, roles=None, results=True, fill_text=fill_as_original
    )
    return list(step(draft_of(listed(rows))).rows)


def _topics(_call: Call, rows: Any, lookup: Any, lookup_rows: Any = None) -> Any:
    found = resolve_topic_references(listed(rows), lookup, lookup_rows if callable(lookup_rows) else None)
    return UNDEFINED if found is None else found


def _positions(call: Call, documents: Any, places: Any, context: Any = None) -> Any:
    facts = mapping(context)
    return docs.documents_for(
        listed(documents),
        listed(places),
        message=facts.get("currentUserMessage"),
        now=facts.get("currentTime") or call.get("clock"),
    )


def _combined(_call: Call, documents: Any, context: Any = None) -> str:
    given = mapping(context).get("truncateContent")

    def truncate(text: str, most: int) -> str:
        return str(given(text, most)) if callable(given) else text

    return docs.combine_documents(listed(documents), truncate=truncate if callable(given) else None)


def _manifests(_call: Call, values: Any) -> Any:
    valid, invalid = split_manifests(listed(values))
    return {"valid": valid, "invalid": invalid}


_CLASSES: Mapping[str, Callable[[Call], Any]] = {
    "ToolArgumentsRepairer": _arguments,
    "ToolNameResolver": _names,
    "ToolResolver": _step_tools,
    "ToolsEngine": _toolbox,
}

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "fn_combineDocuments": _combined,
    "fn_countContextTokens": _account,
    "fn_createEnableChecker": _checker,
    "fn_filterValidManifests": _manifests,
    "fn_generateToolName": _tool_name,
    "fn_generateToolsFromManifest": _described,
    "fn_getDocumentsForPositions": _positions,
    "fn_getSlicedMessages": _sliced,
    "fn_normalizeToolParameters": _normalized,
    "fn_parsePlaceholderVariables": _filled,
    "fn_parsePlaceholderVariablesMessages": _filled_rows,
    "fn_parseReferTopicTags": _tags,
    "fn_renderPlaceholderTemplate": _rendered,
    "fn_resolveTopicReferences": _topics,
    "fn_validateManifest": _is_manifest,
}


def knows(step: str) -> bool:
    """Whether there is a function or class of this name."""
    return step in _CLASSES or step in _FUNCTIONS
