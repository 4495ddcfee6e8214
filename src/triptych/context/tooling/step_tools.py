"""What tools one step of an answer has: the tools of the whole operation, and what was activated on the way.

Not here: deciding what is activated; running tools.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from triptych.context.rowwork import listed, mapping
from triptych.context.tooling.manifests import NameTool, describe_tools
from triptych.context.tooling.names import name_tool

__all__ = ["resolve_step_tools", "step_delta"]

_EVERY = "*"


def resolve_step_tools(
    operation: Mapping[str, Any],
    delta: Mapping[str, Any],
    accumulated: Iterable[Mapping[str, Any]] = (),
    allowed: Collection[str] | None = None,
    *,
    name: NameTool = name_tool,
) -> dict[str, Any]:
    """The tools of a step, as ``{tools, enabledToolIds, manifestMap, promptManifestMap, sourceMap, executorMap}``.

    ``delta`` has ``activatedTools`` (each ``{id, manifest?, source?}``) and ``deactivatedToolIds``; ``*`` among
    these takes all tools away but keeps the manifests, so that names can still be read back. ``allowed`` are the
    only wire names that may be offered.
    """
    enabled = [one for one in listed(operation.get("enabledToolIds")) if isinstance(one, str)]
    known = mapping(operation.get("manifestMap"))
    found = _Found(
        enabled=enabled,
        manifests={one: known[one] for one in enabled if one in known},
        tools=list(listed(operation.get("tools"))),
        sources=dict(mapping(operation.get("sourceMap"))),
    )
    for activation in (*accumulated, *listed(delta.get("activatedTools"))):
        found.activate(mapping(activation), name)
    gone = _EVERY in map(str, listed(delta.get("deactivatedToolIds")))
    tools = [] if gone else _once(found.tools)
    prompt = {} if gone else found.manifests
    on = [] if gone else found.enabled
    if allowed is not None:
        tools = [tool for tool in tools if _name(tool) in allowed]
        prompt = _allowed_manifests(prompt, frozenset(map(_name, tools)), name)
        on = [one for one in on if one in prompt]
    return {
        "enabledToolIds": on,
        "executorMap": dict(mapping(operation.get("executorMap"))),
        "manifestMap": found.manifests,
        "promptManifestMap": dict(prompt),
        "sourceMap": found.sources,
        "tools": tools,
    }


class _Found(msgspec.Struct):
    """The tools of a step while they are put together."""

    enabled: list[str]
    manifests: dict[str, Any]
    tools: list[Any]
    sources: dict[str, Any]

    def activate(self, activation: Mapping[str, Any], name: NameTool) -> None:
        identifier, manifest = str(activation.get("id")), activation.get("manifest")
        if identifier in self.manifests or not isinstance(manifest, Mapping):
            return
        self.manifests[identifier] = manifest
        self.tools.extend(describe_tools(manifest, name=name))
        self.sources.setdefault(identifier, "builtin")
        if identifier not in self.enabled:
            self.enabled.append(identifier)


def step_delta(
    *,
    device: Mapping[str, Any] | None = None,
    enabled: Collection[str] = (),
    mentioned: Iterable[str] = (),
    finish: bool = False,
) -> dict[str, Any]:
    """What a step adds and takes away: the tools of an active device, mentioned ones; all go to force an end."""
    activated: list[dict[str, Any]] = []
    if device is not None and device.get("identifier") not in enabled:
        activated.append({"id": device.get("identifier"), "manifest": device, "source": "device"})
    activated.extend({"id": one, "source": "mention"} for one in mentioned if one not in enabled)
    delta: dict[str, Any] = {"activatedTools": activated}
    return {**delta, "deactivatedToolIds": [_EVERY]} if finish else delta


def _name(tool: Any) -> str:
    return str(mapping(mapping(tool).get("function")).get("name"))


def _once(tools: Iterable[Any]) -> list[Any]:
    """Each tool where its name stands first, so that one activated again does not move."""
    first: dict[str, Any] = {}
    for tool in tools:
        first.setdefault(_name(tool), tool)
    return list(first.values())


def _allowed_manifests(
    manifests: Mapping[str, Any], allowed: frozenset[str], name: NameTool
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for identifier, manifest in manifests.items():
        apis = listed(mapping(manifest).get("api"))
        known, kind = str(mapping(manifest).get("identifier") or identifier), mapping(manifest).get("type")
        kept = [api for api in apis if name(known, str(mapping(api).get("name")), kind) in allowed]
        if kept:
            found[identifier] = manifest if len(kept) == len(apis) else _trimmed(manifest, kept)
    return found


def _trimmed(manifest: Mapping[str, Any], apis: list[Any]) -> dict[str, Any]:
    """A manifest of some of its apis; its system text speaks of all of them, so it goes."""
    rest = {key: value for key, value in manifest.items() if key != "systemRole"}
    return {**rest, "api": apis}
